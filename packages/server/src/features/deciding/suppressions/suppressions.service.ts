import type { Suppression, SuppressionChange, SuppressionCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type CustomerKeys, type KeyedHash, lockOrMakeStates, saveSuppressions } from '../customer-states/index.ts';
import { showSuppression } from './suppression-lists.service.ts';
import { changedEnd, endOf, refuseOther, targetOf } from './suppressions.rules.ts';
import {
  deleteSuppressionRow,
  deleteSuppressionsOf,
  findManual,
  findSuppression,
  insertSuppression,
  raiseSuppression,
  type SuppressionRow,
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
