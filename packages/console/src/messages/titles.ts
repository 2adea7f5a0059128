/** Titles of screens. The sidebar and the palette need them before a screen and its texts load. */
export const titles = {
  account: 'Your account',
  apiKeys: 'API keys',
  audit: 'Audit log',
  health: 'Health',
  home: 'Home',
  people: 'People',
  settings: 'Settings',
  signIn: 'Sign in',
} as const;
