import {
  defaultPage,
  type Geofence,
  type GeofenceCreate,
  maxGeofences,
  type Pagination,
  pageSize,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import {
  createRecord,
  getRecord,
  hardDeleteRecord,
  type RecordChange,
  toWire,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { checkAction } from './actions.service.ts';
import {
  countAndHold,
  countFirings,
  endStays,
  type GeofenceRow,
  geofenceSpec,
  isFiringOf,
  selectFirings,
} from './geofences.store.ts';

export const showGeofence = (row: GeofenceRow): Geofence => ({ ...toWire(row), action: { ...row.action } });

/** Throws 403 `feature_disabled` if geofences are off for the tenant (docs/design/api-access.md 6). */
async function assertEnabled(tx: Tx): Promise<void> {
  if ((await readSettings(tx)).enableGeofences) return;
  throw new AppError('feature_disabled', {
    detail: 'Geofences are disabled. Enable them with the setting enableGeofences.',
  });
}

/** Creates a geofence. Throws 409 `limit_reached` for the 1,001st, and 400 for an action that can't run. */
export async function createGeofence(tx: Tx, body: GeofenceCreate, rules: OutboundRules): Promise<GeofenceRow> {
  await assertEnabled(tx);
  if ((await countAndHold(tx)) >= maxGeofences) {
    throw new AppError('limit_reached', { detail: `A tenant can have at most ${maxGeofences} geofences.` });
  }
  const { action = {}, ...fields } = body;
  return createRecord(tx, geofenceSpec, { ...fields, action: await checkAction(tx, action, rules) });
}

/** Changes the supplied fields. Moving a geofence or turning it off ends all stays, without an exit. */
export async function changeGeofence(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<GeofenceRow>,
  rules: OutboundRules,
): Promise<GeofenceRow> {
  await assertEnabled(tx);
  return updateRecord(tx, geofenceSpec, id, {
    rowVersion,
    async change(current) {
      const moves = (['latitude', 'longitude', 'radiusMeters'] as const).some(
        (name) => changes[name] !== undefined && changes[name] !== current[name],
      );
      if (moves || (changes.status ?? current.status) === 'inactive') await endStays(tx, current.id);
      if (changes.action === undefined) return changes;
      return { ...changes, action: await checkAction(tx, changes.action, rules) };
    },
  });
}

/** Deletes a geofence for good, with what tracking knows of it. */
export async function deleteGeofence(tx: Tx, id: string): Promise<{ success: true; id: string }> {
  await assertEnabled(tx);
  const row = await hardDeleteRecord(tx, geofenceSpec, id);
  return { success: true, id: row.id };
}

export interface FiringQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly customerId?: string;
}

/** A page of a geofence's firings, newest first. */
export async function listFirings(tx: Tx, geofenceId: string, query: FiringQuery) {
  const { id } = await getRecord(tx, geofenceSpec, geofenceId);
  if (query.cursor !== undefined && !(await isFiringOf(tx, id, query.cursor))) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const customerId = query.customerId ?? null;
  const limit = pageSize(defaultPage, query.limit);
  const rows = await selectFirings(tx, id, customerId, query.cursor ?? null, limit + 1);
  const total = await countFirings(tx, id, customerId);
  const page = pageOf({ rows, limit, total, cursorOf: (row) => row.id });
  const pagination: Pagination = page.pagination;
  return { data: page.rows.map((row) => ({ ...row, occurredAt: row.occurredAt.toISOString() })), pagination };
}
