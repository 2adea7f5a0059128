import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

/** The user's own account, reached from the user menu. */
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
