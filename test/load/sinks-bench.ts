// Destinations that hang, reset, redirect to 169.254.169.254, answer 500 or send one byte a second: p99 of `recommend` while
// triggers call them and channels deliver to them, against the same events for destinations that answer, and against none;
// and how long a healthy destination of another tenant waits in the meantime. By hand, or as rows of `npm run bench`:
//   node test/load/sinks-bench.ts [--seconds 10] [--rounds 3]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchTarget, loadCatalogue, post } from './bench/bench-catalogue.ts';
import { load, median } from './bench/bench-load.ts';
import { ms, n0, type Row } from './bench/bench-report.ts';
import { startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

type Sink = (answer: {
  status(code: number, headers?: Record<string, string>): void;
  reset(): void;
  drip(): void;
}) => void;

const sinks: Readonly<Record<string, Sink>> = {
  hangs: () => undefined,
  resets: (answer) => answer.reset(),
  redirects: (answer) => answer.status(307, { location: 'http://169.254.169.254/latest' }),
  fails: (answer) => answer.status(500),
  drips: (answer) => answer.drip(),
};

/** Paths of deliveries begin with it, so that their calls are counted apart. */
const deliveryPrefix = 'deliver-';

/** Paths of destinations that take the place of the sinks and answer. */
const answeringPrefix = 'answers-instead-of-';

interface Destinations {
  url(path: string): string;
  /** Calls by path. */
  readonly calls: ReadonlyMap<string, number>;
  /** Called with the body of each call to `/healthy`. */
  onHealthy: (body: string) => void;
  close(): void;
}

async function startDestinations(): Promise<Destinations> {
  const calls = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const destinations = { onHealthy: (_body: string): void => undefined };
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '/').slice(1);
    calls.set(path, (calls.get(path) ?? 0) + 1);
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const sink = sinks[path.replace(deliveryPrefix, '')];
      if (sink === undefined) {
        response.end();
        if (path === 'healthy') destinations.onHealthy(body);
        return;
      }
      sink({
        status: (code, headers = {}) => void response.writeHead(code, headers).end(),
        reset: () => request.socket.resetAndDestroy(),
        drip() {
          response.writeHead(200, { 'content-length': '1000' });
          timers.add(setInterval(() => response.write('x'), 1_000));
        },
      });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(destinations, {
    url: (path: string) => `http://127.0.0.1:${port}/${path}`,
    calls,
    close() {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  });
}

/** Ingests events at a rate until the signal. Returns how long each call took, in ms. */
async function ingestAt(target: BenchTarget, perSecond: number, end: AbortSignal): Promise<number[]> {
  const took: number[] = [];
  const running = new Set<Promise<void>>();
  for (let n = 0; !end.aborted; n++) {
    const at = performance.now();
    const customerId = `B-${String(1 + (n % 50_000)).padStart(7, '0')}`;
    const call = post(target, 'events/ingest', { type: 'purchase', customerId, data: { at: Date.now() } })
      .then(() => void took.push(performance.now() - at))
      .finally(() => running.delete(call));
    running.add(call);
    await sleep(1000 / perSecond);
  }
  await Promise.all(running);
  return took;
}

/** Creates a trigger that calls each sink, a channel that sends to it, an offer there, and a trigger that decides and delivers. */
async function createOutreach(target: BenchTarget, flowKey: string, urlOf: Destinations['url']): Promise<void> {
  for (const name of Object.keys(sinks)) await createWebhook(target, name, urlOf(name));
  const offer = await post(target, 'offers', { name: 'Delivered', status: 'active', priority: 90 });
  for (const name of Object.keys(sinks)) {
    const channel = await post(target, 'channels', {
      ...{ name: `Sink that ${name}`, channelType: 'push', deliveryMode: 'integration', impressionMode: 'implicit' },
      ...{ addressAttribute: 'customer.customer_id' },
      providerConfig: { provider: 'webhook', url: urlOf(`${deliveryPrefix}${name}`) },
    });
    const creative = { name: `Delivered to ${name}`, offerId: offer.id, channelId: channel.id, status: 'active' };
    await post(target, 'creatives', { ...creative, content: { headline: 'For you' } });
    await post(target, 'triggers', {
      ...{ name: `Deliver to ${name}`, eventType: 'purchase', status: 'active', cooldownMs: 0 },
      // Before the webhooks, which use up the time of a request.
      ...{ priority: 90, actionType: 'recommend' },
      actionConfig: { decisionFlowKey: flowKey, channelId: channel.id, limit: 1, deliver: true },
    });
  }
}

const createWebhook = (target: BenchTarget, name: string, url: string) =>
  post(target, 'triggers', {
    ...{ name, eventType: 'purchase', status: 'active', cooldownMs: 0, actionType: 'webhook' },
    actionConfig: { url },
  });

const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

interface Medians {
  readonly p99Ms: number;
  readonly cores: number;
}

interface Phase extends Medians {
  readonly ingestMs: number;
}

interface SinkBench {
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Measures on a server of its own. Returns the rows of the report. */
export async function benchSinks({ seconds, rounds, say }: SinkBench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-sinks-bench-'));
  const keys = Array.from({ length: 3 }, () => `krn_${randomBytes(24).toString('hex')}`);
  const tenants = keys.map((key, n) => ({ name: `Tenant ${n}`, apiKeys: [{ name: 'bench', key }] }));
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants }));
  const destinations = await startDestinations();
  const server = await startServer(
    {
      ...{ DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0' },
      ...{ OUTBOUND_HTTP_OK: 'on', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' },
    },
    1,
  );
  try {
    const [held, answered, healthy] = keys.map((key): BenchTarget => ({ url: server.url, key })) as [
      BenchTarget,
      BenchTarget,
      BenchTarget,
    ];
    const catalogue = await loadCatalogue(held, { offers: 200, customers: 50_000, looseCaps: true });
    const { flowKey } = await loadCatalogue(answered, { offers: 200, customers: 50_000, looseCaps: true });
    await createWebhook(healthy, 'healthy', destinations.url('healthy'));
    await createOutreach(held, catalogue.flowKey, destinations.url);
    await createOutreach(answered, flowKey, (path) => destinations.url(`${answeringPrefix}${path}`));
    const waits: number[] = [];
    destinations.onHealthy = (body) => {
      waits.push(Date.now() - Number(JSON.parse(body).data.event.data.at));
    };
    const recommend = (rate?: number) =>
      load({
        ...{ port: server.port, keys: [held.key], flow: catalogue.flowKey, customers: catalogue.customers },
        ...{ seconds, connections: 128, ...(rate === undefined ? {} : { rate }) },
      });
    await recommend();
    const rate = (await recommend()).perSecond / 2;
    const measure = async (target: BenchTarget | null): Promise<Phase> => {
      const end = new AbortController();
      const events = (target === null ? [] : [target, healthy]).map((each) => ingestAt(each, 5, end.signal));
      await sleep(2_000);
      const before = server.processorSeconds();
      const { p99Ms } = await recommend(rate);
      const after = server.processorSeconds();
      end.abort();
      const [ingested = []] = await Promise.all(events);
      // What is still under way doesn't slow down the next phase.
      await sleep(1_000);
      const share = after.node - before.node + after.postgres - before.postgres;
      return { p99Ms, ingestMs: p99(ingested), cores: share / seconds };
    };
    const phases: { none: Phase[]; answering: Phase[]; broken: Phase[] } = { none: [], answering: [], broken: [] };
    for (let round = 1; round <= rounds; round++) {
      phases.none.push(await measure(null));
      phases.answering.push(await measure(answered));
      phases.broken.push(await measure(held));
      say(
        `  round ${round}: ${Object.entries(phases)
          .map(([name, all]) => {
            const { p99Ms, cores, ingestMs } = all.at(-1)!;
            return `${name} p99 ${ms(p99Ms)} with ${cores.toFixed(2)} cores${name === 'none' ? '' : `, ingest p99 ${ms(ingestMs)}`}`;
          })
          .join('; ')}; calls ${JSON.stringify(Object.fromEntries(destinations.calls))}`,
      );
    }
    for (const name of Object.keys(sinks)) {
      if (!destinations.calls.has(`${deliveryPrefix}${name}`)) throw new Error(`nothing was delivered to ${name}`);
    }
    const [none, answering, broken] = [phases.none, phases.answering, phases.broken].map((all) => ({
      p99Ms: median(all.map((phase) => phase.p99Ms)),
      cores: median(all.map((phase) => phase.cores)),
    })) as [Medians, Medians, Medians];
    const slower = broken.p99Ms / answering.p99Ms;
    return [
      {
        measure: `p99 of recommend at half the peak (${n0(rate)}/s) while triggers and channels call five broken destinations, against the same events for destinations that answer`,
        bar: 'at most 1.2 times',
        measured: `${ms(broken.p99Ms)} against ${ms(answering.p99Ms)}, ${slower.toFixed(2)} times`,
        met: slower <= 1.2,
      },
      {
        measure: 'the same without any event, and cores of server and database: broken, answering, without',
        bar: '',
        met: null,
        measured: `${ms(none.p99Ms)}; ${broken.cores.toFixed(2)}, ${answering.cores.toFixed(2)}, ${none.cores.toFixed(2)}`,
      },
      {
        measure: 'the webhook of another tenant meanwhile: from the event to its arrival',
        bar: 'no wait',
        measured: `p50 ${ms(median(waits))}, p99 ${ms(p99(waits))} of ${n0(waits.length)}`,
        met: p99(waits) < 2_000,
      },
    ];
  } finally {
    destinations.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await byHand({ seconds: 10, rounds: 3 }, benchSinks);
}
