import { Megaphone } from 'lucide-react';
import { creativeTexts } from '../../messages/creatives.ts';
import { feature } from '../../route/feature.ts';

export const creatives = feature({
  name: 'creatives',
  screens: [
    {
      path: '/creatives',
      title: creativeTexts.creatives,
      rail: { group: 'catalogue', order: 20, icon: Megaphone },
      load: () => import('./creative-list.tsx').then((module) => module.CreativeList),
    },
    {
      path: '/creatives/$id',
      title: creativeTexts.creative,
      load: () => import('./creative-page.tsx').then((module) => module.CreativePage),
    },
  ],
});
