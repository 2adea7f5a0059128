/** Texts of the dialog that switches tenants. */
export const tenantSwitchTexts = {
  title: 'Your tenants',
  lead: 'You have a separate account and password in each tenant. Switching ends your session here.',
  list: 'Tenants',
  current: 'current',
  playground: 'playground',
  alone: 'You have no other tenants.',
  aloneWhy:
    "This list shows tenants where you have an account with the same verified email. It's available after signing in with a password or Google, not with single sign-on or a setup link.",
  intoTitle: (tenant: string) => `Switch to ${tenant}`,
  intoText: 'Enter your password for this tenant.',
  password: 'Password',
  go: (tenant: string) => `Switch to ${tenant}`,
  withGoogle: 'Use Google instead',
  otherGoogle: "Google sign-in doesn't work for this account",
  otherGoogleText: "It isn't linked to the Google account you use here. Enter its password instead.",
  back: 'Back to tenants',
  setup: "This tenant requires a second factor, and you haven't set one up there.",
  setupAct: 'Set it up on its sign-in page',
  sso: 'Use single sign-on',
} as const;
