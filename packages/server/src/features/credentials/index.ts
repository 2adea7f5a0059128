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
