import { categoryTitles } from '../../messages/catalogue/category-titles.ts';
import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

const subForm = () => import('./category-form.tsx').then((module) => module.SubCategoryForm);

export const categories = feature({
  name: 'categories',
  screens: [
    ...recordScreens(recordKinds.category, {
      list: () => import('./category-page.tsx').then((module) => module.CategoryPage),
      record: null,
      form: () => import('./category-form.tsx').then((module) => module.CategoryForm),
    }),
    { path: '/categories/sub/new', title: categoryTitles.newSub, load: subForm },
    { path: '/categories/sub/$id/edit', title: categoryTitles.editSub, load: subForm },
  ],
  commands: [createCommand(recordKinds.category)],
});
