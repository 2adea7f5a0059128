import type { CustomField } from '@arbiter/contract';
import type { SnapshotCategory, SnapshotSubCategory } from '@arbiter/engine';
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

/** Categories that offers may belong to. Inactive ones take part too: the status is for pickers (api-catalogue.md 4). */
export async function snapshotCategories(tx: Tx): Promise<SnapshotCategory[]> {
  return tx.query<SnapshotCategory>(
    'select id, name from arbiter.categories where tenant_id = $1 and deleted_at is null order by id',
    [tx.tenantId],
  );
}

/** As `snapshotCategories`, one level down. */
export async function snapshotSubCategories(tx: Tx): Promise<SnapshotSubCategory[]> {
  return tx.query<SnapshotSubCategory>(
    `select id, category_id as "categoryId", name from arbiter.sub_categories
     where tenant_id = $1 and deleted_at is null order by id`,
    [tx.tenantId],
  );
}

/** Name of a category, deleted ones included; null when the tenant has none of that id. */
export async function findCategoryName(tx: Tx, id: string): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(
    'select name from arbiter.categories where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row?.name ?? null;
}
