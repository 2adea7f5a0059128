export { apiKeyRoutes } from './api-keys.routes.ts';
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
export { type SessionDependencies, sessionRoutes } from './session.routes.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['api_keys', 'api_key_uses'];
