import { titles } from '../../messages/titles.ts';
import { feature } from '../../route/feature.ts';

/** The way in. Reset of a password and invitations are the server's own pages, which need no script. */
export const signIn = feature({
  name: 'sign-in',
  screens: [
    {
      path: '/login',
      title: titles.signIn,
      access: 'public',
      load: () => import('./login-page.tsx').then((m) => m.LoginPage),
    },
  ],
});
