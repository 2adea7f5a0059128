import type { Category, CustomField, SubCategory } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { isObject } from '../../platform/json.ts';
import {
  type Addressed,
  countReferring,
  createRecord,
  findRecords,
  fitsCustomField,
  inUse,
  inUseEntry,
  type NewRecord,
  type RecordChange,
  readReferring,
  readRelated,
  requireLive,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { type CategoryRow, categorySpec, type SubCategoryRow, subCategorySpec } from './categories.store.ts';
import { customFieldProblems, normaliseCustomFields, retypedFields } from './custom-fields.rules.ts';

/** Categories as answers carry them, with their sub-categories and the number of their offers. */
export async function showCategories(tx: Tx, rows: readonly CategoryRow[]): Promise<Category[]> {
  const ids = rows.map((row) => row.id);
  const offers = await countReferring(tx, 'offer', 'categoryId', ids);
  const children = await readReferring(tx, 'subCategory', 'categoryId', ids, ['name', 'status', 'ordinal']);
  return rows.map((row) => ({
    ...toWire(row),
    subCategories: (children.get(row.id) ?? [])
      .map(({ id, name, status, ordinal }) => ({ id, name, status, ordinal }))
      .sort((a, b) => a.ordinal - b.ordinal || (a.name < b.name ? -1 : 1)),
    _count: { offers: offers.get(row.id) ?? 0 },
  }));
}

/** Sub-categories as answers carry them, with their category and the number of their offers. */
export async function showSubCategories(tx: Tx, rows: readonly SubCategoryRow[]): Promise<SubCategory[]> {
  const offers = await countReferring(
    tx,
    'offer',
    'subCategoryId',
    rows.map((row) => row.id),
  );
  const parents = await readRelated(
    tx,
    'category',
    rows.map((row) => row.categoryId),
    ['name'],
  );
  return rows.map((row) => ({
    ...toWire(row),
    category: { id: row.categoryId, name: parents.get(row.categoryId)?.name ?? '' },
    _count: { offers: offers.get(row.id) ?? 0 },
  }));
}

/** Definitions in the stored spelling; 400 with one entry per problem. `inherited`: the fields of the category. */
function checkedFields(fields: readonly CustomField[], inherited: readonly CustomField[] = []): CustomField[] {
  const errors = customFieldProblems(fields, inherited);
  if (errors.length > 0) throw new AppError('validation_failed', { detail: 'customFields are not valid.', errors });
  return normaliseCustomFields(fields);
}

/** 409 `in_use` while live offers hold a value that the new type of a field does not take. */
async function assertValuesFit(
  tx: Tx,
  noun: string,
  column: 'categoryId' | 'subCategoryId',
  id: string,
  retyped: readonly CustomField[],
): Promise<void> {
  if (retyped.length === 0) return;
  const offers = (await readReferring(tx, 'offer', column, [id], ['name', 'metadata'])).get(id) ?? [];
  const misfits = offers.filter((offer) => {
    const values = customValues(offer.metadata);
    return retyped.some((field) => Object.hasOwn(values, field.key) && !fitsCustomField(field, values[field.key]));
  });
  if (misfits.length === 0) return;
  throw inUse(
    noun,
    misfits.map((offer) => ({
      ...inUseEntry('path', 'offer', offer.name, offer.id),
      path: '/customFields',
    })),
  );
}

function customValues(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return isObject(metadata.customFields) ? metadata.customFields : {};
}

export async function createCategory(tx: Tx, body: NewRecord<CategoryRow>): Promise<CategoryRow> {
  const customFields = checkedFields(body.customFields ?? []);
  return createRecord(tx, categorySpec, { ...body, customFields });
}

/** 400 `reference_not_found` when the category is missing or deleted. */
export async function createSubCategory(
  tx: Tx,
  body: NewRecord<SubCategoryRow> & { readonly categoryId: string },
): Promise<SubCategoryRow> {
  await requireLive(tx, 'category', body.categoryId, '/categoryId');
  const customFields = checkedFields(body.customFields ?? [], await fieldsOfCategory(tx, body.categoryId));
  return createRecord(tx, subCategorySpec, { ...body, customFields });
}

async function fieldsOfCategory(tx: Tx, categoryId: string): Promise<readonly CustomField[]> {
  return (await findRecords(tx, categorySpec, 'id', [categoryId]))[0]?.customFields ?? [];
}

/** The changes with their custom fields checked and in the stored spelling. */
async function checkedChanges(
  tx: Tx,
  column: 'categoryId' | 'subCategoryId',
  current: CategoryRow,
  changes: RecordChange<CategoryRow>,
  inherited: readonly CustomField[],
): Promise<RecordChange<CategoryRow>> {
  if (changes.customFields === undefined) return changes;
  const customFields = checkedFields(changes.customFields, inherited);
  const noun = column === 'categoryId' ? 'category' : 'sub-category';
  await assertValuesFit(tx, noun, column, current.id, retypedFields(current.customFields, customFields));
  return { ...changes, customFields };
}

export async function changeCategory(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<CategoryRow>,
): Promise<CategoryRow> {
  return updateRecord(tx, categorySpec, id, {
    rowVersion,
    change: (current) => checkedChanges(tx, 'categoryId', current, changes, []),
  });
}

export async function changeSubCategory(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<CategoryRow>,
): Promise<SubCategoryRow> {
  return updateRecord(tx, subCategorySpec, id, {
    rowVersion,
    async change(current) {
      const inherited = await fieldsOfCategory(tx, current.categoryId);
      return checkedChanges(tx, 'subCategoryId', current, changes, inherited);
    },
  });
}

/** 409 `in_use` while live sub-categories or offers refer to it. */
export async function deleteCategory(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await softDeleteRecord(tx, categorySpec, id, { addressed });
}

/** 409 `in_use` while live offers refer to it. */
export async function deleteSubCategory(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await softDeleteRecord(tx, subCategorySpec, id, { addressed });
}
