import { Settings } from 'lucide-react';
import { settingsTexts } from '../../messages/settings.ts';
import { feature } from '../../route/feature.ts';

export const settings = feature({
  name: 'settings',
  screens: [
    {
      path: '/settings',
      title: settingsTexts.title,
      rail: { group: 'operate', order: 90, icon: Settings },
      load: () => import('./settings-page.tsx').then((m) => m.SettingsPage),
    },
  ],
});
