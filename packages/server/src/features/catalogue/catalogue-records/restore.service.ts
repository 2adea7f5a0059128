import { type ErrorEntry, type Resource, resources } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { Restorable } from '../../../feature.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type GovernedRow, type RecordChange, type RecordSpec, tableOf } from './record-spec.ts';
import { isDeleted, noteChange, notFound, versionOf, writeRow } from './records.service.ts';
import { findRecord } from './records.store.ts';
import { inUse, lockLive } from './references.store.ts';

/** A record that the deleted one refers to and that is deleted itself. */
export interface DeletedParent {
  /** The property that refers to it: `categoryId`. */
  readonly property: string;
  readonly id: string;
}

export interface RestoreOptions<Row extends GovernedRow> {
  /**
   * Columns that change during the restore. `gone`: deleted records that it refers to; properties that the result sets
   * don't count.
   */
  set?(row: Row, deletedParents: readonly DeletedParent[]): RecordChange<Row>;
  /** Brings back what went with the record, in the same transaction; `deleted`: the row as it was. */
  after?(tx: Tx, deleted: Row): Promise<void>;
}

const notDeleted = (noun: string) => new AppError('not_deleted', { detail: `The ${noun} is not deleted.` });

/**
 * Restores a soft-deleted record: version + 1, audit row `restore`. Throws 404 when it's missing or foreign, 400
 * `not_deleted` when it's live, 409 `in_use` while a record that it refers to is deleted, 409 `duplicate_name` or
 * `duplicate_key` when another one has taken its name or key (docs/design/api-catalogue.md 19, docs/design/quality.md
 * E12).
 */
async function restoreRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  options: RestoreOptions<Row> = {},
): Promise<Row> {
  const { noun } = spec.resource;
  const seen = await findRecord(tx, spec, id);
  if (seen === null) throw notFound(noun);
  if (!isDeleted(seen)) throw notDeleted(noun);
  // Records that it refers to are locked first, as when it was made; a deleted record keeps its references.
  const deletedParents = await goneParents(tx, spec.resource, seen);
  const change: Readonly<Record<string, unknown>> = options.set?.(seen, deletedParents) ?? {};
  const missing = deletedParents.filter(({ property }) => change[property] === undefined);
  if (missing.length > 0)
    throw inUse(
      noun,
      missing.map((parent) => deletedParentEntry(spec.resource, parent)),
    );
  const before = await findRecord(tx, spec, id, 'change');
  if (before === null) throw notFound(noun);
  if (!isDeleted(before)) throw notDeleted(noun);
  const after = await writeRow(tx, spec, before, { ...change, deletedAt: null });
  await noteChange(tx, spec, 'restore', { before, after });
  await options.after?.(tx, before);
  return after;
}

/** Brings back rows that went with another one; one version step and one audit row each. The caller has locked them. */
export async function cascadeRestore<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  rows: readonly Row[],
): Promise<void> {
  for (const before of rows) {
    const after = await writeRow(tx, spec, before, { deletedAt: null });
    await noteChange(tx, spec, 'restore', { before, after });
  }
}

/** How a feature says that its records come back (`FeatureParts.restores`). */
export function restorable<Row extends GovernedRow>(
  spec: RecordSpec<Row>,
  options: RestoreOptions<Row> = {},
): Restorable {
  return {
    entityType: spec.resource.entityType,
    restore: async (tx, id) => versionOf(spec, await restoreRecord(tx, spec, id, options)),
  };
}

async function goneParents(tx: Tx, resource: Resource, row: GovernedRow): Promise<DeletedParent[]> {
  const values = new Map<string, unknown>(Object.entries(row));
  const deletedParents: DeletedParent[] = [];
  for (const [property, { to }] of Object.entries(resource.references)) {
    const id = values.get(property);
    if (typeof id !== 'string') continue;
    const parent = Object.values<Resource>(resources).find(({ entityType }) => entityType === to);
    if (parent !== undefined && !(await lockLive(tx, tableOf(parent), parent.softDelete, id)))
      deletedParents.push({ property, id });
  }
  return deletedParents;
}

function deletedParentEntry({ references }: Resource, { property, id }: DeletedParent): ErrorEntry {
  const to = references[property]?.to;
  const parent = Object.values<Resource>(resources).find(({ entityType }) => entityType === to);
  return { path: 'query.id', message: `refers to ${parent?.noun ?? 'record'} ${id} in ${property}, which was deleted` };
}
