import { apiKeyOperations, oauthOperations, sessionOperations, userCredentialOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { apiKeyRoutes } from './api-keys.routes.ts';
import { type OAuthDependencies, oauthRoutes } from './oauth.routes.ts';
import { ownedCredentialRoutes } from './owned-credentials.routes.ts';
import { type SessionDependencies, sessionRoutes } from './session.routes.ts';

export { type AccessTokens, createAccessTokens } from './access-tokens.ts';
export type { Pepper } from './api-keys.rules.ts';
export {
  createApiKey,
  ensureApiKey,
  findKeyOwners,
  type NewApiKey,
} from './api-keys.service.ts';
export { type Authenticator, createAuthenticator } from './authenticator.ts';
export { isSamePerson, personBehind } from './people-behind.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['api_keys', 'api_key_uses', 'oauth_clients'];

export const credentialsFeature = feature({
  name: 'credentials',
  tables,
  resets: {
    keeps: {
      api_keys: 'the account and its credentials are kept',
      api_key_uses: 'when those were last used',
      oauth_clients: 'the account and its credentials are kept',
    },
  },
  operations: (ports: SessionDependencies & OAuthDependencies) => [
    ...handlerEntries(apiKeyOperations, apiKeyRoutes(ports)),
    ...handlerEntries(oauthOperations, oauthRoutes(ports)),
    ...handlerEntries(userCredentialOperations, ownedCredentialRoutes()),
    ...handlerEntries(sessionOperations, sessionRoutes(ports)),
  ],
});
