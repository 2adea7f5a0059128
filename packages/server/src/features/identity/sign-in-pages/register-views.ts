import { formPage } from '../../../http/answers/form-page.ts';
import type { refusalOf } from './page-messages.ts';
import { emailField, field, form, goodNote, newPasswordFields, refusedNote, toSignIn } from './page-parts.ts';

/** The input before an error. */
interface Typed {
  readonly name?: string;
  readonly email?: string;
  readonly tenantName?: string;
}

/** Asks for what an account needs. */
export function registerView(base: string, refused: ReturnType<typeof refusalOf>, typed: Typed): string {
  const { name = '', email = '', tenantName = '' } = typed;
  return formPage({
    heading: 'Create an account',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      '<p class="soft">We\'ll create a tenant for you and email you a link to verify your address.</p>' +
      form(
        `${base}/register`,
        field(
          { name: 'name', label: 'Your name', autocomplete: 'name', maxLength: 100, value: name, isFirst: name === '' },
          refused,
        ) +
          emailField(refused, { value: email }) +
          field(
            {
              name: 'tenantName',
              label: 'Name of your tenant',
              help: 'Your company or team. Default: derived from your name.',
              autocomplete: 'organization',
              maxLength: 100,
              value: tenantName,
              isOptional: true,
            },
            refused,
          ) +
          newPasswordFields(refused, name !== ''),
        'Create account',
      ) +
      toSignIn(base),
  });
}

/** The same for every address: only an email says whether it has an account (docs/design/quality.md T29). */
export function registeredView(base: string): string {
  const message = "We've sent you an email. Follow the link in it to verify your address, then sign in.";
  return formPage({ heading: 'Check your email', body: goodNote(message) + toSignIn(base) });
}

/** REGISTRATION=off. */
export function closedView(base: string): string {
  return formPage({
    heading: 'Sign-up is disabled',
    isRefused: true,
    body: `<p>Accounts on this server are by invitation only. Ask an administrator to invite you.</p>${toSignIn(base)}`,
  });
}
