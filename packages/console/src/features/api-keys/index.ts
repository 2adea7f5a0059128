import { KeyRound } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const apiKeys = feature({
  name: 'api-keys',
  screens: [
    {
      path: '/settings/api-keys',
      title: titles.apiKeys,
      needs: 'admin',
      rail: { group: 'operate', order: 80, icon: KeyRound },
      load: () => import('./api-keys-page.tsx').then((m) => m.ApiKeysPage),
    },
  ],
});
