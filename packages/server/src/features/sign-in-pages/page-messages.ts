/** What the pages say. The words in the address are those of docs/design/api-access.md 4.2 and 22. */

/** Field that a refusal is about; null: none. */
export type Field = 'email' | 'password' | 'repeated' | 'name' | 'tenantName' | 'code' | null;

interface Refusal {
  readonly text: string;
  readonly field: Field;
}

const refusals: Readonly<Record<string, Refusal>> = {
  'invalid-credentials': {
    text: 'The address or the password is wrong. After five wrong passwords in a row sign-in is locked for 15 minutes.',
    field: 'password',
  },
  'email-not-verified': {
    text: 'Your address is not confirmed yet. Follow the link in the mail that we sent you.',
    field: null,
  },
  'sso-required': { text: 'Your organization signs in by single sign-on.', field: null },
  'invalid-token': { text: 'This link is not valid. It may have been used, or replaced by a newer one.', field: null },
  'expired-token': { text: 'This link is too old.', field: null },
  'expired-link': { text: 'This sign-in link was used, or is too old. Sign in with your password.', field: null },
  'expired-step': { text: 'Signing in took too long. Please begin again.', field: null },
  'invalid-code': {
    text: 'This code is wrong, or was used before. Wait for the next one and try again.',
    field: 'code',
  },
  'invalid-backup-code': { text: 'This backup code is wrong, or was used before.', field: 'code' },
  'invalid-email': { text: 'Enter an e-mail address, such as name@example.com.', field: 'email' },
  'invalid-name': { text: 'Enter a name of at most 100 characters.', field: 'name' },
  'no-name': { text: 'Enter your name, with at most 100 characters.', field: 'name' },
  'invalid-tenant-name': { text: 'Enter a name of at most 100 characters, or none.', field: 'tenantName' },
  'weak-password': {
    text: 'Choose a password of 8 to 128 characters, with at least one upper-case letter and one digit.',
    field: 'password',
  },
  'no-match': { text: 'The two passwords are not the same.', field: 'repeated' },
  google: { text: 'Signing in with Google did not work. Please try again.', field: null },
  sso: { text: 'Single sign-on did not work. Please try again, or ask your administrator.', field: null },
  'registration-disabled': { text: 'There is no account with this address, and nobody can sign up here.', field: null },
  'no-mail': { text: 'This server can send no mail yet, so no account can be made. Ask whoever runs it.', field: null },
  'too-many': { text: 'Too many mails were asked for. Please try again in an hour.', field: null },
};

const unknown: Refusal = { text: 'That did not work. Please try again.', field: null };

/** What a word in the address says; null without one. */
export function refusalOf(word: string | undefined): Refusal | null {
  if (word === undefined || word === '') return null;
  return Object.hasOwn(refusals, word) ? (refusals[word] ?? unknown) : unknown;
}
