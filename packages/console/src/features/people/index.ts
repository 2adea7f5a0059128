import { Users } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const people = feature({
  name: 'people',
  screens: [
    {
      path: '/settings/people',
      title: titles.people,
      needs: 'admin',
      rail: { group: 'operate', order: 85, icon: Users },
      load: () => import('./people-page.tsx').then((m) => m.PeoplePage),
    },
  ],
});
