import type { OutboundSockets } from '../../../../platform/outbound/outbound-sockets.ts';
import { openPostgres, type PostgresSession, type PostgresTarget } from '../../../../platform/sources/postgresql.ts';
import { sizeOf } from '../../../../platform/sources/source-batches.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { SourceRow } from '../reader.ts';
import { connectMs, numberOf, probeMs, requiredText, type Source, type SourceKind, textOf } from '../source.ts';
import { type SqlQuery, sqlReader } from './sql-reader.ts';

const firstPage = 100;
const mostOfPage = 1000;
const pageBytes = 4 * 1024 * 1024;

function targetOf(source: Source): PostgresTarget {
  const ssl = textOf(source, 'ssl') ?? 'require';
  if (ssl !== 'disable' && ssl !== 'require' && ssl !== 'verify_full') throw new SourceError('missing_config');
  return {
    host: requiredText(source, 'host'),
    port: numberOf(source, 'port', 5432),
    database: requiredText(source, 'database'),
    user: textOf(source, 'username') ?? '',
    password: textOf(source, 'password') ?? '',
    ssl,
  };
}

/** Reads through a cursor in one read-only snapshot; the size of a page follows that of its rows. */
async function* pagesOf(session: PostgresSession, query: SqlQuery): AsyncGenerator<readonly SourceRow[]> {
  const { table, watermark, after, limit } = query;
  const conditions = watermark === null ? '' : ` where ${watermark} ${after === null ? 'is not null' : '> $1'}`;
  const order = watermark === null ? '' : ` order by ${watermark}`;
  await session.query('begin transaction isolation level repeatable read, read only');
  await session.query(
    `declare rows_to_read no scroll cursor for select * from ${table}${conditions}${order}${limit > 0 ? ` limit ${limit}` : ''}`,
    after === null ? [] : [after],
  );
  for (let size = firstPage; ; ) {
    const rows = await session.query(`fetch ${size} from rows_to_read`);
    if (rows.length === 0) break;
    yield rows;
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length;
    size = Math.max(1, Math.min(mostOfPage, Math.floor(pageBytes / Math.max(1, bytes))));
  }
  await session.query('commit');
}

const open = (sockets: OutboundSockets, source: Source, timeoutMs: number, signal: AbortSignal) =>
  openPostgres(sockets, targetOf(source), { timeoutMs, signal });

/** PostgreSQL and the databases that speak its protocol. */
export const postgresqlSource: SourceKind = {
  async probe({ sockets }, source, signal) {
    if (textOf(source, 'username') === undefined) {
      const { host, port } = targetOf(source);
      const socket = await sockets.connect({ host, port, protocol: 'tcp' }, { timeoutMs: probeMs, signal });
      socket.destroy();
      return { details: { login: 'skipped' } };
    }
    const session = await open(sockets, source, probeMs, signal);
    try {
      await session.query('select 1');
    } finally {
      await session.close();
    }
    return { details: { login: 'ok' } };
  },
  open({ sockets }, source) {
    let session: PostgresSession | null = null;
    return sqlReader(source, {
      quote: '"',
      async *pages(query, signal) {
        session = await open(sockets, source, connectMs, signal);
        yield* pagesOf(session, query);
      },
      close: async () => {
        await session?.close();
      },
    });
  },
};
