import { type CustomField, categoryResource, subCategoryResource } from '@arbiter/contract';
import type { SnapshotCategory, SnapshotCustomField, SnapshotSubCategory } from '@arbiter/engine';
import { columns, select } from '../../../db/columns.ts';
import { uuidArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { asJson } from '../../../platform/json.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type CategoryRow = RecordRow<typeof categoryResource>;
export type SubCategoryRow = RecordRow<typeof subCategoryResource>;

export const categorySpec = recordSpec(categoryResource);
export const subCategorySpec = recordSpec(subCategoryResource);

/** Definitions as decisions need them, without the parts for people or writes. */
export const snapshotFields = (fields: readonly CustomField[]): SnapshotCustomField[] =>
  fields.map(({ key, type, defaultValue = null, formula = null, outputType = null }) => ({
    key,
    type,
    ...(defaultValue === null ? {} : { defaultValue: asJson(defaultValue) }),
    ...(formula === null ? {} : { formula }),
    ...(outputType === null ? {} : { outputType }),
  }));

/** Categories that offers may belong to. Inactive ones do too: the status is for pickers (docs/design/api-catalogue.md 4). */
export async function snapshotCategories(tx: Tx): Promise<SnapshotCategory[]> {
  const rows = await select(
    tx,
    columns(categorySpec, ['id', 'name', 'customFields']),
    'from arbiter.categories where tenant_id = $1 and deleted_at is null order by id',
    [tx.tenantId],
  );
  return rows.map((row) => ({ ...row, customFields: snapshotFields(row.customFields) }));
}

/** As `snapshotCategories`, one level down. */
export async function snapshotSubCategories(tx: Tx): Promise<SnapshotSubCategory[]> {
  const rows = await select(
    tx,
    columns(subCategorySpec, ['id', 'categoryId', 'name', 'customFields']),
    'from arbiter.sub_categories where tenant_id = $1 and deleted_at is null order by id',
    [tx.tenantId],
  );
  return rows.map((row) => ({ ...row, customFields: snapshotFields(row.customFields) }));
}

/** Returns the names of these categories, deleted ones included, by ID. */
export async function readCategoryNames(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await select(
    tx,
    columns(categorySpec, ['id', 'name']),
    'from arbiter.categories where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, uuidArray(ids)],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Keys of the custom fields of all categories and sub-categories: bare names of formulas. */
export async function selectCustomFieldKeys(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ key: string }>(
    `select distinct field ->> 'key' as key from (
       select custom_fields from arbiter.categories where tenant_id = $1 and deleted_at is null
       union all select custom_fields from arbiter.sub_categories where tenant_id = $1 and deleted_at is null
     ) as holders, jsonb_array_elements(custom_fields) as field`,
    [tx.tenantId],
  );
  return new Set(rows.map(({ key }) => key));
}
