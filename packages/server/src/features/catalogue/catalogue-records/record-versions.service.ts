import {
  type AuditAction,
  type Pagination,
  pageSize,
  type RecordVersion,
  type VersionDifferences,
  versionPage,
} from '@arbiter/contract';
import { columnName } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { selectVersionChanges, type VersionChange, withoutSecrets } from '../../identity/audit/index.ts';
import { countVersions, type KeptVersion, selectVersions, selectVersionsNumbered } from '../catalogue-history/index.ts';
import { decodeCursor, encodeCursor, type ListOrder, rejectCursor } from './cursors.ts';
import { jsonDifferences } from './json-differences.ts';
import { type GovernedRow, type RecordSpec, toWire } from './record-spec.ts';
import { getRecord } from './records.service.ts';

/** A cursor names the record too: one of another record is garbage. */
const versionOrder: ListOrder = { keys: [{ column: 'version', kind: 'integer', direction: 'desc' }], ids: 'desc' };

function versionBefore(id: string, cursor: string): number {
  const position = decodeCursor(versionOrder, cursor);
  return position.id === id ? Number(position.values[0]) : rejectCursor();
}

/** Shows a past state of a record: only what doesn't depend on other records. */
export type ShowPast<Row> = (row: Row) => object;

type ShownRecord = Readonly<Record<string, unknown>>;

/** What every version changes, and what never changes. */
const bookkeeping = ['id', 'tenantId', 'version', 'rowVersion', 'createdAt', 'updatedAt'];

/**
 * Returns the row of a version. Later columns are missing, dropped ones are left out; instants are Dates, as in rows
 * from the database.
 */
function rowOf<Row extends GovernedRow>(tx: Tx, spec: RecordSpec<Row>, body: ShownRecord): Row {
  const values = [...spec.kinds].flatMap(([name, kind]) => {
    const value = name === 'tenantId' ? tx.tenantId : body[columnName(name)];
    if (value === undefined) return [];
    return [[name, kind === 'instant' && typeof value === 'string' ? new Date(value) : value]];
  });
  // The trigger that keeps versions writes whole rows of this table (docs/design/recording.md S14).
  return Object.fromEntries(values) as Row;
}

function shownPast<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  { body }: KeptVersion,
  showPast: ShowPast<Row> = toWire,
): ShownRecord {
  const { properties } = spec.resource.record;
  const shown = Object.entries(showPast(rowOf(tx, spec, body)));
  return withoutSecrets(Object.fromEntries(shown.filter(([name]) => Object.hasOwn(properties, name))));
}

function changesBetween(before: ShownRecord, after: ShownRecord) {
  const compared = (record: ShownRecord) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !bookkeeping.includes(name)));
  return jsonDifferences(compared(before), compared(after));
}

/**
 * Returns one page of a record's versions, newest first, also for a deleted record. `changes` are those since the
 * previous version; the first one is compared with nothing. Throws 404 when the record is missing or foreign.
 */
export async function listVersions<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  page: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  showPast?: ShowPast<Row>,
): Promise<{ data: RecordVersion[]; pagination: Pagination }> {
  const { entityType } = spec.resource;
  const { id: own } = await getRecord(tx, spec, id, { includeDeleted: true });
  const limit = pageSize(versionPage, page.limit);
  const below = page.cursor === undefined ? null : versionBefore(own, page.cursor);
  const found = await selectVersions(tx, entityType, own, { below, limit: limit + 1 });
  const total = await countVersions(tx, entityType, own);
  const { rows, pagination } = pageOf({
    rows: found,
    limit,
    total,
    cursorOf: (row) => encodeCursor(versionOrder, { values: [row.version], id: own }),
  });
  const audited = await selectVersionChanges(
    tx,
    entityType,
    own,
    rows.map(({ version }) => version),
  );
  const changes = new Map(audited.map((change) => [change.version, change]));
  const data = rows.map((row, at) => {
    const before = found[at + 1];
    const known = before === undefined ? {} : shownPast(tx, spec, before, showPast);
    const isFirst = row.version === 1;
    const facts = factsOf(row, before, changes.get(row.version));
    if (before === undefined && !isFirst) return { ...facts, changes: [], truncated: true as const };
    return { ...facts, changes: changesBetween(known, shownPast(tx, spec, row, showPast)) };
  });
  return { data, pagination };
}

/** What happened; where the audit log is cut, what the states show. */
function factsOf(row: KeptVersion, before: KeptVersion | undefined, audited: VersionChange | undefined) {
  return {
    version: row.version,
    action: audited?.action ?? actionOf(row, before),
    changedAt: (audited?.timestamp ?? row.committedAt).toISOString(),
    changedBy: audited?.userId ?? row.actor,
  };
}

function actionOf(row: KeptVersion, before: KeptVersion | undefined): AuditAction {
  if (row.version === 1) return 'create';
  if (row.deleted) return 'soft_delete';
  return before?.deleted === true ? 'restore' : 'update';
}

const noVersion = (noun: string) =>
  new AppError('not_found', { detail: `This version of the ${noun} does not exist or is no longer stored.` });

async function storedVersions<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  numbers: readonly number[],
): Promise<KeptVersion[]> {
  const { id: own } = await getRecord(tx, spec, id, { includeDeleted: true });
  const rows = await selectVersionsNumbered(tx, spec.resource.entityType, own, numbers);
  return numbers.map((number) => {
    const row = rows.find(({ version }) => version === number);
    if (row === undefined) throw noVersion(spec.resource.noun);
    return row;
  });
}

/** The record as it was in a version; `number` as it was sent. 404 if the record or version doesn't exist. */
export async function readVersion<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  number: string,
  showPast?: ShowPast<Row>,
): Promise<ShownRecord> {
  const isNumber = /^[1-9]\d{0,8}$/.test(number);
  const [row] = await storedVersions(tx, spec, id, isNumber ? [Number(number)] : []);
  if (row === undefined) throw noVersion(spec.resource.noun);
  return shownPast(tx, spec, row, showPast);
}

/** Returns the differences between two versions. Throws 404 for an unknown record, or a version that isn't stored. */
export async function compareVersions<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  showPast?: ShowPast<Row>,
): Promise<VersionDifferences> {
  const [before, after] = await storedVersions(tx, spec, id, [from, to]);
  if (before === undefined || after === undefined) throw noVersion(spec.resource.noun);
  return {
    from,
    to,
    changes: changesBetween(shownPast(tx, spec, before, showPast), shownPast(tx, spec, after, showPast)),
  };
}
