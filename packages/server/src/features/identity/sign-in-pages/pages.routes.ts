import type { Handlers } from '../../../http/handler.ts';
import { loginPages } from './login.pages.ts';
import type { pageOperations } from './page-operations.ts';
import { createPageReplies } from './page-replies.ts';
import type { PagePorts } from './pages.ports.ts';
import { passwordPages } from './password.pages.ts';
import { signUpPages } from './sign-up.pages.ts';

/** Handlers of the pages without script (docs/design/api-settled.md "Access and console"). */
export function pageRoutes(ports: PagePorts): Handlers<typeof pageOperations> {
  const pages = createPageReplies(ports);
  return { ...loginPages(ports, pages), ...passwordPages(pages), ...signUpPages(ports, pages) };
}
