import type { HandlerRequest, Handlers } from '../../../http/handler.ts';
import { isLikeAnAddress, longestName, passwordProblem } from './form-problems.ts';
import { refusalOf } from './page-messages.ts';
import type { pageOperations } from './page-operations.ts';
import { type PageReplies, refusedBy } from './page-replies.ts';
import { forgotView, inviteView, newPasswordView } from './password-views.ts';

type PageOperations = typeof pageOperations;
type PasswordOperation = 'resetPassword' | 'setPassword' | 'acceptInvite' | 'join';

/** Choosing a password with the link of an email: after forgetting it, and after an invitation. */
export function passwordPages(pages: PageReplies): Pick<Handlers<PageOperations>, PasswordOperation> {
  return {
    resetPassword: async ({ query }) => {
      const refused = refusalOf(query.error);
      const { token } = query;
      if (token !== undefined && token !== '') return pages.show(newPasswordView(pages.base, refused, token));
      return pages.show(forgotView(pages.base, refused, query.sent === 'true'));
    },
    setPassword: async (request) => {
      pages.checkOwnForm(request.headers);
      const { token, password = '', repeated } = request.body;
      if (token === undefined || token === '') return requestLink(pages, request);
      const answer =
        passwordProblem(password, repeated) ??
        (await refusedBy({ validation_failed: 'weak-password', token_invalid: 'invalid-token' }, () =>
          pages.call('auth.resetPassword', request, { token, password }),
        ));
      if (typeof answer !== 'string') return pages.redirect('/login', { reset: 'true' });
      const nextToken = answer === 'invalid-token' ? undefined : token;
      return pages.redirect('/reset-password', { error: answer, token: nextToken });
    },
    acceptInvite: async ({ query }) => pages.show(inviteView(pages.base, refusalOf(query.error), query.token)),
    join: async (request) => {
      pages.checkOwnForm(request.headers);
      return join(pages, request);
    },
  };
}

async function requestLink(pages: PageReplies, request: HandlerRequest<PageOperations['setPassword']>) {
  const { email = '' } = request.body;
  const error = isLikeAnAddress(email)
    ? await refusedBy({ rate_limited: 'too-many', validation_failed: 'invalid-email' }, () =>
        pages.call('auth.forgotPassword', request, { email }),
      )
    : 'invalid-email';
  return pages.redirect('/reset-password', typeof error === 'string' ? { error } : { sent: 'true' });
}

async function join(pages: PageReplies, request: HandlerRequest<PageOperations['join']>) {
  const { body } = request;
  const { token = '', password = '', repeated } = body;
  const name = body.name?.trim() ?? '';
  if (token === '') return pages.redirect('/accept-invite', { error: 'invalid-token' });
  if (name.length > longestName) return pages.redirect('/accept-invite', { error: 'invalid-name', token });
  const answer =
    passwordProblem(password, repeated) ??
    (await refusedBy(
      { validation_failed: 'weak-password', token_invalid: 'invalid-token', sso_required: 'sso-required' },
      () => pages.call('auth.acceptInvite', request, { token, password, ...(name === '' ? {} : { name }) }),
    ));
  if (answer === 'sso-required') return pages.redirect('/login', { error: answer });
  if (typeof answer !== 'string') return pages.enter(request, answer, '/');
  return pages.redirect('/accept-invite', { error: answer, token: answer === 'invalid-token' ? undefined : token });
}
