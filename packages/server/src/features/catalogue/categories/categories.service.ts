import type { Category, CustomField, SubCategory } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { isObject } from '../../../platform/json.ts';
import {
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
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { type CategoryRow, categorySpec, type SubCategoryRow, subCategorySpec } from './categories.store.ts';
import {
  brokenFormulas,
  customFieldProblems,
  effectiveFields,
  normaliseCustomFields,
  retypedFields,
} from './custom-fields.rules.ts';

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
  if (errors.length > 0) throw new AppError('validation_failed', { detail: 'Some customFields are invalid.', errors });
  return normaliseCustomFields(fields);
}

type Holder = 'category' | 'subCategory';

const nouns = { category: 'category', subCategory: 'sub-category' } as const;
const columns = { category: 'categoryId', subCategory: 'subCategoryId' } as const;

/**
 * 409 `in_use` while live offers hold a value that the new type of a field does not take. `redefined`: the keys that a
 * sub-category defines itself, by its id; a change of the category does not reach the values of its offers.
 */
async function assertValuesFit(
  tx: Tx,
  holder: Holder,
  id: string,
  retyped: readonly CustomField[],
  redefined: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  if (retyped.length === 0) return;
  const found = await readReferring(tx, 'offer', columns[holder], [id], ['name', 'metadata', 'subCategoryId']);
  const misfits = (found.get(id) ?? []).filter((offer) => {
    const values = customValues(offer.metadata);
    const own = redefined.get(offer.subCategoryId ?? '');
    return retyped.some((field) => {
      const value = Object.hasOwn(values, field.key) ? values[field.key] : null;
      return own?.has(field.key) !== true && value !== null && !fitsCustomField(field, value);
    });
  });
  if (misfits.length === 0) return;
  throw inUse(
    nouns[holder],
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

/** Kept as they are until the transaction ends: what is validated against them must still be valid when it's stored. */
async function fieldsOfCategory(tx: Tx, categoryId: string): Promise<readonly CustomField[]> {
  return (await findRecords(tx, categorySpec, 'id', [categoryId], 'keep'))[0]?.customFields ?? [];
}

/** 400 when the new fields of a category break formulas of its sub-categories, which may name them. */
function assertFormulasHold(children: readonly SubCategoryRow[], inherited: readonly CustomField[]): void {
  const errors = children.flatMap((child) =>
    brokenFormulas(child.customFields, inherited).map(({ key, message }) => ({
      path: '/customFields',
      message: `breaks the formula of ${key} in sub-category ${JSON.stringify(child.name)} (${child.id}): ${message}`,
    })),
  );
  refuseProblems(errors);
}

/**
 * Locked against deletion when fields change, which also waits for offers that are being written with the fields as they
 * were: their values must be judged by one definition.
 */
const lockFor = ({ customFields }: RecordChange<CategoryRow>) => (customFields === undefined ? 'change' : 'delete');

export async function changeCategory(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<CategoryRow>,
): Promise<CategoryRow> {
  return updateRecord(tx, categorySpec, id, {
    rowVersion,
    lock: lockFor(changes),
    async change(current) {
      if (changes.customFields === undefined) return changes;
      const customFields = checkedFields(changes.customFields);
      const children = await findRecords(tx, subCategorySpec, 'categoryId', [current.id]);
      assertFormulasHold(children, customFields);
      const redefined = new Map(
        children.map((child) => [child.id, new Set(child.customFields.map((field) => field.key))]),
      );
      await assertValuesFit(tx, 'category', current.id, retypedFields(current.customFields, customFields), redefined);
      return { ...changes, customFields };
    },
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
    lock: lockFor(changes),
    async change(current) {
      if (changes.customFields === undefined) return changes;
      const inherited = await fieldsOfCategory(tx, current.categoryId);
      const customFields = checkedFields(changes.customFields, inherited);
      // A field that is taken over from the category, or given back to it, may change its type as well.
      const retyped = retypedFields(
        effectiveFields(inherited, current.customFields),
        effectiveFields(inherited, customFields),
      );
      await assertValuesFit(tx, 'subCategory', current.id, retyped, new Map());
      return { ...changes, customFields };
    },
  });
}
