import type { RailGroup } from '../route/feature.ts';

/** Texts of the frame around every page. */
export const shellTexts = {
  product: 'Arbiter',
  skip: 'Skip to the page',
  navigation: 'Pages',
  collapse: 'Make the rail narrow',
  expand: 'Make the rail wide',
  openPages: 'Open the pages',
  closePages: 'Close the pages',
  search: 'Search',
  help: 'Help',
  keys: 'Keys',
  apiDocuments: 'Documents of the API',
  account: (name: string) => `Account of ${name}`,
  ownAccount: 'Your account',
  role: (role: string) => `Role ${role}`,
  theme: 'Theme',
  themes: { dark: 'Dark', light: 'Light', system: 'Match the system' },
  themeAct: (theme: string) => `Theme: ${theme}`,
  signOut: 'Sign out',
  tenant: (name: string) => `Tenant ${name}`,
  ready: 'Ready',
  notReady: 'Not ready',
  unknownReady: 'Not known',
  health: (word: string) => `Server: ${word}`,
  version: (version: string) => `Version ${version}`,
} as const;

/** What is said over the whole page. */
export const bannerTexts = {
  unavailable: 'The server cannot answer at the moment. What is shown may be old; the page tries again by itself.',
  unreachable:
    'No answer: the network or the server is away. What is shown may be old; the page tries again by itself.',
  quota: (used: number, limit: number) => `${used} of ${limit} decisions of this playground are used.`,
  quotaGone: 'All decisions of this playground are used. Reset it in the settings, or use a tenant of your own.',
  sessionEnds: (seconds: number) =>
    seconds > 60
      ? `Your session ends in ${Math.ceil(seconds / 60)} minutes.`
      : `Your session ends in ${seconds} seconds.`,
  signInAgain: 'Sign in again',
} as const;

export const signInAgainTexts = {
  title: 'You are signed out',
  description: 'The session has ended. Sign in and go on where you are; nothing on the page is lost.',
  email: 'E-mail address',
  password: 'Password',
  signIn: 'Sign in',
  sso: 'Single sign-on, in a new window',
  ssoHelp: 'This page goes on when you come back to it.',
  leave: 'Leave the page',
  setup: 'Your tenant wants a second factor and you have none yet. Set it up on the sign-in page.',
} as const;

/** Of the switch between the tenants of one person. */
export const tenantTexts = {
  act: 'Go to another tenant',
  here: (tenant: string) => `Tenant ${tenant}, change`,
} as const;

/** Headings of the rail; pages of `home` stand above the groups without one. */
export const railGroupTitles: Readonly<Record<RailGroup, string>> = {
  home: '',
  decide: 'Decide',
  catalogue: 'Catalogue',
  guard: 'Guard',
  audience: 'Audience',
  data: 'Data',
  reach: 'Reach',
  learn: 'Learn',
  measure: 'Measure',
  govern: 'Govern',
  operate: 'Operate',
};
