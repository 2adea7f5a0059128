import { titles } from './titles.ts';

export const signInTexts = {
  title: titles.signIn,
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  codeTitle: 'Enter your code',
  back: 'Start over',
  or: 'or',
  google: 'Sign in with Google',
  sso: 'Single sign-on',
  forgotten: 'Forgot your password?',
  newHere: 'New here?',
  register: 'Create an account',
  setup: 'Your organization requires a second factor. Setting it up takes two minutes.',
  setupAct: 'Sign in and set up',
} as const;

/** Texts of the second sign-in step. */
export const secondStepTexts = {
  code: 'Authentication code',
  codeHelp: 'The 6-digit code from your authenticator app, or a backup code.',
  next: 'Continue',
} as const;
