import { googleOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type GoogleDependencies, googleRoutes } from './google.routes.ts';

export type { GoogleDependencies, GoogleProvider } from './google.routes.ts';

/** Sign-in with Google; it has no table of its own. */
export const googleFeature = feature({
  name: 'google',
  operations: (ports: GoogleDependencies) => handlerEntries(googleOperations, googleRoutes(ports)),
});
