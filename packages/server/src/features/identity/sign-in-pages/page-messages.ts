/** What the pages say. The words in the address are those of docs/design/api-access.md 4.2 and 22. */

/** Field that a refusal is about; null: none. */
export type FormField = 'email' | 'password' | 'repeated' | 'name' | 'tenantName' | 'code' | null;

interface Refusal {
  readonly text: string;
  readonly field: FormField;
}

const refusals: Readonly<Record<string, Refusal>> = {
  'invalid-credentials': {
    text: 'The email or password is wrong. After five wrong passwords in a row, sign-in is locked for 15 minutes.',
    field: 'password',
  },
  'email-not-verified': {
    text: "Your email address isn't verified yet. Follow the link we emailed you.",
    field: null,
  },
  'sso-required': { text: 'Your organization uses single sign-on.', field: null },
  'invalid-token': { text: "This link isn't valid. It may have been used or replaced by a newer one.", field: null },
  'expired-token': { text: 'This link has expired.', field: null },
  'expired-link': {
    text: 'This sign-in link has expired or was already used. Sign in with your password.',
    field: null,
  },
  'expired-step': { text: 'Your sign-in timed out. Start again.', field: null },
  'invalid-code': {
    text: 'This code is wrong or was already used. Wait for the next one and try again.',
    field: 'code',
  },
  'invalid-backup-code': { text: 'This backup code is wrong or was already used.', field: 'code' },
  'invalid-email': { text: 'Enter an email address, such as name@example.com.', field: 'email' },
  'invalid-name': { text: 'Enter a name of at most 100 characters.', field: 'name' },
  'no-name': { text: 'Enter your name, at most 100 characters.', field: 'name' },
  'invalid-tenant-name': { text: 'Enter a name of at most 100 characters, or leave it empty.', field: 'tenantName' },
  'weak-password': {
    text: 'Choose a password of 8 to 128 characters, with at least one uppercase letter and one digit.',
    field: 'password',
  },
  'no-match': { text: "The passwords don't match.", field: 'repeated' },
  google: { text: "We couldn't sign you in with Google. Try again.", field: null },
  sso: { text: "Single sign-on didn't work. Try again, or ask your administrator.", field: null },
  'registration-disabled': {
    text: 'There is no account with this email address, and sign-up is disabled on this server.',
    field: null,
  },
  'no-mail': { text: "This server can't send email yet, so accounts can't be created. Ask its operator.", field: null },
  'too-many': { text: "You've requested too many emails. Try again in an hour.", field: null },
};

const unknown: Refusal = { text: 'Something went wrong. Try again.', field: null };

/** What a word in the address says; null without one. */
export function refusalOf(word: string | undefined): Refusal | null {
  if (word === undefined || word === '') return null;
  return Object.hasOwn(refusals, word) ? (refusals[word] ?? unknown) : unknown;
}
