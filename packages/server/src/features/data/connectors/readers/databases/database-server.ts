import type { DatabaseSource, DatabaseTarget } from '../../../../../db/index.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import {
  connectMs,
  numberOf,
  probeMs,
  requiredText,
  type Source,
  type SourceDeps,
  type SourceKind,
  textOf,
} from '../../source.ts';
import { sqlReader } from '../sql-reader.ts';

function targetOf(source: Source, defaultPort: number): DatabaseTarget {
  const ssl = textOf(source, 'ssl') ?? 'require';
  if (ssl !== 'disable' && ssl !== 'require' && ssl !== 'verify_full') throw new SourceError('missing_config');
  return {
    host: requiredText(source, 'host'),
    port: numberOf(source, 'port', defaultPort),
    database: requiredText(source, 'database'),
    user: textOf(source, 'username') ?? '',
    password: textOf(source, 'password') ?? '',
    ssl,
  };
}

/** How a family of database servers is reached. */
export interface DatabaseFamily {
  readonly port: number;
  readonly quote: '"' | '`';
  open(
    deps: Pick<SourceDeps, 'sockets' | 'drivers'>,
    target: DatabaseTarget,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<DatabaseSource>;
}

/** Tables of database servers. */
export const databaseServer = ({ port: defaultPort, quote, open }: DatabaseFamily): SourceKind => ({
  async probe(deps, source, signal) {
    const target = targetOf(source, defaultPort);
    if (target.user === '') {
      const { host, port } = target;
      const socket = await deps.sockets.connect({ host, port, protocol: 'tcp' }, { timeoutMs: probeMs, signal });
      socket.destroy();
      return { details: { login: 'skipped' } };
    }
    const session = await open(deps, target, { timeoutMs: probeMs, signal });
    try {
      await session.check();
    } finally {
      await session.close();
    }
    return { details: { login: 'ok' } };
  },
  open(deps, source) {
    let session: DatabaseSource | null = null;
    return sqlReader(source, {
      quote,
      async *pages(query, signal) {
        session = await open(deps, targetOf(source, defaultPort), { timeoutMs: connectMs, signal });
        yield* session.pages(query);
      },
      close: async () => {
        await session?.close();
      },
    });
  },
});
