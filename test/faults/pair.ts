// Two processes of one installation: two servers of one process each, or one server of two (PROCESSES=2).
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, createPatientCaller } from './api.ts';
import { clockAhead, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

export const pairKinds = ['two servers', 'one server of two processes'] as const;

export interface Pair {
  /** Calls one of the two processes and never the other. */
  caller(node: 0 | 1, key: string): Promise<Caller>;
  /** Two callers that reach both processes. In one server, the port decides which call reaches which. */
  callers(key: string): readonly [Caller, Caller];
  /** Whether each of the two has answered requests to this route. */
  answering(route: string): Promise<readonly [boolean, boolean]>;
  /** The newest warnings and errors in their logs, to explain a missing answer. */
  warnings(): string;
}

const patienceMs = 20_000;

export async function startPair(installation: Installation, kind: (typeof pairKinds)[number]): Promise<Pair> {
  if (kind === 'one server of two processes')
    return pairOf(await installation.start({ PROCESSES: '2', LOG_LEVEL: 'info' }));
  return pairOfTwo(await Promise.all([1, 2].map(() => installation.start({ LOG_LEVEL: 'info' }))));
}

/** Starts a server of two processes, and one whose clock is ahead. */
export async function startSkewedPair(installation: Installation, aheadMs: number): Promise<Pair> {
  const info = { LOG_LEVEL: 'info' };
  const servers = [
    installation.start({ ...info, PROCESSES: '2' }),
    installation.start({ ...info, ...clockAhead(aheadMs) }),
  ];
  return pairOfTwo(await Promise.all(servers));
}

function pairOfTwo(servers: readonly ServerProcess[]): Pair {
  return {
    caller: async (node, key) => createPatientCaller(() => servers[node]!.url, key),
    callers: (key) => [
      createPatientCaller(() => servers[0]!.url, key),
      createPatientCaller(() => servers[1]!.url, key),
    ],
    answering: (route) => eventuallyBoth(() => servers.map((server) => requestsOf(server, route).length > 0)),
    warnings: () => servers.map(warningsOf).join('\n'),
  };
}

function pairOf(server: ServerProcess): Pair {
  const once = (key: string, sockets?: number) => createPatientCaller(() => server.url, key, sockets);
  return {
    async caller(node, key) {
      const elapsed = stopwatch();
      while (elapsed() < patienceMs) {
        // A keep-alive connection stays with its process.
        const call = once(key, 1);
        if ((await processOf(server, call)) === String(node + 1)) return call;
      }
      throw new Error(`no connection came to process ${node + 1}`);
    },
    callers: (key) => [once(key), once(key)],
    answering: (route) =>
      eventuallyBoth(() => {
        const names = new Set(requestsOf(server, route).map((line) => line.process));
        return [names.has('1'), names.has('2')];
      }),
    warnings: () => warningsOf(server),
  };
}

const warningsOf = (server: ServerProcess): string =>
  ['"level":"warn"', '"level":"error"']
    .flatMap((level) => logLines(server, level).slice(-5))
    .map((line) => JSON.stringify(line).slice(0, 1_000))
    .join('\n');

/** Returns the name of the process that answers this caller. */
export async function processOf(server: ServerProcess, call: Caller): Promise<string> {
  const { status, error, headers } = await call('GET', '/v1/health');
  if (status !== 200) throw new Error(`${status} ${error}`);
  const elapsed = stopwatch();
  while (elapsed() < patienceMs) {
    const line = requestsOf(server, '/api/v1/health').find(({ requestId }) => requestId === headers['x-request-id']);
    if (line !== undefined) return String(line.process);
    await sleep(20);
  }
  throw new Error('the request is not in the log');
}

/** Returns log lines about requests to a route. */
function requestsOf(server: ServerProcess, route: string): readonly Readonly<Record<string, unknown>>[] {
  return logLines(server, `"route":"${route}"`).filter((line) => line.msg === 'request');
}

/** Returns log lines of the server that contain this text. */
export function logLines(server: ServerProcess, text: string): readonly Readonly<Record<string, unknown>>[] {
  return server
    .output()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{') && line.includes(text))
    .map((line) => JSON.parse(line));
}

async function eventuallyBoth(look: () => readonly boolean[]): Promise<readonly [boolean, boolean]> {
  const elapsed = stopwatch();
  for (;;) {
    const [first = false, second = false] = look();
    if ((first && second) || elapsed() > patienceMs) return [first, second];
    await sleep(50);
  }
}
