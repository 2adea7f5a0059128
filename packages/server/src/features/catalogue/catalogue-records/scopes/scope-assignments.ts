import type { EntityType } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { invalid } from '../../../../platform/app-error.ts';
import { newId } from '../../../../platform/ids.ts';
import { requireLive } from '../references.store.ts';

/** One assignment as a qualification rule or contact policy keeps it (docs/design/api-catalogue.md 8.4, 9). */
export interface ScopeAssignmentRow<Scope extends string = string> {
  readonly id: string;
  readonly scope: Scope;
  /** Null for `global` only. */
  readonly scopeId: string | null;
  /** ISO instant. */
  readonly createdAt: string;
}

/** The part of a body that says what a rule or policy applies to. */
export interface ScopeInput<Scope extends string> {
  readonly scope?: Scope;
  readonly scopeId?: string | null;
  readonly scopes?: readonly { readonly scope: Scope; readonly scopeId?: string | null }[];
}

interface ScopeRequest<Scope extends string> {
  readonly scope: Scope;
  readonly scopeId: string | null;
  /** JSON Pointer of the id in the body. */
  readonly path: string;
}

/** Longest list of assignments. */
const maximumAssignments = 200;

const same = (a: { scope: string; scopeId: string | null }, b: { scope: string; scopeId: string | null }) =>
  a.scope === b.scope && a.scopeId === b.scopeId;

function legacy<Scope extends string>(
  body: ScopeInput<Scope>,
  first: { readonly scope: Scope; readonly scopeId: string | null },
): ScopeRequest<Scope> {
  const scope = body.scope ?? first.scope;
  const currentId = scope === first.scope ? first.scopeId : null;
  return { scope, scopeId: body.scopeId === undefined ? currentId : body.scopeId, path: '/scopeId' };
}

/**
 * What the body wants the assignments to be, or null when it leaves them alone. `scopes` beats `scope` and `scopeId`;
 * the same assignment twice collapses; `global` has no id. `current` is null for a new record.
 * Throws 400 for another scope without an id, and for an empty list.
 */
export function wantedAssignments<Scope extends string>(
  body: ScopeInput<Scope>,
  current: readonly ScopeAssignmentRow<Scope>[] | null,
  defaultScope: Scope,
): readonly ScopeRequest<Scope>[] | null {
  const listed = body.scopes !== undefined && body.scopes.length > 0 ? body.scopes : null;
  const named = body.scope !== undefined || body.scopeId !== undefined;
  if (listed === null && current !== null && !named) {
    if (body.scopes !== undefined) throw invalid('/scopes', 'must not be empty');
    return null;
  }
  const wanted: readonly ScopeRequest<Scope>[] =
    listed === null
      ? [legacy(body, current?.[0] ?? { scope: defaultScope, scopeId: null })]
      : listed.map((item, index) => ({
          scope: item.scope,
          scopeId: item.scopeId ?? null,
          path: `/scopes/${index}/scopeId`,
        }));
  const unique: ScopeRequest<Scope>[] = [];
  for (const item of wanted) {
    const scopeId = item.scope === 'global' ? null : item.scopeId;
    if (scopeId === null && item.scope !== 'global') {
      const isUsual = listed === null && body.scope === undefined && current === null;
      throw invalid(item.path, isUsual ? unsaid(item.scope) : `is required for scope ${item.scope}`);
    }
    const normal = { ...item, scopeId: scopeId === null ? null : scopeId.toLowerCase() };
    if (!unique.some((other) => same(other, normal))) unique.push(normal);
  }
  if (unique.length > maximumAssignments) throw invalid('/scopes', `must have at most ${maximumAssignments} entries`);
  return unique;
}

const unsaid = (scope: string): string =>
  `is required, because scope defaults to ${scope}; send scopeId or scopes, or use scope global`;

/** Locks are taken in this order, so that a write and the deletion of an offer with its creatives cannot deadlock. */
const lockOrder: readonly EntityType[] = ['category', 'subCategory', 'channel', 'placement', 'offer', 'creative'];

/**
 * The assignments after a write: known ones keep their id and date, new ones must name a live record of the tenant
 * (400 `reference_not_found`). An assignment whose target was deleted in the meantime stays and matches nothing.
 */
export async function assignScopes<Scope extends string>(
  tx: Tx,
  wanted: readonly ScopeRequest<Scope>[],
  current: readonly ScopeAssignmentRow<Scope>[],
  resourceOf: (scope: Scope) => EntityType | null,
): Promise<readonly ScopeAssignmentRow<Scope>[]> {
  const added = wanted.filter((item) => !current.some((row) => same(row, item)));
  const checks = added.flatMap((item) => {
    if (item.scopeId === null) return [];
    return [{ id: item.scopeId, path: item.path, resource: resourceOf(item.scope) }];
  });
  const rank = (resource: EntityType | null) => (resource === null ? -1 : lockOrder.indexOf(resource));
  checks.sort((a, b) => rank(a.resource) - rank(b.resource) || (a.id < b.id ? -1 : 1));
  for (const { id, path, resource } of checks) {
    if (resource === null) throw invalid(path, "is a kind of record that isn't available yet");
    await requireLive(tx, resource, id, path);
  }
  return wanted.map(
    (item) =>
      current.find((row) => same(row, item)) ?? {
        id: newId(),
        scope: item.scope,
        scopeId: item.scopeId,
        createdAt: tx.now.toISOString(),
      },
  );
}
