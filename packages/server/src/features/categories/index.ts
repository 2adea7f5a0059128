export { categoryRoutes, subCategoryRoutes } from './categories.routes.ts';
export { snapshotCategories, snapshotSubCategories } from './categories.store.ts';
