import { House } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const home = feature({
  name: 'home',
  screens: [
    {
      path: '/',
      title: titles.home,
      rail: { group: 'home', order: 0, icon: House, key: 'h' },
      load: () => import('./home-page.tsx').then((m) => m.HomePage),
    },
  ],
  jobs: { packLoad: () => import('./pack-load.ts').then((m) => m.packLoad) },
});
