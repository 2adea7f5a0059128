import type { AuditAction } from '@arbiter/contract';
import type { Actor, Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { checkGoingLive } from './going-live.ts';
import {
  type Addressed,
  type GovernedRow,
  type NewRecord,
  type RecordChange,
  type RecordSpec,
  toWire,
} from './record-spec.ts';
import { deleteRow, findRecord, insertRow, type RowChange, updateRow } from './records.store.ts';
import { assertNotReferenced } from './references.store.ts';

/** True for a row that `deletedAt` hides. */
export function isDeleted(row: GovernedRow): boolean {
  return 'deletedAt' in row && row.deletedAt !== null;
}

/** 404 for a record that is missing, foreign or deleted. */
export const notFound = (noun: string) => new AppError('not_found', { detail: `This ${noun} does not exist.` });

const columnOf = (row: GovernedRow, column: string): unknown =>
  new Map<string, unknown>(Object.entries(row)).get(column);

/** Not every kind of record has a name. */
function nameOf(row: GovernedRow): string | null {
  const name = columnOf(row, 'name');
  return typeof name === 'string' ? name : null;
}

/** The record's own counter. */
export const versionOf = <Row extends GovernedRow>(spec: RecordSpec<Row>, row: Row): number =>
  Number(columnOf(row, spec.versionColumn));

function auditView<Row extends GovernedRow>(spec: RecordSpec<Row>, row: Row): Readonly<Record<string, unknown>> {
  const hidden = ['tenantId', ...spec.unaudited];
  return Object.fromEntries(Object.entries(toWire(row)).filter(([column]) => !hidden.includes(column)));
}

/** The audit row of one change, in the change's transaction, and the catalogue's new version. */
export async function noteChange<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  action: AuditAction,
  change: { readonly before: Row | null; readonly after: Row | null },
  secretsGiven: readonly string[] = [],
  actor: Actor = tx.actor,
): Promise<void> {
  const row = change.after ?? change.before;
  if (row === null) throw new Error('a change has a before or an after');
  await recordAudit(tx, {
    action,
    entityType: spec.resource.entityType,
    entityId: row.id,
    entityName: nameOf(row),
    entityVersion: versionOf(spec, row),
    ...(change.before === null ? {} : { before: auditView(spec, change.before) }),
    ...(change.after === null ? {} : { after: auditView(spec, change.after) }),
    secretsGiven,
    actor,
  });
  tx.touchCatalogue();
}

/**
 * Inserts a record with a new id and version 1, its audit row and the new catalogue version.
 * Throws 409 `duplicate_name` / `duplicate_key` by the spec's constraints, 403 `approval_required`.
 */
export async function createRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  values: NewRecord<Row>,
  options: { readonly id?: string; readonly action?: AuditAction } = {},
): Promise<Row> {
  const row = await insertRow(tx, spec, options.id ?? newId(), values);
  await checkGoingLive(tx, spec, { before: null, after: row });
  await noteChange(tx, spec, options.action ?? 'create', { before: null, after: row });
  return row;
}

/**
 * The live record, or with `includeDeleted` a soft-deleted one as well; 404 `not_found` when missing, foreign, or when
 * the id is malformed.
 */
export async function getRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  options: { readonly includeDeleted?: boolean | undefined } = {},
): Promise<Row> {
  const row = await findRecord(tx, spec, id);
  if (row === null || (isDeleted(row) && options.includeDeleted !== true)) throw notFound(spec.resource.noun);
  return row;
}

/** Like `getRecord`, but keeps the row locked until the transaction ends, for actions that check before they change. */
export async function lockRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  lock: 'change' | 'delete' = 'change',
): Promise<Row> {
  const row = await findRecord(tx, spec, id, lock);
  if (row === null || isDeleted(row)) throw notFound(spec.resource.noun);
  return row;
}

export interface UpdateOptions<Row extends GovernedRow> {
  /** Precondition: the current version; unequal = 409 `row_version_conflict`. */
  readonly rowVersion?: number | undefined;
  /** Audit action; default `update`. */
  readonly action?: AuditAction;
  /** True: the version stays; the change is a state of a workflow and no new version of the record. */
  readonly keepsVersion?: true;
  /** Dotted paths of the record's secrets that were set again, for its audit row. */
  readonly secretsGiven?: readonly string[];
  /** Actor of the audit row instead of the transaction's: for the server's own follow-up work. */
  readonly actor?: Actor;
  /** True: `updatedAt` stays. */
  readonly keepsUpdatedAt?: true;
  /** `delete`: also waits for transactions that hold a `keep` lock. Default `change`. */
  readonly lock?: 'change' | 'delete';
  /** The columns to set, given the locked row. Throws an AppError to refuse. */
  change(current: Row): RecordChange<Row> | Promise<RecordChange<Row>>;
}

