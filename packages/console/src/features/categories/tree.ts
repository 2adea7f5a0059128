import type { Category, CustomField, SubCategory } from '@arbiter/contract/catalogue/categories';

type Leaf = Pick<SubCategory, 'id' | 'categoryId' | 'name' | 'status' | 'ordinal'>;

/** A category with its sub-categories, in order. */
export interface Branch<First, Second> {
  readonly category: First;
  readonly children: readonly Second[];
}

/** Combines both levels in the order of their lists. Skips sub-categories without a category. */
export function treeOf<First extends { readonly id: string }, Second extends Leaf>(
  categories: readonly First[],
  subCategories: readonly Second[],
): readonly Branch<First, Second>[] {
  return categories.map((category) => ({
    category,
    children: subCategories.filter(({ categoryId }) => categoryId === category.id),
  }));
}

/** A field that offers inherit, and where it's defined. */
export interface CarriedField extends CustomField {
  readonly inherited: boolean;
}

/** Returns a node's own fields, then those of its category that it doesn't override. */
export function fieldsOf(own: readonly CustomField[], above: readonly CustomField[] = []): readonly CarriedField[] {
  const names = new Set(own.map(({ key }) => key));
  return [
    ...own.map((field) => ({ ...field, inherited: false })),
    ...above.filter(({ key }) => !names.has(key)).map((field) => ({ ...field, inherited: true })),
  ];
}

export type Node =
  | { readonly level: 1; readonly record: Category }
  | { readonly level: 2; readonly record: SubCategory; readonly parent: Category | null };

/** Returns the node with this ID; without an ID, the first category. */
export function nodeOf(
  id: string | undefined,
  categories: readonly Category[],
  subCategories: readonly SubCategory[],
): Node | null {
  const category = id === undefined ? categories[0] : categories.find((one) => one.id === id);
  if (category !== undefined) return { level: 1, record: category };
  const record = subCategories.find((one) => one.id === id);
  if (record === undefined) return null;
  return { level: 2, record, parent: categories.find((one) => one.id === record.categoryId) ?? null };
}
