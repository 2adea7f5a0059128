// Load generator: raw keep-alive sockets, one request at a time on each, bodies made from a template. A process of its own,
// so that it shares the machine with the server and not its event loop. Prints one JSON line.
//   node generator.ts '{"port":3000,"path":"/api/v1/recommend","headers":[{...}],"body":"...","seconds":10,"connections":32,"rate":0}'
// rate 0: closed loop (as fast as answers come). Else open loop: requests are due at fixed instants, and latency counts from
// the due instant, so that a server that stalls cannot hide it (coordinated omission).
import { connect, type Socket } from 'node:net';

interface Plan {
  readonly port: number;
  readonly path: string;
  /** One set per tenant, used in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  /** JSON body with `%CUSTOMER%`, replaced by `<prefix><n>` for n of 1..count, in random order. */
  readonly body: string;
  readonly customers: { readonly prefix: string; readonly count: number; readonly digits: number };
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second; 0 = closed loop. */
  readonly rate: number;
  /** Share of the requests that ask for the first customer. */
  readonly hotShare: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const [before = '', after = ''] = plan.body.split('%CUSTOMER%');
const length =
  Buffer.byteLength(before) + Buffer.byteLength(after) + plan.customers.prefix.length + plan.customers.digits;
const prefixes = plan.headers.map((headers) => {
  const lines = Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers });
  const head = [`POST ${plan.path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  return `${head}\r\ncontent-length: ${length}\r\n\r\n${before}${plan.customers.prefix}`;
});

let seed = 0x2545f491;
function nextRandom(): number {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return seed >>> 0;
}
let turn = 0;
function nextRequest(): string {
  const hot = plan.hotShare > 0 && nextRandom() / 2 ** 32 < plan.hotShare;
  const customer = hot ? 1 : (nextRandom() % plan.customers.count) + 1;
  return `${prefixes[turn++ % prefixes.length]}${String(customer).padStart(plan.customers.digits, '0')}${after}`;
}

const latencies: number[] = [];
/** The first answer other than 200, whole. */
let failure: string | null = null;
const statuses: Record<string, number> = {};
let bytes = 0;
let late = 0;
const startedAt = performance.now();
const endsAt = startedAt + plan.seconds * 1000;
let sent = 0;

/** Instants at which open-loop requests are due, in order. */
const dueAt = (n: number): number => startedAt + (n * 1000) / plan.rate;

const idle: Connection[] = [];
const backlog: number[] = [];

interface Connection {
  readonly socket: Socket;
  since: number;
  pending: Buffer | null;
}

function send(connection: Connection, since: number): void {
  connection.since = since;
  connection.socket.write(nextRequest());
}

function finished(connection: Connection): void {
  const now = performance.now();
  latencies.push(now - connection.since);
  if (plan.rate === 0) {
    if (now < endsAt) send(connection, now);
    else connection.socket.destroy();
    return;
  }
  const due = backlog.shift();
  if (due !== undefined) send(connection, due);
  else idle.push(connection);
}

function onData(connection: Connection, chunk: Buffer): void {
  const data = connection.pending === null ? chunk : Buffer.concat([connection.pending, chunk]);
  const headEnd = data.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    connection.pending = data;
    return;
  }
  const header = data.toString('latin1', 0, headEnd);
  const at = header.search(/\r\ncontent-length: /i);
  const bodyLength = Number.parseInt(header.slice(at + 18, at + 28), 10);
  const total = headEnd + 4 + bodyLength;
  if (data.length < total) {
    connection.pending = data;
    return;
  }
  connection.pending = null;
  const status = header.slice(9, 12);
  statuses[status] = (statuses[status] ?? 0) + 1;
  bytes += total;
  if (status !== '200') failure ??= data.toString('utf8', 0, total);
  finished(connection);
}

await Promise.all(
  Array.from(
    { length: plan.connections },
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true });
        const connection: Connection = { socket, since: 0, pending: null };
        socket.on('connect', () => {
          if (plan.rate === 0) send(connection, performance.now());
          else idle.push(connection);
          resolve();
        });
        socket.on('data', (chunk) => onData(connection, chunk));
        socket.on('error', reject);
      }),
  ),
);

if (plan.rate > 0) {
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now();
      if (now >= endsAt) {
        resolve();
        return;
      }
      while (dueAt(sent) <= now) {
        const due = dueAt(sent++);
        // Use connections in turn: the server closes idle ones.
        const connection = idle.shift();
        if (connection) send(connection, due);
        else {
          late++;
          backlog.push(due);
        }
      }
      // Don't busy-wait: it would take the core that the database needs. The millisecond of jitter counts as latency.
      setTimeout(tick, 1);
    };
    tick();
  });
  const giveUpAt = performance.now() + 5_000;
  while (idle.length < plan.connections && performance.now() < giveUpAt) await new Promise((r) => setTimeout(r, 5));
} else {
  await new Promise((resolve) => setTimeout(resolve, plan.seconds * 1000 + 200));
}

latencies.sort((a, b) => a - b);
const quantile = (q: number): number =>
  latencies[Math.min(latencies.length - 1, Math.floor(q * latencies.length))] ?? 0;
console.log(
  JSON.stringify({
    requests: latencies.length,
    perSecond: latencies.length / plan.seconds,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
    maxMs: latencies.at(-1) ?? 0,
    queued: late,
    statuses,
    failure,
    bytesPerAnswer: latencies.length === 0 ? 0 : Math.round(bytes / latencies.length),
  }),
);
process.exit(0);
