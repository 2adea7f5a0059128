import { openPostgresSource, type PostgresSource, type PostgresTarget } from '../../../../db/index.ts';
import type { OutboundSockets } from '../../../../platform/outbound/outbound-sockets.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import { connectMs, numberOf, probeMs, requiredText, type Source, type SourceKind, textOf } from '../source.ts';
import { sqlReader } from './sql-reader.ts';

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

const open = (sockets: OutboundSockets, source: Source, timeoutMs: number, signal: AbortSignal) =>
  openPostgresSource(sockets, targetOf(source), { timeoutMs, signal });

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
      await session.check();
    } finally {
      await session.close();
    }
    return { details: { login: 'ok' } };
  },
  open({ sockets }, source) {
    let session: PostgresSource | null = null;
    return sqlReader(source, {
      quote: '"',
      async *pages(query, signal) {
        session = await open(sockets, source, connectMs, signal);
        yield* session.pages(query);
      },
      close: async () => {
        await session?.close();
      },
    });
  },
};
