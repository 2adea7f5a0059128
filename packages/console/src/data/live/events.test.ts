import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations, resources } from '@arbiter/contract';
import { connect } from '../call.ts';
import { type LiveSurroundings, oldAfterEvent, onEvents, resourceOfRecord, startEvents } from './events.ts';

const event = (id: string) => ({
  id,
  type: 'decision.made.v1',
  tenantId: 't',
  timestamp: '2026-01-01T00:00:00Z',
  payload: {},
});

type Page = { readonly data: readonly object[]; readonly nextAfter: string };
/** `away`: nothing listens. `full`: no place is left for a stream. */
type Reply = Page | 'away' | 'full' | readonly object[];

/** A server with replies for pages and for streams, and the positions that were requested. */
function serverOf(pages: readonly Reply[], streams: readonly Reply[] = []) {
  const requests: string[] = [];
  const left = { page: [...pages], stream: [...streams] };
  connect('http://localhost', async (url, init) => {
    const kind = new Headers(init?.headers).get('accept') === 'text/event-stream' ? 'stream' : 'page';
    requests.push(`${kind} ${new URL(String(url)).searchParams.get('after')}`);
    const reply = left[kind].shift() ?? (kind === 'page' ? { data: [], nextAfter: 'end' } : 'full');
    if (reply === 'away') throw new TypeError('Failed to fetch');
    if (reply === 'full') return Response.json({}, { status: 429 });
    if (!Array.isArray(reply)) return Response.json(reply);
    const text = reply.map((each) => `id: at-${each.id}\nevent: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
    return new Response(`: open\n\n${text.join('')}`, { headers: { 'content-type': 'text/event-stream' } });
  });
  return requests;
}

/** Tabs of one browser: one lock, and channels that hear each other but not themselves. */
function browser() {
  let delay = Promise.resolve();
  const ears: { readonly hear: Parameters<LiveSurroundings['channel']>[1] }[] = [];
  return (waits: number[]): LiveSurroundings => ({
    alone: (_, signal, work) => {
      delay = delay.then(() => (signal.aborted ? undefined : work()));
      return delay;
    },
    isSeen: () => true,
    channel: (_, hear) => {
      const own = { hear };
      ears.push(own);
      return {
        close: () => undefined,
        say: (events) => {
          for (const other of ears) if (other !== own) other.hear(events);
        },
      };
    },
    sleep: (ms) => {
      waits.push(ms);
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
  });
}

/** Starts tabs, and resolves with the IDs of their events once there are this many. */
async function eventsOf(tabs: readonly LiveSurroundings[], count: number): Promise<readonly string[]> {
  const heard: string[] = [];
  const done = new Promise<void>((resolve) => {
    const leave = onEvents((events) => {
      heard.push(...events.map(({ id }) => id));
      if (heard.length < count) return;
      leave();
      resolve();
    });
  });
  const stops = tabs.map(startEvents);
  await done;
  for (const stop of stops) stop();
  return heard.toSorted();
}

test('listens in one tab, informs the others, and resumes where a stream ended', async () => {
  const requests = serverOf(
    [
      { data: [], nextAfter: 'a' },
      { data: [event('3')], nextAfter: 'b' },
    ],
    [[event('1'), event('2')], [event('4')]],
  );
  const waits: number[] = [];
  const tab = browser();
  // Each event is heard twice: by the tab that listens, and by the other.
  assert.deepEqual(await eventsOf([tab(waits), tab([])], 8), ['1', '1', '2', '2', '3', '3', '4', '4']);
  assert.deepEqual(requests.slice(0, 4), ['page latest', 'stream a', 'page at-2', 'stream b']);
  // The batch of two events, then the pause before the next stream.
  assert.deepEqual(waits.slice(0, 2), [100, 500]);
});

test('polls while no stream can be open, and waits longer after failures', async () => {
  const requests = serverOf([
    { data: [event('1')], nextAfter: 'a' },
    'away',
    'away',
    { data: [event('2')], nextAfter: 'b' },
  ]);
  const waits: number[] = [];
  assert.deepEqual(await eventsOf([browser()(waits)], 2), ['1', '2']);
  assert.deepEqual(requests.slice(0, 5), ['page latest', 'stream a', 'page a', 'page a', 'page a']);
  assert.deepEqual(waits.slice(0, 3), [3_000, 6_000, 12_000]);
});

test('tries a stream again after some polls', async () => {
  const requests = serverOf([], ['full', [event('1')]]);
  assert.deepEqual(await eventsOf([browser()([])], 1), ['1']);
  assert.deepEqual(
    requests.map((request) => request.split(' ')[0]),
    ['page', 'stream', ...Array<string>(21).fill('page'), 'stream'],
  );
});

test('passes nothing on once it is stopped, not even what a stream has brought', async () => {
  serverOf([], [[event('1')]]);
  const said: string[] = [];
  const woken = Promise.withResolvers<void>();
  const batched = Promise.withResolvers<void>();
  let isClosed = false;
  const surroundings: LiveSurroundings = {
    alone: (_, _signal, work) => work(),
    channel: () => ({
      // As a browser's does.
      say: (events) => {
        if (isClosed) throw new DOMException('Channel is closed', 'InvalidStateError');
        said.push(...events.map(({ id }) => id));
      },
      close: () => {
        isClosed = true;
      },
    }),
    isSeen: () => true,
    sleep: (ms) => {
      if (ms === 100) batched.resolve();
      return woken.promise;
    },
  };
  const leave = onEvents((events) => void said.push(...events.map(({ id }) => id)));
  const stop = startEvents(surroundings);
  await batched.promise;
  stop();
  woken.resolve();
  await new Promise(setImmediate);
  leave();
  assert.deepEqual(said, []);
});

test('requests the next page at once after a full one', async () => {
  const full = Array.from({ length: 200 }, (_, index) => event(String(index)));
  const requests = serverOf([
    { data: full, nextAfter: 'a' },
    { data: [event('last')], nextAfter: 'b' },
  ]);
  const waits: number[] = [];
  await eventsOf([browser()(waits)], 201);
  assert.deepEqual(waits, []);
  assert.deepEqual(requests.slice(0, 2), ['page latest', 'page a']);
});

test('refetches data when someone else changes a record', () => {
  const known = new Set(Object.values(operations).map(({ id }) => id.split('.', 1)[0]));
  for (const entityType of [...Object.keys(resources), 'flowVersion', 'tenantSettings'])
    assert.ok(known.has(resourceOfRecord(entityType)), entityType);
  const stale = (entityType: string) =>
    oldAfterEvent({ type: 'catalogue.changed.v1', payload: { entityType, id: 'i', version: 1 } });
  assert.deepEqual(stale('creative'), ['creatives', 'offers', 'decisionFlows', 'auditLogs']);
  assert.deepEqual(stale('category').slice(0, 2), ['categories', 'subCategories']);
  assert.deepEqual(oldAfterEvent({ type: 'decision.made.v1', payload: {} }), ['decisions', 'decisionTraces']);
  assert.deepEqual(oldAfterEvent({ type: 'unknown.v1', payload: {} }), []);
});
