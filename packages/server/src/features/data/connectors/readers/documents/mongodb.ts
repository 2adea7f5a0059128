import { isObject } from '../../../../../platform/json.ts';
import {
  defaultPort,
  hostsOf,
  type MongoTarget,
  readConnectionString,
} from '../../../../../platform/sources/mongo/address.ts';
import type { MongoSession } from '../../../../../platform/sources/mongo/session.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch } from '../../reader.ts';
import {
  connectMs,
  flagOf,
  numberOf,
  probeMs,
  requiredText,
  type Source,
  type SourceDeps,
  type SourceKind,
  textOf,
} from '../../source.ts';
import { flatRow } from '../api-pages.rules.ts';
import { inPieces } from '../sql-reader.ts';
import { filterOf, type SourceFilter } from './source-filter.rules.ts';

function targetOf(source: Source): MongoTarget {
  const text = textOf(source, 'connectionString');
  const database = textOf(source, 'database');
  if (text !== undefined) {
    const target = readConnectionString(text);
    return { ...target, database: database ?? target.database };
  }
  const username = source.method === 'basic' ? textOf(source, 'username') : undefined;
  return {
    ...{ hosts: [{ host: requiredText(source, 'host'), port: numberOf(source, 'port', defaultPort) }], srv: null },
    ...{ tls: flagOf(source, 'tls', false), database },
    user: username === undefined ? null : { username, password: textOf(source, 'password') ?? '', database: 'admin' },
  };
}

type MongoFilter = Readonly<Record<string, unknown>>;

/** Returns a filter in MongoDB's words. */
function mongoFilter(filter: SourceFilter | null): MongoFilter {
  if (filter === null) return {};
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.length === 0 ? {} : { [`$${filter.kind}`]: filter.filters.map(mongoFilter) };
    case 'exists':
      return { [filter.field]: { $exists: filter.exists } };
    case 'in':
      return { [filter.field]: { $in: filter.values } };
    case 'compare':
      return { [filter.field]: { [`$${filter.by}`]: filter.value } };
  }
}

async function openSession(
  { sockets }: SourceDeps,
  source: Source,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<MongoSession> {
  const { openMongo } = await import('../../../../../platform/sources/mongo/session.ts');
  const target = targetOf(source);
  return openMongo(sockets, await hostsOf(target), target, { timeoutMs, signal });
}

async function* collectionBatches(
  session: MongoSession,
  source: Source,
  { cursor, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const { findDocuments } = await import('../../../../../platform/sources/mongo/documents.ts');
  const { database } = targetOf(source);
  if (database === undefined || database === '') throw new SourceError('missing_config');
  const pages = findDocuments(session, {
    ...{ database, collection: requiredText(source, 'collection'), limit: rowLimit },
    filter: mongoFilter(filterOf(source.config.filter)),
    after: isObject(cursor) && typeof cursor.after === 'string' ? cursor.after : null,
  });
  for await (const page of pages) {
    yield* inPieces(
      page.map(({ values }) => flatRow(values)),
      (count) => ({ after: page[count - 1]?.key ?? '' }),
    );
  }
}

/** MongoDB and the databases that speak its protocol. */
export const mongodbSource: SourceKind = {
  async probe(deps, source, signal) {
    const session = await openSession(deps, source, probeMs, signal);
    session.close();
    return { details: { login: targetOf(source).user === null ? 'skipped' : 'ok' } };
  },
  open(deps, source) {
    let session: MongoSession | null = null;
    return {
      isResumable: true,
      async *read(options) {
        session?.close();
        session = await openSession(deps, source, connectMs, options.signal);
        yield* collectionBatches(session, source, options);
      },
      committed: async () => undefined,
      close: async () => session?.close(),
    };
  },
};
