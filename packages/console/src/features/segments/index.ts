import { UsersRound } from 'lucide-react';
import { segmentTexts } from '../../messages/segments.ts';
import { feature } from '../../route/feature.ts';

export const segments = feature({
  name: 'segments',
  screens: [
    {
      path: '/segments',
      title: segmentTexts.segments,
      rail: { group: 'audience', order: 20, icon: UsersRound },
      load: () => import('./segment-list.tsx').then((module) => module.SegmentList),
    },
    {
      path: '/segments/$id',
      title: segmentTexts.segment,
      load: () => import('./segment-page.tsx').then((module) => module.SegmentPage),
    },
  ],
});
