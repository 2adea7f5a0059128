/** Titles of screens. The sidebar and the palette need them before a screen and its texts load. */
export const titles = {
  account: 'Your account',
  approvals: 'Approvals',
  apiKeys: 'API keys',
  audit: 'Audit log',
  destinations: 'Destinations',
  health: 'Health',
  home: 'Home',
  oauthClients: 'OAuth clients',
  people: 'People',
  settings: 'Settings',
  signIn: 'Sign in',
  singleSignOn: 'Single sign-on',
} as const;
