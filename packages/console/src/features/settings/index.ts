import { Settings } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const settings = feature({
  name: 'settings',
  screens: [
    {
      path: '/settings',
      title: titles.settings,
      rail: { group: 'operate', order: 90, icon: Settings },
      load: () => import('./settings-page.tsx').then((m) => m.SettingsPage),
    },
  ],
});
