export { categoryRoutes, subCategoryRoutes } from './categories.routes.ts';
export { createCategory, createSubCategory } from './categories.service.ts';
export { findCategoryName, snapshotCategories, snapshotSubCategories } from './categories.store.ts';
