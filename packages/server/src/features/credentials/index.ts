import { apiKeyOperations, sessionOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { apiKeyRoutes } from './api-keys.routes.ts';
import type { Pepper } from './api-keys.rules.ts';
import { type SessionDependencies, sessionRoutes } from './session.routes.ts';

export type { Pepper } from './api-keys.rules.ts';
export {
  createApiKey,
  ensureApiKey,
  findKeyOwners,
  getApiKey,
  type NewApiKey,
  personBehind,
} from './api-keys.service.ts';
export { type Authenticator, createAuthenticator } from './authenticator.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['api_keys', 'api_key_uses'];

export const credentialsFeature = feature({
  name: 'credentials',
  tables,
  operations: (ports: SessionDependencies & { readonly pepper: Pepper }) => [
    ...handlerEntries(apiKeyOperations, apiKeyRoutes(ports)),
    ...handlerEntries(sessionOperations, sessionRoutes(ports)),
  ],
});
