import { titles } from './titles.ts';

/** Texts of the sign-in page. */
export const signInTexts = {
  title: titles.signIn,
  email: 'E-mail address',
  password: 'Password',
  signIn: 'Sign in',
  codeTitle: 'Enter your code',
  back: 'Begin again',
  or: 'or',
  google: 'Sign in with Google',
  sso: 'Single sign-on',
  forgotten: 'Forgot your password?',
  newHere: 'New here?',
  register: 'Create an account',
  setup: 'Your organization asks for a second factor and you have none yet. It is set up in two minutes:',
  setupAct: 'Sign in and set it up',
} as const;

/** Texts of the second step of a sign-in, wherever it is asked for. */
export const secondStepTexts = {
  code: 'Code of your app',
  codeHelp: 'The six digits that your authenticator app shows now, or one of your backup codes.',
  next: 'Go on',
} as const;
