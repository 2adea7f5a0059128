import { UsersRound } from 'lucide-react';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { feature } from '../../route/feature.ts';

export const segments = feature({
  name: 'segments',
  screens: [
    {
      path: '/segments',
      title: catalogueTitles.segments,
      rail: { group: 'audience', order: 20, icon: UsersRound },
      load: () => import('./segment-list.tsx').then((module) => module.SegmentList),
    },
    {
      path: '/segments/$id',
      title: catalogueTitles.segment,
      load: () => import('./segment-page.tsx').then((module) => module.SegmentPage),
    },
  ],
});
