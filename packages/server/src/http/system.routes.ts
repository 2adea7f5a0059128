import { createHash } from 'node:crypto';
import { openapi, type ReadyChecks, systemOperations } from '@arbiter/contract';
import { inTurns } from '../platform/turns.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { docsPage } from './docs/docs-page.ts';
import { errorsPage } from './docs/errors-page.ts';
import { type AnyHandler, type Handlers, handlerEntries, rawBytes, rawJson, reply } from './handler.ts';
import { basePath } from './web-paths.ts';

/** Handlers of health, readiness, metrics and documents (docs/design/api-access.md 19). */
export function systemHandlers(deps: AppDependencies): [string, AnyHandler][] {
  return handlerEntries(systemOperations, systemRoutes(deps));
}

const allFailed: ReadyChecks = {
  database: 'failed',
  migrations: 'failed',
  role: 'failed',
  queueConsumer: 'failed',
  scheduler: 'failed',
};

function systemRoutes(deps: AppDependencies): Handlers<typeof systemOperations> {
  const { version, registry, lifecycle, logger } = deps;
  const startedAt = performance.now();
  // Rendered on first use: a process that only decides never pays for them.
  const document = once(() => {
    const operations = Object.values(deps.operations);
    const value = openapi(operations, { version, serverUrl: deps.config.publicUrl });
    const text = JSON.stringify(value);
    return {
      value,
      bytes: Buffer.from(text),
      etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`,
    };
  });
  const docs = once(() => {
    const options = { version, serverUrl: deps.config.publicUrl };
    return inTurns(docsPage(Object.values(deps.operations), document().value, options));
  });
  const errors = once(() => errorsPage(basePath(deps.config.publicUrl)));

  return {
    health: async () =>
      reply(200, { status: 'ok', version, uptimeSeconds: Math.floor((performance.now() - startedAt) / 1000) }),
    async ready() {
      let checks = allFailed;
      try {
        checks = await deps.readyChecks();
      } catch (error) {
        logger.warn({ err: error }, 'readiness could not be checked');
      }
      const isReady = !lifecycle.draining() && !Object.values(checks).includes('failed');
      return isReady ? reply(200, { status: 'ready', checks }) : reply(503, { status: 'not_ready', checks });
    },
    metrics: async () => reply(200, await (deps.metricsText?.() ?? registry.metrics())),
    async openapi({ headers }) {
      const { bytes, etag } = document();
      const validators = { etag, 'cache-control': 'no-cache' };
      const known = headers['If-None-Match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
      if (known.includes(etag) || known.includes('*')) return reply(304, null, validators);
      return reply(200, rawJson<Record<string, unknown>>(bytes), validators);
    },
    async docs() {
      const { html, headers } = await docs();
      return reply(200, rawBytes<string>(html), headers);
    },
    errors: async () => reply(200, rawBytes<string>(errors().html), errors().headers),
  };
}

function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
