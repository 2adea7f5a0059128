import type { Operation, Role } from '@arbiter/contract';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/index.ts';
import { createLogger } from '../platform/logger.ts';
import { type Clock, systemClock } from '../platform/time/clock.ts';
import { createApp } from './app.ts';
import type { AppDependencies, HttpConfig } from './app-dependencies.ts';
import type { AnyHandler } from './handler.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLoadShedder } from './limits/load-shedding.ts';
import { createRegistry } from './metrics.ts';
import type { Principal } from './principal.ts';

/** Tenants and keys of the HTTP layer's own tests. The real ones are in main/test-server.ts. */
export const tenantA = '0199a000-0000-7000-8000-00000000000a';
export const tenantB = '0199a000-0000-7000-8000-00000000000b';

function principal(name: string, role: Role, scopes: readonly string[], tenantId = tenantA): [string, Principal] {
  const key = `krn_${name.padEnd(64, '0')}`;
  return [
    key,
    {
      kind: 'apiKey',
      tenantId,
      actor: { id: `apikey:${name}`, name, role },
      role,
      scopes,
      credentialId: `apikey:${name}`,
    },
  ];
}

export const principals = new Map<string, Principal>([
  principal('admin', 'admin', ['read', 'write', 'admin', 'scim']),
  principal('editor', 'editor', ['read', 'write']),
  principal('viewer', 'viewer', ['read']),
  principal('scim', 'viewer', ['scim']),
  principal('other', 'admin', ['read', 'write', 'admin'], tenantB),
]);
const keyOf = (name: string) => `krn_${name.padEnd(64, '0')}`;
export const keys = {
  admin: keyOf('admin'),
  editor: keyOf('editor'),
  viewer: keyOf('viewer'),
  scim: keyOf('scim'),
  otherTenant: keyOf('other'),
  unknown: keyOf('nobody'),
};

const testConfig: HttpConfig = {
  secrets: { METRICS_TOKEN: null },
  trustedProxies: [],
  corsAllowedOrigins: [],
  rateLimitDefaultPerMinute: 0,
  recommendRatePerMinute: 0,
  publicUrl: 'http://localhost:3000',
};

export interface TestApp {
  readonly app: FastifyInstance;
  readonly lifecycle: Lifecycle;
  /** Log lines so far, parsed. */
  readonly log: Record<string, unknown>[];
}

export interface TestAppOptions extends Partial<Omit<AppDependencies, 'operations' | 'config'>> {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly config?: Partial<HttpConfig>;
  readonly database?: Database;
  readonly clock?: Clock;
}

/** Creates an app over the test's own operations, with the keys above. */
export function createTestApp(options: TestAppOptions): TestApp {
  const log: Record<string, unknown>[] = [];
  const lifecycle = createLifecycle();
  const noDatabase: AppDependencies['database'] = {
    withTenant: () => Promise.reject(new Error('this test has no database')),
    withSystem: () => Promise.reject(new Error('this test has no database')),
  };
  const app = createApp({
    database: noDatabase,
    authenticate: (presented) => principals.get(presented.value) ?? null,
    clock: systemClock,
    logger: createLogger('info', { write: (line) => log.push(JSON.parse(line)) }),
    registry: createRegistry('test'),
    lifecycle,
    // A busy test machine must not shed calls. Shedding has its own tests with their own shedder.
    loadShedder: createLoadShedder(() => 0),
    answerWithinMs: 30_000,
    readyChecks: async () => ({
      database: 'ok',
      migrations: 'ok',
      role: 'ok',
      queueConsumer: 'off',
      scheduler: 'off',
    }),
    version: 'test',
    checkResponses: true,
    ...options,
    config: { ...testConfig, ...options.config },
  });
  return { app, lifecycle, log };
}
