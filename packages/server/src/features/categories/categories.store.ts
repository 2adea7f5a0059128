import type { CustomField } from '@arbiter/contract';
import type { SnapshotCategory, SnapshotCustomField, SnapshotSubCategory } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import type { GovernedRow, RecordSpec } from '../records/index.ts';

export interface CategoryRow extends GovernedRow {
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  readonly color: string;
  readonly status: 'active' | 'inactive';
  readonly ordinal: number;
  readonly customFields: CustomField[];
  readonly version: number;
  readonly deletedAt: Date | null;
}

export interface SubCategoryRow extends CategoryRow {
  readonly categoryId: string;
}

export const categorySpec: RecordSpec<CategoryRow> = {
  table: 'categories',
  noun: 'category',
  entityType: 'category',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['customFields'],
  idColumns: ['id'],
  searchColumns: ['name'],
  uniques: { categories_name: { code: 'duplicate_name', path: '/name' } },
  nameOf: (row) => row.name,
};

export const subCategorySpec: RecordSpec<SubCategoryRow> = {
  table: 'sub_categories',
  noun: 'sub-category',
  entityType: 'subCategory',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['customFields'],
  idColumns: ['id', 'categoryId'],
  searchColumns: ['name'],
  uniques: { sub_categories_name: { code: 'duplicate_name', path: '/name' } },
  nameOf: (row) => row.name,
};

/** Definitions as decisions need them: without what is for people or for writes. */
const snapshotFields = (fields: readonly SnapshotCustomField[]): SnapshotCustomField[] =>
  fields.map(({ key, type, defaultValue = null, formula = null, outputType = null }) => ({
    key,
    type,
    ...(defaultValue === null ? {} : { defaultValue }),
    ...(formula === null ? {} : { formula }),
    ...(outputType === null ? {} : { outputType }),
  }));

/** Categories that offers may belong to. Inactive ones take part too: the status is for pickers (api-catalogue.md 4). */
export async function snapshotCategories(tx: Tx): Promise<SnapshotCategory[]> {
  const rows = await tx.query<SnapshotCategory & { readonly customFields: readonly SnapshotCustomField[] }>(
    `select id, name, custom_fields as "customFields" from arbiter.categories
     where tenant_id = $1 and deleted_at is null order by id`,
    [tx.tenantId],
  );
  return rows.map((row) => ({ ...row, customFields: snapshotFields(row.customFields) }));
}

/** As `snapshotCategories`, one level down. */
export async function snapshotSubCategories(tx: Tx): Promise<SnapshotSubCategory[]> {
  const rows = await tx.query<SnapshotSubCategory & { readonly customFields: readonly SnapshotCustomField[] }>(
    `select id, category_id as "categoryId", name, custom_fields as "customFields" from arbiter.sub_categories
     where tenant_id = $1 and deleted_at is null order by id`,
    [tx.tenantId],
  );
  return rows.map((row) => ({ ...row, customFields: snapshotFields(row.customFields) }));
}

/** Name of a category, deleted ones included; null when the tenant has none of that id. */
export async function findCategoryName(tx: Tx, id: string): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(
    'select name from arbiter.categories where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row?.name ?? null;
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
