import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations, resources } from '@arbiter/contract';
import { connect } from '../call.ts';
import { oldAfterEvent, onEvents, type PollerSurroundings, resourceOfRecord, startEvents } from './events.ts';

const event = (id: string) => ({
  id,
  type: 'decision.made.v1',
  tenantId: 't',
  timestamp: '2026-01-01T00:00:00Z',
  payload: {},
});

/** A server that answers the questions in turn, and what it was asked. */
function serverOf(pages: readonly (object | 'away')[]) {
  const requests: string[] = [];
  const left = [...pages];
  connect('http://localhost', async (url) => {
    requests.push(new URL(String(url)).searchParams.get('after') ?? '');
    const page = left.shift() ?? { data: [], nextAfter: 'end' };
    if (page === 'away') throw new TypeError('Failed to fetch');
    return Response.json(page);
  });
  return requests;
}

/** Tabs of one browser: one lock, and channels that hear each other but not themselves. */
function browser() {
  let delay = Promise.resolve();
  const ears: { readonly hear: Parameters<PollerSurroundings['channel']>[1] }[] = [];
  return (waits: number[]): PollerSurroundings => ({
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

test('polls in one tab, informs the others, and waits longer after failures', async () => {
  const requests = serverOf([
    { data: [event('1')], nextAfter: 'a' },
    'away',
    'away',
    { data: [event('2'), event('3')], nextAfter: 'b' },
  ]);
  const waits: number[] = [];
  const tab = browser();
  const heard: string[] = [];
  const done = new Promise<void>((resolve) => {
    const leave = onEvents((events) => {
      heard.push(...events.map(({ id }) => id));
      // Each event is heard twice: by the tab that asked, and by the one beside it.
      if (heard.length === 6) {
        leave();
        resolve();
      }
    });
  });
  const stops = [startEvents(tab(waits)), startEvents(tab([]))];
  await done;
  for (const stop of stops) stop();
  assert.deepEqual(requests.slice(0, 4), ['latest', 'a', 'a', 'a']);
  assert.deepEqual(waits.slice(0, 3), [3_000, 6_000, 12_000]);
  assert.deepEqual(heard.sort(), ['1', '1', '2', '2', '3', '3']);
});

test('requests the next part at once after a full one', async () => {
  const full = Array.from({ length: 200 }, (_, index) => event(String(index)));
  const requests = serverOf([
    { data: full, nextAfter: 'a' },
    { data: [event('last')], nextAfter: 'b' },
  ]);
  const waits: number[] = [];
  const tab = browser();
  const done = new Promise<number>((resolve) => {
    const leave = onEvents((events) => {
      if (events[0]?.id !== 'last') return;
      leave();
      resolve(waits.length);
    });
  });
  const stop = startEvents(tab(waits));
  assert.equal(await done, 0);
  stop();
  assert.deepEqual(requests.slice(0, 2), ['latest', 'a']);
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
