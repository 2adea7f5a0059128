/** Texts of the dialog that leads to another tenant of the same person. */
export const tenantSwitchTexts = {
  title: 'Your tenants',
  lead: 'Each tenant has an account of yours with a password of its own. Your session here ends when you go.',
  list: 'Tenants',
  current: 'you are here',
  playground: 'playground',
  alone: 'There is no other tenant to go to.',
  aloneWhy:
    'Tenants are listed whose account has the same e-mail address, proven by a mailed link or by Google, when you have signed in by password or Google. A printed link or single sign-on opens one tenant alone.',
  intoTitle: (tenant: string) => `Go to ${tenant}`,
  intoText: 'Sign in with the password that you have there.',
  password: 'Password',
  go: (tenant: string) => `Go to ${tenant}`,
  withGoogle: 'I sign in with Google there',
  otherGoogle: 'Google does not open that account',
  otherGoogleText: 'It was not made with the Google account that you use here. Go on with its password.',
  back: 'Back to the list',
  setup: 'This tenant wants a second factor and you have none there yet.',
  setupAct: 'Set it up on its sign-in page',
  sso: 'Single sign-on of this tenant',
} as const;
