import { FolderTree } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const categories = feature({
  name: 'categories',
  screens: [
    {
      path: '/categories',
      title: catalogueTitles.categories,
      rail: { group: 'catalogue', order: 30, icon: FolderTree },
      load: () => import('./category-page.tsx').then((module) => module.CategoryPage),
    },
  ],
});
