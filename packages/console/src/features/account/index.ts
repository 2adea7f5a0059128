import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

/** The signed-in person: reached from the menu with the own name. */
export const account = feature({
  name: 'account',
  screens: [
    {
      path: '/settings/me',
      title: titles.account,
      load: () => import('./account-page.tsx').then((m) => m.AccountPage),
    },
  ],
});
