// Callers that come back at once: each keeps one request out on its own keep-alive connection, sends a refused one (503)
// again as soon as the refusal is there, and after an answer continues with its next one when that is due. In overload every
// caller is behind his time, so that all of them call without a pause. A process of its own, as generator.ts. One JSON line.
//   node callers.ts '{"port":3000,"path":"/api/v1/recommend","headers":{...},"body":"...","customers":{...},"callers":768,
//                     "rate":12000,"settleSeconds":2,"seconds":10}'
import { connect } from 'node:net';

interface Plan {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON body with `%CUSTOMER%`, replaced by `<prefix><n>` for n of 1..count, in random order. */
  readonly body: string;
  readonly customers: { readonly prefix: string; readonly count: number; readonly digits: number };
  readonly callers: number;
  /** Requests a second that the callers want answered, all together. */
  readonly rate: number;
  /** Before the counting begins. */
  readonly settleSeconds: number;
  readonly seconds: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const [before = '', after = ''] = plan.body.split('%CUSTOMER%');
const bytes =
  Buffer.byteLength(before) + Buffer.byteLength(after) + plan.customers.prefix.length + plan.customers.digits;
const prefix = [
  `POST ${plan.path} HTTP/1.1`,
  'host: localhost',
  ...Object.entries({ 'content-type': 'application/json', ...plan.headers }).map(([k, v]) => `${k}: ${v}`),
  `content-length: ${bytes}\r\n\r\n${before}${plan.customers.prefix}`,
].join('\r\n');

let seed = 0x2545f491;
function nextRandom(): number {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return seed >>> 0;
}
const nextRequest = (): string =>
  `${prefix}${String((nextRandom() % plan.customers.count) + 1).padStart(plan.customers.digits, '0')}${after}`;

const startedAt = performance.now();
const countFrom = startedAt + plan.settleSeconds * 1000;
const endsAt = countFrom + plan.seconds * 1000;
const paceMs = (plan.callers * 1000) / plan.rate;
const answered: number[] = [];
const refused: number[] = [];
const others: Record<string, number> = {};

function call(index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let dueAt = startedAt + (index / plan.callers) * paceMs;
    let pending: Buffer | null = null;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(nextRequest());
    };
    const finished = (status: string): void => {
      const now = performance.now();
      if (now >= countFrom && now < endsAt) {
        if (status === '200') answered.push(now - sentAt);
        else if (status === '503') refused.push(now - sentAt);
        else others[status] = (others[status] ?? 0) + 1;
      }
      if (now >= endsAt) {
        socket.destroy();
        resolve();
        return;
      }
      if (status === '200') dueAt += paceMs;
      if (dueAt <= now) send();
      else setTimeout(send, dueAt - now);
    };
    socket.on('connect', () => setTimeout(send, Math.max(0, dueAt - performance.now())));
    socket.on('error', reject);
    socket.on('close', () => (performance.now() < endsAt ? reject(new Error('a connection was closed')) : resolve()));
    socket.on('data', (chunk) => {
      const data = pending === null ? chunk : Buffer.concat([pending, chunk]);
      pending = data;
      const headEnd = data.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const header = data.toString('latin1', 0, headEnd);
      const at = header.search(/\r\ncontent-length: /i);
      if (data.length < headEnd + 4 + Number.parseInt(header.slice(at + 18, at + 28), 10)) return;
      pending = null;
      finished(header.slice(9, 12));
    });
  });
}

await Promise.all(Array.from({ length: plan.callers }, (_, index) => call(index)));
const quantile = (values: readonly number[], q: number): number =>
  values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? 0;
const described = (values: number[]) => {
  values.sort((a, b) => a - b);
  return {
    perSecond: values.length / plan.seconds,
    p50Ms: quantile(values, 0.5),
    p99Ms: quantile(values, 0.99),
    maxMs: values.at(-1) ?? 0,
  };
};
console.log(JSON.stringify({ answered: described(answered), refused: described(refused), others }));
process.exit(0);
