import { resolveSrv } from 'node:dns/promises';
import { SourceError } from '../source-error.ts';

/** Where a deployment is, and who signs in. */
export interface MongoTarget {
  readonly hosts: readonly MongoHost[];
  /** A name whose SRV records are the hosts instead. */
  readonly srv: string | null;
  readonly tls: boolean;
  readonly user: { readonly username: string; readonly password: string; readonly database: string } | null;
  /** To read from. */
  readonly database: string | undefined;
}

export interface MongoHost {
  readonly host: string;
  readonly port: number;
}

export const defaultPort = 27_017;
const maxHosts = 50;

function hostOf(text: string): MongoHost {
  const [, host, port = String(defaultPort)] = /^(\[[\da-fA-F:.]+\]|[^\s:/@]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (host === undefined) throw new SourceError('missing_config');
  return { host, port: Number(port) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new SourceError('missing_config', { cause });
  }
}

/** Reads a connection string. Throws SourceError `missing_config`. */
export function readConnectionString(text: string): MongoTarget {
  const parts = /^mongodb(\+srv)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(text);
  if (parts === null) throw new SourceError('missing_config');
  const [, srv, username, password = '', hosts = '', path = '', query = ''] = parts;
  const options = new URLSearchParams(query);
  const database = path === '' ? undefined : decoded(path);
  const names = hosts.split(',');
  if (names.length > maxHosts || (srv !== undefined && names.length > 1)) throw new SourceError('missing_config');
  return {
    hosts: srv === undefined ? names.map(hostOf) : [],
    srv: srv === undefined ? null : hosts,
    tls: (options.get('tls') ?? options.get('ssl') ?? String(srv !== undefined)) === 'true',
    user:
      username === undefined || username === ''
        ? null
        : {
            ...{ username: decoded(username), password: decoded(password) },
            database: options.get('authSource') ?? (srv === undefined ? database : undefined) ?? 'admin',
          },
    database,
  };
}

/**
 * Returns the hosts of a target. Those of SRV records lie in the same domain as their name
 * (https://github.com/mongodb/specifications/blob/master/source/initial-dns-seedlist-discovery), and are judged like any
 * other when they're dialed. Throws SourceError.
 */
export async function hostsOf(
  { hosts, srv }: MongoTarget,
  resolve: (name: string) => Promise<readonly { readonly name: string; readonly port: number }[]> = resolveSrv,
): Promise<readonly MongoHost[]> {
  if (srv === null) return hosts;
  const labels = srv.toLowerCase().split('.');
  if (labels.length < 3 || !/^[a-z0-9.-]{1,253}$/i.test(srv)) throw new SourceError('missing_config');
  const domain = `.${labels.slice(1).join('.')}`;
  const records = await resolve(`_mongodb._tcp.${srv}`).catch((cause: unknown) => {
    throw new SourceError('dns_failed', { cause });
  });
  const found = records.slice(0, maxHosts).map(({ name, port }) => ({ host: name.replace(/\.$/, ''), port }));
  if (found.length === 0) throw new SourceError('dns_failed');
  if (!found.every(({ host }) => host.toLowerCase().endsWith(domain))) throw new SourceError('blocked_address');
  return found;
}
