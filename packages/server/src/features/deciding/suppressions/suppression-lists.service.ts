import { type Pagination, pageSize, type Suppression, suppressionPage } from '@arbiter/contract';
import { foldContacts, type SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { policyMark, snapshotPolicies } from '../../catalogue/contact-policies/index.ts';
import { decodeState, readState } from '../customer-states/index.ts';
import { type CooldownRow, runningCooldowns } from './cooldown-rows.ts';
import {
  countSuppressions,
  findSuppression,
  type SuppressionFilter,
  type SuppressionRow,
  selectSuppressions,
} from './suppressions.store.ts';

export async function showSuppression(tx: Tx, row: SuppressionRow): Promise<Suppression> {
  const [shown] = await show(tx, [{ stored: row, position: row.id }]);
  if (shown === undefined) throw new Error('each row has one response');
  return shown;
}

/** A row of a list: one that is stored, or a running cooldown of the customer. */
type Listed =
  | { readonly stored: SuppressionRow; readonly position: string }
  | { readonly computed: CooldownRow; readonly customerId: string; readonly position: string };

/**
 * Returns a page of suppressions, newest first. For a single customer, running cooldowns are included by the instant of
 * the contact; a cursor after one of them encodes its position.
 */
export async function listSuppressions(
  tx: Tx,
  { cursor, limit: asked, ...query }: UnmarkedFilter & { readonly cursor?: string; readonly limit?: number },
): Promise<{ data: Suppression[]; pagination: Pagination }> {
  const policies = await snapshotPolicies(tx);
  const filter = { ...query, marks: marksOf(policies) };
  const after = cursor === undefined ? null : await placeOf(tx, cursor);
  const limit = pageSize(suppressionPage, asked);
  const cooldowns = await cooldownsOf(tx, policies, filter);
  const stored = await selectSuppressions(tx, filter, after, limit + 1);
  const total = (await countSuppressions(tx, filter)) + cooldowns.length;
  const rows = merged(
    stored,
    cooldowns.filter(({ position }) => after === null || position < after),
  );
  const page = pageOf({
    rows: rows.slice(0, limit + 1),
    limit,
    total,
    cursorOf: (row) => ('stored' in row ? row.position : `${computedMark}${row.position}`),
  });
  return { data: await show(tx, page.rows), pagination: page.pagination };
}

/** Returns all suppressions of a customer, newest first. */
export async function suppressionsOf(
  tx: Tx,
  customerId: string,
  includeExpired: boolean | undefined,
): Promise<Suppression[]> {
  const policies = await snapshotPolicies(tx);
  const filter = { customerId, includeExpired, marks: marksOf(policies) };
  return show(tx, merged(await selectSuppressions(tx, filter, null, null), await cooldownsOf(tx, policies, filter)));
}

type UnmarkedFilter = Omit<SuppressionFilter, 'marks'>;

/** Marks of the policies that write rows. */
const marksOf = (policies: readonly SnapshotPolicy[]): Map<string, string> =>
  new Map(policies.flatMap((policy) => (policy.ruleType === 'outcome_based' ? [[policy.id, policyMark(policy)]] : [])));

/** Before the cursor after a computed row, which is no id. */
const computedMark = 'c:';

async function placeOf(tx: Tx, cursor: string): Promise<string> {
  const isComputed = cursor.startsWith(computedMark) && isUuid(cursor.slice(computedMark.length));
  if (isComputed) return cursor.slice(computedMark.length).toLowerCase();
  const row = await findSuppression(tx, cursor);
  if (row !== null) return row.id;
  throw new AppError('invalid_cursor', {
    detail: "The cursor doesn't belong to this list, or its row was deleted.",
    errors: [{ path: 'query.cursor', message: 'is not a cursor of this list' }],
  });
}

function merged(stored: readonly SuppressionRow[], cooldowns: readonly Listed[]): Listed[] {
  const rows = stored.map((row): Listed => ({ stored: row, position: row.id }));
  return [...rows, ...cooldowns].sort((a, b) => (a.position > b.position ? -1 : a.position < b.position ? 1 : 0));
}

async function cooldownsOf(
  tx: Tx,
  active: readonly SnapshotPolicy[],
  { customerId, scope, policyType }: SuppressionFilter,
): Promise<Listed[]> {
  if (customerId === undefined || (policyType !== undefined && policyType !== 'cooldown')) return [];
  const policies = active.filter(({ ruleType }) => ruleType === 'cooldown');
  const row = policies.length === 0 ? null : await readState(tx, customerId);
  if (row === null) return [];
  const now = tx.now.getTime();
  // Open reservations are contacts too. No windows are needed, so the zone doesn't matter.
  const { lanes, lastAt } = foldContacts(decodeState(row.state, row.base), [], now, zoneClock('UTC', now));
  const contacts = lanes.map((lane, position) => ({ lane, at: lastAt[position] ?? 0 }));
  const offerIds = [...new Set(lanes.map(({ offerId }) => offerId))];
  const offers = await readRelated(tx, 'offer', offerIds, ['categoryId']);
  return runningCooldowns(policies, contacts, (id) => offers.get(id)?.categoryId ?? null, now)
    .filter((cooldown) => scope === undefined || cooldown.scope === scope)
    .map((computed) => ({ computed, customerId, position: computed.position }));
}

async function show(tx: Tx, rows: readonly Listed[]): Promise<Suppression[]> {
  const offerIds = rows
    .map((row) => ('stored' in row ? row.stored : row.computed))
    .flatMap(({ scope, scopeId }) => (scope === 'offer' ? [scopeId] : []));
  const offers = await readRelated(tx, 'offer', offerIds, ['name']);
  const nameOf = (scope: string, scopeId: string) => (scope === 'offer' ? (offers.get(scopeId)?.name ?? null) : null);
  return rows.map((row): Suppression => {
    if ('stored' in row) {
      const { stored } = row;
      return {
        ...stored,
        offerName: nameOf(stored.scope, stored.scopeId),
        createdAt: stored.createdAt.toISOString(),
        expiresAt: stored.expiresAt.toISOString(),
        isActive: stored.expiresAt.getTime() > tx.now.getTime(),
      };
    }
    const { position: _position, scope, scopeId, policyId, createdAt, expiresAt } = row.computed;
    return {
      id: null,
      customerId: row.customerId,
      scope,
      scopeId,
      offerName: nameOf(scope, scopeId),
      policyType: 'cooldown',
      policyId,
      reason: 'cooldown',
      triggerCount: 1,
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      isActive: true,
    };
  });
}
