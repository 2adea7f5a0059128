import { recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const categories = feature({
  name: 'categories',
  screens: recordScreens(recordKinds.category, {
    list: () => import('./category-page.tsx').then((module) => module.CategoryPage),
    record: null,
  }),
});
