import { categoryOperations, subCategoryOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { categoryRoutes, subCategoryRoutes } from './categories.routes.ts';

export { createCategory, createSubCategory } from './categories.service.ts';
export {
  findCategoryName,
  selectCustomFieldKeys,
  snapshotCategories,
  snapshotSubCategories,
} from './categories.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['categories', 'sub_categories'];

export const categoriesFeature = feature({
  name: 'categories',
  tables,
  operations: () => [
    ...handlerEntries(categoryOperations, categoryRoutes()),
    ...handlerEntries(subCategoryOperations, subCategoryRoutes()),
  ],
});
