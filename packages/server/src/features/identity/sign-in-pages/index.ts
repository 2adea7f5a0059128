import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { pageOperations } from './page-operations.ts';
import type { PagePorts } from './pages.ports.ts';
import { pageRoutes } from './pages.routes.ts';

export { pageOperations } from './page-operations.ts';
export { lastTenantCookie } from './pages.ports.ts';

export const signInPagesFeature = feature({
  name: 'sign-in-pages',
  operations: (ports: PagePorts) => handlerEntries(pageOperations, pageRoutes(ports)),
});
