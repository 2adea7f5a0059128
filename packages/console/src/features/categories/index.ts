import { FolderTree } from 'lucide-react';
import { categoryTexts } from '../../messages/categories.ts';
import { feature } from '../../route/feature.ts';

export const categories = feature({
  name: 'categories',
  screens: [
    {
      path: '/categories',
      title: categoryTexts.categories,
      rail: { group: 'catalogue', order: 30, icon: FolderTree },
      load: () => import('./category-page.tsx').then((module) => module.CategoryPage),
    },
  ],
});
