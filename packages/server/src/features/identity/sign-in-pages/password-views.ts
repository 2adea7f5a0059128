import { formPage } from '../../../http/answers/form-page.ts';
import { escapeHtml } from '../../../http/answers/page.ts';
import type { refusalOf } from './page-messages.ts';
import { emailField, field, form, goodNote, hidden, newPasswordFields, refusedNote, toSignIn } from './page-parts.ts';

type RefusedPassword = ReturnType<typeof refusalOf>;

/** Asks for the mail with the link. */
export function forgotView(base: string, refused: RefusedPassword, isSent: boolean): string {
  if (isSent) {
    const message = "If there is an account with this address, we've sent you a link. It works for one hour.";
    return formPage({ heading: 'Check your email', body: goodNote(message) + toSignIn(base) });
  }
  return formPage({
    heading: 'Reset your password',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      "<p>We'll email you a link.</p>" +
      form(`${base}/reset-password`, emailField(refused, { isFirst: true }), 'Send link') +
      toSignIn(base),
  });
}

/** Sets the password by the mailed link. */
export function newPasswordView(base: string, refused: RefusedPassword, token: string): string {
  return formPage({
    heading: 'Reset your password',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      '<p class="soft">This signs you out everywhere. Then sign in with your new password.</p>' +
      form(`${base}/reset-password`, hidden('token', token) + newPasswordFields(refused, true), 'Set password'),
  });
}

/** Accepts an invitation; without a token there is nothing to accept. */
export function inviteView(base: string, refused: RefusedPassword, token: string | undefined): string {
  if (token === undefined || token === '') {
    const message = refused?.text ?? 'Open the link in your invitation email.';
    return formPage({
      heading: "This invitation can't be opened",
      isRefused: true,
      body:
        `<div class="note bad" role="alert"><p>${escapeHtml(message)}</p></div><p>Ask the person who invited you to send a new ` +
        `invitation. If you've already accepted it, sign in.</p><a class="button" href="${escapeHtml(base)}/login">Sign ` +
        'in</a>',
    });
  }
  return formPage({
    heading: 'Accept invitation',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      form(
        `${base}/accept-invite`,
        hidden('token', token) +
          field(
            { name: 'name', label: 'Your name', autocomplete: 'name', maxLength: 100, isOptional: true, isFirst: true },
            refused,
          ) +
          newPasswordFields(refused, false),
        'Accept and sign in',
      ),
  });
}
