import { recordHandlers } from '../catalogue-records/index.ts';
import {
  changeCategory,
  changeSubCategory,
  createCategory,
  createSubCategory,
  showCategories,
  showSubCategories,
} from './categories.service.ts';
import { categorySpec, subCategorySpec } from './categories.store.ts';

export const categoryRoutes = () =>
  recordHandlers(categorySpec, {
    show: showCategories,
    create: createCategory,
    change: changeCategory,
  });

export const subCategoryRoutes = () =>
  recordHandlers(subCategorySpec, {
    show: showSubCategories,
    create: createSubCategory,
    change: changeSubCategory,
  });
