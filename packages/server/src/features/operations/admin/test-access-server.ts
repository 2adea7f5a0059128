import assert from 'node:assert/strict';
import {
  adminRlsOperations,
  apiKeyOperations,
  auditLogOperations,
  type Operation,
  oauthOperations,
  sessionOperations,
  tenantOperations,
  tenantSettingsOperations,
} from '@arbiter/contract';
import type { FastifyInstance } from 'fastify';
import { createDatabase, type Database, systemActor, type Tx } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { operationsOf } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { createRateLimitStore } from '../../../http/limits/rate-limit.ts';
import type { Authenticate } from '../../../http/principal.ts';
import { createTestApp } from '../../../http/test-app.ts';
import { keyOf } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { createPrivateFolder } from '../../../platform/private-folder.ts';
import { type Clock, systemClock } from '../../../platform/time/clock.ts';
import { auditFeature } from '../../identity/audit/index.ts';
import {
  type Authenticator,
  createAccessTokens,
  createApiKey,
  createAuthenticator,
  credentialsFeature,
} from '../../identity/credentials/index.ts';
import { readSettings, settingsFeature } from '../../identity/settings/index.ts';
import { createTenant, tenantsFeature } from '../../identity/tenants/index.ts';
import { adminRlsRoutes } from './admin.routes.ts';

const pepper = keyOf('a pepper for tests');
const modules: readonly Readonly<Record<string, Operation>>[] = [
  adminRlsOperations,
  apiKeyOperations,
  auditLogOperations,
  oauthOperations,
  sessionOperations,
  tenantOperations,
  tenantSettingsOperations,
];
/** The operations of the access features. */
export const accessOperations: readonly Operation[] = modules.flatMap((module) => Object.values(module));

/** A tenant with one key per role. */
export interface TestTenant {
  readonly id: string;
  readonly admin: string;
  readonly editor: string;
  readonly viewer: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails when it is not there.
  readonly body: any;
}

export interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One process of the access features on the test database. */
export interface AccessNode {
  readonly database: Database;
  readonly authenticator: Authenticator;
  /** Sends a request with the header `X-Requested-With`; `key` null = no credential. */
  call(key: string | null, method: string, url: string, call?: Call): Promise<Answer>;
  close(): Promise<void>;
}

export interface AccessServer extends AccessNode {
  readonly db: TestDatabase;
  /** Another process on the same database. */
  openNode(): Promise<AccessNode>;
  makeTenant(options?: { readonly isPlayground?: boolean }): Promise<TestTenant>;
}

async function openNode(database: Database, clock: Clock): Promise<AccessNode> {
  const authenticator = createAuthenticator({ database, pepper, clock });
  const accessTokens = createAccessTokens({ database, secret: 'a signing secret for tests', clock });
  await database.listening();
  const authenticate: Authenticate = (presented, beforeLookUp) =>
    (presented.kind === 'accessToken' ? accessTokens : authenticator).authenticate(presented, beforeLookUp);
  const handlers = new Map([
    ...handlerEntries(adminRlsOperations, adminRlsRoutes()),
    ...operationsOf([auditFeature, credentialsFeature, settingsFeature, tenantsFeature], {
      database,
      authenticate,
      pepper,
      accessTokens,
      rateLimits: createRateLimitStore(database),
      chainProof: { checkpointKeys: [], exportFolder: createPrivateFolder('no exports here') },
      readTimezone: async (tx: Tx) => (await readSettings(tx)).timezone,
      hasData: async () => true,
      keepsProfile: async () => false,
      recordableColumns: async () => new Set<string>(),
      recordableSegments: async () => new Set<string>(),
      rebuildRealtime: async () => Promise.resolve(),
      storesSecondFactors: true,
      isDemoMode: false,
      resets: [],
    }),
  ]);
  const operations = Object.fromEntries(accessOperations.map((operation) => [operation.id, operation]));
  const { app } = createTestApp({ operations, handlers, database, authenticate, clock });
  return {
    database,
    authenticator,
    call: (key, method, url, call = {}) => send(app, key, method, url, call),
    async close() {
      authenticator.close();
      accessTokens.close();
      await app.close();
    },
  };
}

async function send(
  app: FastifyInstance,
  key: string | null,
  method: string,
  url: string,
  call: Call,
): Promise<Answer> {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: {
      'x-requested-with': 'XMLHttpRequest',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { payload: JSON.stringify(call.body) }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.payload === '' ? null : JSON.parse(response.payload),
  };
}

/** The access features over HTTP on a database of the test's own. */
export async function createAccessServer(clock: Clock = systemClock): Promise<AccessServer> {
  const db = await createTestDatabase({ clock });
  const node = await openNode(db.database, clock);
  const others: { readonly node: AccessNode; readonly database: Database }[] = [];
  return {
    ...node,
    db,
    async openNode() {
      const database = createDatabase({ url: db.url, clock });
      const opened = await openNode(database, clock);
      others.push({ node: opened, database });
      return opened;
    },
    async makeTenant({ isPlayground = false } = {}) {
      const id = newId();
      return db.database.withTenant(id, systemActor('test'), async (tx) => {
        await createTenant(tx, { name: 'Test', isPlayground, bootstrapName: null }, []);
        const key = async (...scopes: ('read' | 'write' | 'admin')[]) =>
          (await createApiKey(tx, pepper, { scopes, name: scopes.join() })).key;
        return { id, admin: await key('admin'), editor: await key('write'), viewer: await key('read') };
      });
    },
    async close() {
      for (const other of others) {
        await other.node.close();
        await other.database.close();
      }
      await node.close();
      await db.close();
    },
  };
}

/** Asks until the answer is as wanted, at most so long. */
export async function eventually(withinMs: number, holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
