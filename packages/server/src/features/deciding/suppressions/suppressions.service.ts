import {
  type Pagination,
  pageSize,
  type Suppression,
  type SuppressionChange,
  type SuppressionCreate,
  suppressionPage,
} from '@arbiter/contract';
import { foldContacts, type SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { readRelated, requireLive } from '../../catalogue/catalogue-records/index.ts';
import { policyMark, snapshotPolicies } from '../../catalogue/contact-policies/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  type CustomerKeys,
  decodeState,
  type KeyedHash,
  lockOrMakeStates,
  readState,
  saveSuppressions,
} from '../customer-states/index.ts';
import { type CooldownRow, runningCooldowns } from './cooldown-rows.ts';
import { changedEnd, endOf, refuseOther, targetOf } from './suppressions.rules.ts';
import {
  countSuppressions,
  deleteSuppressionRow,
  deleteSuppressionsOf,
  findManual,
  findSuppression,
  insertSuppression,
  raiseSuppression,
  type SuppressionFilter,
  type SuppressionRow,
  selectSuppressions,
  suppressionsInForce,
  updateSuppression,
} from './suppressions.store.ts';
import type { TriggeredRow } from './triggered-rows.ts';

export interface SuppressionPorts {
  readonly keys: CustomerKeys;
  /** Names a customer in the audit log, which outlives the customer (docs/design/api-settled.md 103). */
  readonly customerHash: KeyedHash;
}

const resourceOf = { offer: 'offer', category: 'category' } as const;

/**
 * Sets a manual suppression. The same customer and scope again increases the count and keeps the later end. Locks the
 * customer's state and updates what decisions read, so the next one obeys it.
 */
export async function setSuppression(
  tx: Tx,
  body: SuppressionCreate,
  ports: SuppressionPorts,
): Promise<{ readonly row: SuppressionRow; readonly created: boolean }> {
  const { customerId, reason } = body;
  if (customerId === 'anonymous') throw invalid('/customerId', 'must be a customer ID');
  const target = targetOf(body);
  const expiresAt = endOf(body, tx.now);
  if (target.scope !== 'global') await requireLive(tx, resourceOf[target.scope], target.scopeId, '/scopeId');
  await lockCustomer(tx, customerId, ports.keys);
  const before = await findManual(tx, { customerId, ...target });
  const row: SuppressionRow =
    before === null
      ? {
          id: newId(),
          customerId,
          ...target,
          policyType: 'manual',
          policyId: null,
          reason,
          triggerCount: 1,
          createdAt: tx.now,
          expiresAt,
        }
      : {
          ...before,
          reason,
          triggerCount: before.triggerCount + 1,
          expiresAt: new Date(Math.max(before.expiresAt.getTime(), expiresAt.getTime())),
        };
  await (before === null ? insertSuppression(tx, row) : updateSuppression(tx, row));
  await noteChange(tx, before === null ? 'create' : 'update', before, row, ports);
  await saveSuppressions(tx, customerId, await suppressionsInForce(tx, customerId));
  return { row, created: before === null };
}

/**
 * Changes end or reason of a suppression that was set by hand; the next decision obeys it. Throws 404; 409 `protected` for one
 * of a policy; 400 for another customer or scope, and for an end that has passed.
 */
export async function changeSuppression(
  tx: Tx,
  id: string,
  changes: Omit<SuppressionChange, 'id'>,
  ports: SuppressionPorts,
): Promise<SuppressionRow> {
  const before = await holdSuppression(tx, id, ports.keys);
  refuseOther(before, changes);
  if (before.policyType !== 'manual') {
    throw new AppError('protected', {
      detail: 'A policy created this suppression. Lift it, create one manually, or change the policy.',
    });
  }
  const row: SuppressionRow = {
    ...before,
    reason: changes.reason ?? before.reason,
    expiresAt: changedEnd(changes, before.expiresAt, tx.now),
  };
  await updateSuppression(tx, row);
  await noteChange(tx, 'update', before, row, ports);
  await saveSuppressions(tx, row.customerId, await suppressionsInForce(tx, row.customerId));
  return row;
}

/** Writes what policies derive from a customer's outcome. The caller holds the customer's state. */
export async function writeTriggered(tx: Tx, customerId: string, rows: readonly TriggeredRow[]): Promise<void> {
  if (rows.length === 0) return;
  for (const row of rows) await raiseSuppression(tx, { ...row, id: newId(), customerId, policyType: 'outcome_based' });
  await saveSuppressions(tx, customerId, await suppressionsInForce(tx, customerId));
}

/** Removes suppressions of these offers and categories. The caller holds the customers' rows. */
export async function removeSuppressionsOf(tx: Tx, scopeIds: readonly string[]): Promise<void> {
  for (const customerId of await deleteSuppressionsOf(tx, scopeIds)) {
    await saveSuppressions(tx, customerId, await suppressionsInForce(tx, customerId));
  }
}

/** Lifts a suppression, so that the next decision ignores it. Throws 404 if it doesn't exist. */
export async function liftSuppression(tx: Tx, id: string, ports: SuppressionPorts): Promise<void> {
  const row = await holdSuppression(tx, id, ports.keys);
  await deleteSuppressionRow(tx, row.id);
  await noteChange(tx, 'delete', row, null, ports);
  await saveSuppressions(tx, row.customerId, await suppressionsInForce(tx, row.customerId));
}

/** Returns the suppression, with its customer's state locked. Throws 404 if it doesn't exist. */
async function holdSuppression(tx: Tx, id: string, keys: CustomerKeys): Promise<SuppressionRow> {
  const seen = await findSuppression(tx, id);
  if (seen === null) throw notFound();
  await lockCustomer(tx, seen.customerId, keys);
  // Check again under the lock: someone else may have lifted or repeated it.
  const row = await findSuppression(tx, id);
  if (row === null) throw notFound();
  return row;
}

export async function getSuppression(tx: Tx, id: string): Promise<Suppression> {
  const row = await findSuppression(tx, id);
  if (row === null) throw notFound();
  return showSuppression(tx, row);
}

const notFound = () => new AppError('not_found', { detail: 'This suppression does not exist.' });

async function lockCustomer(tx: Tx, customerId: string, keys: CustomerKeys): Promise<void> {
  await lockOrMakeStates(tx, [customerId], () => ({ ref: newId(), dataKey: keys.create(tx.tenantId) }), true);
}

async function noteChange(
  tx: Tx,
  action: 'create' | 'update' | 'delete',
  before: SuppressionRow | null,
  after: SuppressionRow | null,
  { customerHash }: SuppressionPorts,
): Promise<void> {
  const row = after ?? before;
  if (row === null) throw new Error('a change has a before or an after');
  // Leave out the customer and any text about them: the log is never erased.
  const seen = ({ customerId, reason: _reason, id: _id, ...rest }: SuppressionRow) => ({
    customerHash: customerHash.of(tx.tenantId, customerId).toString('hex'),
    ...rest,
  });
  await recordAudit(tx, {
    action,
    entityType: 'customerSuppression',
    entityId: row.id,
    entityName: null,
    ...(before === null ? {} : { before: seen(before) }),
    ...(after === null ? {} : { after: seen(after) }),
  });
}

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
