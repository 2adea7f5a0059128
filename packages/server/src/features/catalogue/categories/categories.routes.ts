import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import {
  changeCategory,
  changeSubCategory,
  createCategory,
  createSubCategory,
  deleteCategory,
  deleteSubCategory,
  showCategories,
  showSubCategories,
} from './categories.service.ts';
import { categorySpec, subCategorySpec } from './categories.store.ts';

export const categoryRoutes = () =>
  recordHandlers(categorySpec, {
    show: showCategories,
    create: createCategory,
    change: changeCategory,
    remove: (tx, id, addressed) => noContent(deleteCategory(tx, id, addressed)),
  });

export const subCategoryRoutes = () =>
  recordHandlers(subCategorySpec, {
    show: showSubCategories,
    create: createSubCategory,
    change: changeSubCategory,
    remove: (tx, id, addressed) => noContent(deleteSubCategory(tx, id, addressed)),
  });
