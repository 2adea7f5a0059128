import { formPage } from '../../http/form-page.ts';
import type { refusalOf } from './page-messages.ts';
import { emailField, field, form, goodNote, newPasswordFields, refusedNote, toSignIn } from './page-parts.ts';

/** What was typed before a refusal. */
interface Typed {
  readonly name?: string;
  readonly email?: string;
  readonly tenantName?: string;
}

/** Asks for what an account needs (contract part 1, 4.3). */
export function registerView(base: string, refused: ReturnType<typeof refusalOf>, typed: Typed): string {
  const { name = '', email = '', tenantName = '' } = typed;
  return formPage({
    heading: 'Create an account',
    isRefused: refused !== null,
    body:
      refusedNote(refused) +
      '<p class="soft">You get a tenant of your own, and a mail with a link that confirms your address.</p>' +
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
              help: 'Your company or team. Without one it is made of your name.',
              autocomplete: 'organization',
              maxLength: 100,
              value: tenantName,
              isOptional: true,
            },
            refused,
          ) +
          newPasswordFields(refused, name !== ''),
        'Create the account',
      ) +
      toSignIn(base),
  });
}

/** The same for every address: whether it has an account is told by mail only (docs/design/quality.md T29). */
export function registeredView(base: string): string {
  const said = 'A mail is on its way. Follow the link in it to confirm your address, then sign in.';
  return formPage({ heading: 'Check your email', body: goodNote(said) + toSignIn(base) });
}

/** REGISTRATION=off. */
export function closedView(base: string): string {
  return formPage({
    heading: 'No sign-up here',
    isRefused: true,
    body: `<p>On this server, accounts are made by invitation. Ask an administrator to invite you.</p>${toSignIn(base)}`,
  });
}
