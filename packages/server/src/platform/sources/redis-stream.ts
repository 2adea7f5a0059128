import { connect as connectTls } from 'node:tls';
import type { Redis } from 'ioredis';
import type { OutboundSockets } from '../outbound/outbound-sockets.ts';
import { asSourceError, SourceError } from './source-error.ts';

export interface RedisTarget {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** An entry of a stream. Null: it was deleted after it was delivered. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>> | null;
}

/** A session of a Redis server. Its functions throw SourceError. */
export interface RedisSession {
  ping(): Promise<void>;
  /** Creates the group unless there is one. Throws `not_found` without the stream. */
  ensureGroup(stream: string, group: string, from: 'start' | 'end'): Promise<void>;
  /**
   * Reads entries for the group: those that it got and didn't acknowledge after an ID, or new ones, waiting for them for at
   * most this many milliseconds.
   */
  read(options: {
    readonly stream: string;
    readonly group: string;
    readonly from: { readonly pendingAfter: string } | { readonly newWithin: number };
    readonly count: number;
  }): Promise<readonly StreamEntry[]>;
  acknowledge(stream: string, group: string, ids: readonly string[]): Promise<void>;
  close(): void;
}

const consumer = 'arbiter';

function reasonOf(error: unknown): SourceError['reason'] | null {
  const [code = ''] = error instanceof Error ? error.message.split(' ') : [];
  if (code === 'WRONGPASS' || code === 'NOAUTH' || code === 'WRONGTYPE') {
    return code === 'WRONGTYPE' ? 'unexpected_response' : 'auth_failed';
  }
  if (code === 'NOPERM') return 'permission_denied';
  if (code === 'NOGROUP') return 'not_found';
  if (!(error instanceof Error)) return null;
  if (error.message.includes('requires the key to exist')) return 'not_found';
  if (/without any password|invalid password|invalid username/i.test(error.message)) return 'auth_failed';
  return error.message.startsWith('Connection is closed') ? 'connection_refused' : null;
}

async function openSocket(sockets: OutboundSockets, { host, port, tls }: RedisTarget, options: ConnectOptions) {
  const socket = await sockets.connect({ host, port, protocol: 'tcp' }, options);
  if (!tls) return socket;
  return new Promise<typeof socket>((resolve, reject) => {
    const secured = connectTls({ socket, host, servername: /^[\d.]+$|:/.test(host) ? '' : host }, () =>
      resolve(secured),
    );
    secured.once('error', reject);
    AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]).addEventListener('abort', () => {
      if (secured.authorized) return;
      secured.destroy();
      // A server without TLS may wait for more of what it takes for a command.
      reject(new SourceError('tls_failed'));
    });
  });
}

interface ConnectOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Opens a session over a socket that we checked, so that the driver dials nowhere on its own. Throws SourceError. */
export async function openRedisSession(
  sockets: OutboundSockets,
  target: RedisTarget,
  options: ConnectOptions,
): Promise<RedisSession> {
  const { AbstractConnector, Redis: Client } = await import('ioredis');
  const socket = await openSocket(sockets, target, options).catch((error: unknown) => {
    throw asSourceError(error);
  });
  const redis = new Client({
    Connector: class extends AbstractConnector {
      constructor() {
        super(0);
      }
      override async connect() {
        this.stream = socket;
        return socket;
      }
    },
    ...{ lazyConnect: true, enableReadyCheck: false, disableClientInfo: true, maxRetriesPerRequest: 0 },
    // In version 2, all servers answer lists of lists.
    ...{ protocol: 2, retryStrategy: () => null },
  });
  // Each command reports its own failure.
  redis.on('error', () => undefined);
  const close = () => {
    options.signal.removeEventListener('abort', close);
    redis.disconnect();
    socket.destroy();
  };
  options.signal.addEventListener('abort', close, { once: true });
  const late = setTimeout(close, options.timeoutMs);
  try {
    await redis.connect();
    const { username, password } = target;
    if (password !== undefined) await (username === undefined ? redis.auth(password) : redis.auth(username, password));
    await redis.ping();
  } catch (error) {
    const isLate = socket.destroyed && reasonOf(error) === 'connection_refused';
    close();
    throw isLate ? new SourceError('connect_timeout', { cause: error }) : asSourceError(error, reasonOf);
  } finally {
    clearTimeout(late);
  }
  return sessionOf(redis, close);
}

type Reply = readonly (readonly [
  stream: string,
  entries: readonly (readonly [id: string, fields: string[] | null])[],
])[];

function sessionOf(redis: Redis, close: () => void): RedisSession {
  const run = async (command: string, ...words: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await redis.call(command, ...words);
    } catch (error) {
      throw asSourceError(error, reasonOf);
    }
  };
  return {
    close,
    async ping() {
      await run('PING');
    },
    async ensureGroup(stream, group, from) {
      try {
        await redis.call('XGROUP', 'CREATE', stream, group, from === 'start' ? '0' : '$');
      } catch (error) {
        const exists = error instanceof Error && error.message.startsWith('BUSYGROUP');
        if (!exists) throw asSourceError(error, reasonOf);
      }
    },
    async read({ stream, group, from, count }) {
      const after = 'newWithin' in from ? '>' : from.pendingAfter;
      // BLOCK 0 would wait forever.
      const block = 'newWithin' in from && from.newWithin > 0 ? ['BLOCK', from.newWithin] : [];
      const words = ['GROUP', group, consumer, 'COUNT', count, ...block, 'STREAMS', stream, after];
      const reply = (await run('XREADGROUP', ...words)) as Reply | null;
      return (reply?.[0]?.[1] ?? []).map(([id, fields]) => ({ id, fields: fields === null ? null : pairsOf(fields) }));
    },
    async acknowledge(stream, group, ids) {
      if (ids.length > 0) await run('XACK', stream, group, ...ids);
    },
  };
}

function pairsOf(words: readonly string[]): Record<string, string> {
  const fields: [string, string][] = [];
  for (let at = 0; at + 1 < words.length; at += 2) fields.push([words[at] ?? '', words[at + 1] ?? '']);
  return Object.fromEntries(fields);
}

/** Returns when an entry was added. The first part of its ID is milliseconds since 1970. */
export function instantOfEntry(id: string): string {
  return new Date(Number(id.split('-')[0])).toISOString();
}
