import { Megaphone } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const creatives = feature({
  name: 'creatives',
  screens: [
    {
      path: '/creatives',
      title: catalogueTitles.creatives,
      rail: { group: 'catalogue', order: 20, icon: Megaphone },
      load: () => import('./creative-list.tsx').then((module) => module.CreativeList),
    },
    {
      path: '/creatives/$id',
      title: catalogueTitles.creative,
      load: () => import('./creative-page.tsx').then((module) => module.CreativePage),
    },
  ],
});
