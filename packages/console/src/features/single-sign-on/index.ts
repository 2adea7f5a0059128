import { ShieldCheck } from 'lucide-react';
import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

export const singleSignOn = feature({
  name: 'single-sign-on',
  screens: [
    {
      path: '/settings/single-sign-on',
      title: titles.singleSignOn,
      needs: 'admin',
      rail: { group: 'operate', order: 86, icon: ShieldCheck },
      load: () => import('./sso-page.tsx').then((m) => m.SsoPage),
    },
  ],
});
