/** Titles of screens, which the rail and the palette need before a screen and its texts are loaded. */
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
