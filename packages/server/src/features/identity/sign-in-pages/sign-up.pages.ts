import type { HandlerRequest, Handlers } from '../../../http/handler.ts';
import { isLikeAnAddress, longestName, passwordProblem } from './form-problems.ts';
import { refusalOf } from './page-messages.ts';
import type { pageOperations } from './page-operations.ts';
import { type PageReplies, refusedBy } from './page-replies.ts';
import type { PagePorts } from './pages.ports.ts';
import { closedView, registeredView, registerView } from './register-views.ts';

type PageOperations = typeof pageOperations;

/** Creating an account and its tenant. */
export function signUpPages(
  { signUp }: PagePorts,
  pages: PageReplies,
): Pick<Handlers<PageOperations>, 'register' | 'signUp'> {
  return {
    register: async ({ query }) => {
      if (query.sent === 'true') return pages.show(registeredView(pages.base));
      return pages.show(signUp.isOpen ? registerView(pages.base, null, {}) : closedView(pages.base));
    },
    signUp: async (request) => {
      pages.checkOwnForm(request.headers);
      return signUp.isOpen ? register(pages, request) : pages.show(closedView(pages.base));
    },
  };
}

const registerErrors = {
  rate_limited: 'too-many',
  validation_failed: 'invalid-email',
  not_configured: 'no-mail',
} as const;

async function register(pages: PageReplies, request: HandlerRequest<PageOperations['signUp']>) {
  const { body } = request;
  const { email = '', password = '', repeated } = body;
  const [name, tenantName] = [body.name?.trim() ?? '', body.tenantName?.trim() ?? ''];
  const account = { name, email: email.trim(), password, ...(tenantName === '' ? {} : { tenantName }) };
  const error =
    (name === '' || name.length > longestName ? 'no-name' : null) ??
    (isLikeAnAddress(email) ? null : 'invalid-email') ??
    (tenantName.length > longestName ? 'invalid-tenant-name' : null) ??
    passwordProblem(password, repeated) ??
    (await refusedBy(registerErrors, async () => {
      await request.countCall();
      return pages.call('auth.register', request, account);
    }));
  if (typeof error !== 'string') return pages.redirect('/register', { sent: 'true' });
  // Show the form instead of redirecting: names and addresses must not appear in the address bar, and nobody should have
  // to type them again.
  return pages.show(registerView(pages.base, refusalOf(error), { name, email, tenantName }));
}
