export { categoryRoutes, subCategoryRoutes } from './categories.routes.ts';
export { createCategory, createSubCategory } from './categories.service.ts';
export {
  findCategoryName,
  selectCustomFieldKeys,
  snapshotCategories,
  snapshotSubCategories,
} from './categories.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['categories', 'sub_categories'];