/**
 * Changes a live record under its row lock: precondition, change, version + 1 (also when nothing changed, unless
 * `keepsVersion`), audit row
 * with before and after, catalogue version. Throws 404, 409 `row_version_conflict`, 409 duplicates, 403 `approval_required`.
 */
export async function updateRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  options: UpdateOptions<Row>,
): Promise<Row> {
  const before = await lockRecord(tx, spec, id, options.lock);
  assertRowVersion(spec, before, options.rowVersion);
  const change = await options.change(before);
  const updatedAt = options.keepsUpdatedAt === true ? before.updatedAt : tx.now;
  const after = await (options.keepsVersion
    ? updateRow(tx, spec, before.id, change, updatedAt)
    : writeRow(tx, spec, before, change, updatedAt));
  await checkGoingLive(tx, spec, { before, after, changesSecrets: (options.secretsGiven ?? []).length > 0 });
  await noteChange(tx, spec, options.action ?? 'update', { before, after }, options.secretsGiven, options.actor);
  return after;
}

/** Throws 409 `row_version_conflict` unless the precondition is absent or equals the record's counter. */
export function assertRowVersion<Row extends GovernedRow>(
  spec: RecordSpec<Row>,
  row: Row,
  rowVersion: number | undefined,
): void {
  const current = versionOf(spec, row);
  if (rowVersion === undefined || rowVersion === current) return;
  throw new AppError('row_version_conflict', {
    detail: `The ${spec.resource.noun} has changed: it is at version ${current}, not ${rowVersion}. Reload it and try again.`,
    errors: [{ path: '/rowVersion', message: `is ${rowVersion}, but the record is at ${current}` }],
  });
}

/** Writes columns of a row that the caller has locked; version + 1. */
export const writeRow = <Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  before: Row,
  change: RowChange,
  updatedAt: Date = tx.now,
) => updateRow(tx, spec, before.id, { ...change, [spec.versionColumn]: versionOf(spec, before) + 1 }, updatedAt);

export interface DeleteOptions<Row extends GovernedRow> {
  /** `query`: DELETE ?id=; `path`: DELETE /{id}. Default `path`. */
  readonly addressed?: Addressed;
  /**
   * Runs while the row is locked and known to be free of references that refuse, before anything is written: further
   * in-use checks, `protected`. When it also changes other rows (cascades), it locks all of them before it writes the
   * first.
   */
  check?(row: Row): Promise<void> | void;
  /** Columns that a soft delete sets besides `deletedAt`. */
  readonly set?: RecordChange<Row>;
}

async function lockForDeletion<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  options: DeleteOptions<Row>,
): Promise<Row> {
  const row = await findRecord(tx, spec, id, 'delete');
  if (row === null || isDeleted(row)) {
    if (spec.resource.softDelete && options.addressed === 'query') {
      throw new AppError('already_deleted', { detail: `No ${spec.resource.noun} has this ID.` });
    }
    throw notFound(spec.resource.noun);
  }
  await assertNotReferenced(tx, spec.resource, row.id, options.addressed ?? 'path');
  await options.check?.(row);
  return row;
}

/**
 * Sets `deletedAt`, version + 1, audit row `soft_delete`. A record that is missing, foreign or deleted is 400
 * `already_deleted` when addressed by `?id=`, 404 when addressed by path.
 */
export async function softDeleteRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  options: DeleteOptions<Row> = {},
): Promise<Row> {
  const before = await lockForDeletion(tx, spec, id, options);
  const after = await writeRow(tx, spec, before, { ...options.set, deletedAt: tx.now });
  await noteChange(tx, spec, 'soft_delete', { before, after });
  return after;
}

/** Soft-deletes rows that go with another one; `rows` were locked by the caller. One audit row and version step each. */
export async function cascadeSoftDelete<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  rows: readonly Row[],
): Promise<void> {
  for (const before of rows) {
    const after = await writeRow(tx, spec, before, { deletedAt: tx.now });
    await noteChange(tx, spec, 'soft_delete', { before, after });
  }
}

/** Removes the row for good, with its audit row. 404 when missing or foreign, however addressed. */
export async function hardDeleteRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  options: DeleteOptions<Row> = {},
): Promise<Row> {
  const before = await lockForDeletion(tx, spec, id, options);
  await deleteRow(tx, spec, before.id);
  await noteChange(tx, spec, 'delete', { before, after: null });
  return before;
}

/** The id of a PUT that may carry it in the path and in the body; 400 when they differ (docs/design/api-access.md 1). */
export function sameId(pathId: string, bodyId: string | undefined): string {
  if (bodyId !== undefined && bodyId !== pathId) throw invalid('/id', 'must be the ID in the path');
  return pathId;
}
