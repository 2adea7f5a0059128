import { categoryOperations, subCategoryOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { categoryRoutes, subCategoryRoutes } from './categories.routes.ts';
import { categorySpec, subCategorySpec } from './categories.store.ts';

export { createCategory, createSubCategory } from './categories.service.ts';
export {
  readCategoryNames,
  selectCustomFieldKeys,
  snapshotCategories,
  snapshotFields,
  snapshotSubCategories,
} from './categories.store.ts';
export { customFieldProblems, normaliseCustomFields } from './custom-fields.rules.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['categories', 'sub_categories'];

export const categoriesFeature = feature({
  name: 'categories',
  tables,
  searches: [
    searchable(categorySpec, { detail: 'status' }),
    searchable(subCategorySpec, { detail: { of: categorySpec, by: 'categoryId' } }),
  ],
  resets: { empties: tables },
  restores: [restorable(categorySpec), restorable(subCategorySpec)],
  operations: () => [
    ...handlerEntries(categoryOperations, categoryRoutes()),
    ...handlerEntries(subCategoryOperations, subCategoryRoutes()),
  ],
});
