export { apiKeyRoutes } from './api-keys.routes.ts';
export { isApiKey, type Pepper, pepperOf } from './api-keys.rules.ts';
export { createApiKey, ensureApiKey, findKeyOwners, getApiKey, type NewApiKey } from './api-keys.service.ts';
export { type Authenticator, createAuthenticator } from './authenticator.ts';
