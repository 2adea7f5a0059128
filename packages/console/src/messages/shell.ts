import type { RailGroup } from '../route/feature.ts';

/** Texts of the frame around every page. */
export const shellTexts = {
  product: 'Arbiter',
  skip: 'Skip to content',
  navigation: 'Navigation',
  collapse: 'Collapse sidebar',
  expand: 'Expand sidebar',
  openPages: 'Open navigation',
  closePages: 'Close navigation',
  search: 'Search',
  help: 'Help',
  keys: 'Keyboard shortcuts',
  apiDocuments: 'API documentation',
  account: (name: string) => `${name}'s account`,
  ownAccount: 'Your account',
  role: (role: string) => `Role: ${role}`,
  theme: 'Theme',
  themes: { dark: 'Dark', light: 'Light', system: 'Match the system' },
  themeAct: (theme: string) => `Theme: ${theme}`,
  signOut: 'Sign out',
  tenant: (name: string) => `Tenant: ${name}`,
  ready: 'Ready',
  notReady: 'Not ready',
  unknownReady: 'Unknown',
  health: (word: string) => `Server: ${word}`,
  version: (version: string) => `Version ${version}`,
} as const;

/** Banners above the page. */
export const bannerTexts = {
  unavailable: 'The server is unavailable. You may be seeing older data. This page retries automatically.',
  unreachable: "Can't reach the server. You may be seeing older data. This page retries automatically.",
  quota: (used: number, limit: number) => `You've used ${used} of ${limit} decisions in this playground.`,
  quotaUsedUp: "You've used every decision in this playground. Reset it in the settings, or use your own tenant.",
  sessionEnds: (seconds: number) =>
    seconds > 60
      ? `Your session ends in ${Math.ceil(seconds / 60)} minutes.`
      : `Your session ends in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  signInAgain: 'Sign in again',
} as const;

export const signInAgainTexts = {
  title: "You're signed out",
  description: 'Your session has ended. Sign in to continue where you left off. Nothing on this page is lost.',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  sso: 'Single sign-on (opens a new window)',
  ssoHelp: 'This page continues when you come back.',
  leave: 'Leave page',
  setup: 'Your tenant requires a second factor. Set it up on the sign-in page.',
} as const;

/** Texts of the tenant switcher. */
export const tenantTexts = {
  act: 'Switch tenant',
  here: (tenant: string) => `Tenant: ${tenant}. Switch tenant`,
} as const;

/** Headings of the sidebar. Pages in `home` come first and have no heading. */
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
