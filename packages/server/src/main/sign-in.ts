import type { Database } from '../db/index.ts';
import {
  type AccessTokens,
  type Authenticator,
  createAccessTokens,
  createAuthenticator,
  type Pepper,
} from '../features/identity/credentials/index.ts';
import { createMfaTokens, type MfaTokens } from '../features/identity/second-factor/index.ts';
import { createLinks, createSessions, type Links, type Sessions } from '../features/identity/sessions/index.ts';
import { readSessionHolder } from '../features/identity/users/index.ts';
import type { Authenticate } from '../http/principal.ts';
import { keyOf } from '../platform/crypto/crypto.ts';
import { createPasswords, type Passwords } from '../platform/crypto/passwords.ts';
import type { ComposeOptions } from './compose-options.ts';

/** All ways to authenticate a caller. */
export interface SignIn {
  readonly accessTokens: AccessTokens;
  readonly authenticate: Authenticate;
  readonly authenticator: Authenticator;
  readonly links: Links;
  readonly mfaTokens: MfaTokens;
  readonly passwords: Passwords;
  readonly pepper: Pepper;
  readonly sessions: Sessions;
  /** Writes when keys were last used, before the connections close. */
  close(): Promise<void>;
}

export interface SignInOptions extends Pick<ComposeOptions, 'testOperations' | 'clock' | 'config' | 'publicUrl'> {
  readonly database: Database;
  readonly onCredentialLookup: (known: boolean) => void;
}

/** Creates credentials, sessions and the links in emails. */
export function createSignIn({
  testOperations,
  clock,
  config,
  publicUrl,
  database,
  onCredentialLookup,
}: SignInOptions): SignIn {
  const { JWT_SIGNING_SECRET, NEXTAUTH_SECRET } = config;
  const pepper = keyOf(config.API_KEY_PEPPER);
  const authenticator = createAuthenticator({ database, pepper, clock, onAsked: onCredentialLookup });
  const accessTokens = createAccessTokens({ database, secret: JWT_SIGNING_SECRET ?? NEXTAUTH_SECRET, clock });
  const sessions = createSessions({
    database,
    secret: NEXTAUTH_SECRET,
    clock,
    publicUrl,
    readHolder: readSessionHolder,
  });
  const provers = { accessToken: accessTokens, apiKey: authenticator, session: sessions };
  const real: Authenticate = (presented, beforeLookUp) => provers[presented.kind].authenticate(presented, beforeLookUp);
  return {
    accessTokens,
    authenticate: testOperations === undefined ? real : testOperations.authenticate(real),
    authenticator,
    links: createLinks(NEXTAUTH_SECRET),
    mfaTokens: createMfaTokens(NEXTAUTH_SECRET),
    passwords: createPasswords(),
    pepper,
    sessions,
    async close() {
      try {
        await authenticator.flushUses();
      } finally {
        authenticator.close();
        accessTokens.close();
        sessions.close();
      }
    },
  };
}
