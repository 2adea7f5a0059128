import { AppWindow } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const oauthClients = feature({
  name: 'oauth-clients',
  screens: [
    {
      path: '/settings/oauth-clients',
      title: titles.oauthClients,
      needs: 'admin',
      rail: { group: 'operate', order: 81, icon: AppWindow },
      load: () => import('./oauth-clients-page.tsx').then((m) => m.OAuthClientsPage),
    },
  ],
});
