import type { SuppressionScope } from '@arbiter/contract';

type SuppressionTarget = readonly [scope: SuppressionScope, scopeId: string];

/**
 * Returns what a policy's assignment blocks after an interaction with this offer, as a suppression's target
 * (docs/design/api-catalogue.md 12); null if the interaction doesn't count or no row can express it.
 */
export function policyTarget(
  { scope, scopeId }: { readonly scope: string; readonly scopeId: string | null },
  per: unknown,
  offerId: string,
  categoryId: string | null,
): SuppressionTarget | null {
  if (per === 'creative' || per === 'channel') return null;
  if (scope === 'offer') return scopeId === offerId ? ['offer', offerId] : null;
  if (scope === 'category' && (scopeId === null || scopeId !== categoryId)) return null;
  if (scope !== 'category' && scope !== 'global') return null;
  if (per === 'offer') return ['offer', offerId];
  if (scope === 'category' || per === 'category') return categoryId === null ? null : ['category', categoryId];
  return ['global', 'all'];
}
