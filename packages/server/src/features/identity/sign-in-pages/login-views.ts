import { formPage } from '../../../http/answers/form-page.ts';
import { escapeHtml } from '../../../http/answers/page.ts';
import type { refusalOf } from './page-messages.ts';
import { emailField, field, form, goodNote, hidden, refusedNote } from './page-parts.ts';
import type { SignInWays } from './pages.ports.ts';
import { qrSvg } from './qr.ts';

/** What every view is given. */
export interface ViewFacts {
  /** Path of the public address. */
  readonly base: string;
  readonly refused: ReturnType<typeof refusalOf>;
  /** State passed from step to step. */
  readonly returnTo: string | undefined;
  readonly tenantId: string | undefined;
}

/** Address and password, and the other ways in. */
export function signInView(
  facts: ViewFacts,
  shown: {
    readonly email: string;
    readonly good: string | null;
    readonly ways: SignInWays;
    readonly offersResend: boolean;
  },
): string {
  const { base, refused, returnTo, tenantId } = facts;
  const { email, good, ways, offersResend } = shown;
  const carried = hidden('returnTo', returnTo) + hidden('tenantId', tenantId);
  const fields =
    emailField(refused, { value: email, isFirst: email === '' }) +
    field(
      {
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        maxLength: 1024,
        isFirst: email !== '',
      },
      refused,
    );
  const query = new URLSearchParams(returnTo === undefined ? {} : { returnTo });
  const others = [
    ways.google ? other(`${base}/api/auth/signin/google?${query}`, 'Sign in with Google') : '',
    ways.sso === null
      ? ''
      : other(`${base}/api/v1/sso/login?tenantId=${encodeURIComponent(ways.sso)}&${query}`, 'Single sign-on'),
  ].join('');
  return formPage({
    heading: 'Sign in',
    isRefused: refused !== null,
    body:
      (good === null ? '' : goodNote(good)) +
      refusedNote(refused) +
      (offersResend ? resendForm(facts, email) : '') +
      form(`${base}/login`, hidden('step', 'password') + carried + fields, 'Sign in') +
      (others === '' ? '' : `<p class="or">or</p>${others}`) +
      `<p class="more"><a href="${escapeHtml(base)}/reset-password">Forgot your password?</a></p>` +
      (ways.registration
        ? `<p class="more">New here? <a href="${escapeHtml(base)}/register">Create an account</a></p>`
        : ''),
  });
}

const other = (href: string, label: string): string =>
  `<a class="button other" href="${escapeHtml(href.replace(/[?&]$/, ''))}">${escapeHtml(label)}</a>`;

/** For who waits for the mail that confirms the address. */
function resendForm({ base }: ViewFacts, email: string): string {
  const address = email === '' ? emailField(null, { id: 'resend-email', label: 'Your email' }) : hidden('email', email);
  return `<div class="field">${form(`${base}/login`, hidden('step', 'resend') + address, 'Resend the email', 'other')}</div>`;
}

/** The code of the app, or a backup code. */
export function codeView({ base, refused, returnTo }: ViewFacts, isBackup: boolean): string {
  const carried = hidden('returnTo', returnTo) + hidden('backup', isBackup ? 'true' : undefined);
  const query = new URLSearchParams({
    step: 'code',
    ...(isBackup ? {} : { backup: 'true' }),
    ...(returnTo === undefined ? {} : { returnTo }),
  });
  const input = isBackup
    ? field(
        {
          name: 'code',
          label: 'Backup code',
          help: 'One of your ten backup codes, such as abcde-fgh23.',
          autocomplete: 'off',
          maxLength: 32,
          isFirst: true,
        },
        refused,
      )
    : field(
        {
          name: 'code',
          label: 'Code',
          help: 'The six digits that your authenticator app shows now.',
          autocomplete: 'one-time-code',
          inputMode: 'numeric',
          maxLength: 32,
          isFirst: true,
        },
        refused,
      );
  return formPage({
    heading: isBackup ? 'Use a backup code' : 'Enter your code',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      form(`${base}/login`, hidden('step', 'code') + carried + input, 'Sign in') +
      `<p class="more"><a href="${escapeHtml(`${base}/login?${query}`)}">${isBackup ? 'Use the app instead' : 'Use a backup code instead'}</a></p>`,
  });
}

/** The secret for the app, and the first code of it. */
export function setUpView(
  { base, refused, returnTo }: ViewFacts,
  { secret, otpauthUrl }: { readonly secret: string; readonly otpauthUrl: string },
): string {
  const grouped = secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
  return formPage({
    heading: 'Set up a second factor',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      '<p>Your organization requires a code from your phone in addition to your password.</p>' +
      '<ol><li>Open an authenticator app and scan this code.</li><li>Enter the six digits that the app shows.</li></ol>' +
      qrSvg(otpauthUrl, 'QR code for your authenticator app. The key below is the same.') +
      `<p class="help">Can't scan it? Type this key into the app:</p><code class="secret">${escapeHtml(grouped)}</code>` +
      form(
        `${base}/login`,
        hidden('step', 'setup') +
          hidden('returnTo', returnTo) +
          field(
            { name: 'code', label: 'Code', autocomplete: 'one-time-code', inputMode: 'numeric', maxLength: 32 },
            refused,
          ),
        'Turn on and sign in',
      ),
  });
}

/** Shown once: the person is signed in already. */
export function backupCodesView(next: string, codes: readonly string[]): string {
  return formPage({
    heading: 'Save your backup codes',
    body:
      goodNote('The second factor is on, and you are signed in.') +
      "<p>If you lose your phone, each of these codes lets you sign in once. Print them or save them in a password manager. They won't be shown again.</p>" +
      `<ul class="codes">${codes.map((code) => `<li>${escapeHtml(code)}</li>`).join('')}</ul>` +
      `<a class="button" href="${escapeHtml(next)}">I've saved them</a>`,
  });
}
