import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type EventPage, type StreamEvent, streamTopics } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { features } from '../../../main/features.ts';
import { startServerOn, startTestServer, type TestNode, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { appendEvents, createOutboxDispatcher } from './index.ts';

/** The tenant's events at one address: pages and open streams (docs/design/api-access.md 12.1). */

let server: TestServer;
/** Another process over the same database. */
let other: TestNode;
const urls = { own: '', other: '' };
before(async () => {
  server = await startTestServer({ tenants: 4 });
  // The outcome types of new tenants.
  await server.testDatabase.ownerQuery('delete from arbiter.outbox');
  other = startServerOn({ ...server.testDatabase, close: async () => undefined }, {});
  for (const [name, { app }] of [
    ['own', server],
    ['other', other],
  ] as const) {
    await app.listen({ port: 0, host: '127.0.0.1' });
    urls[name] = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1/events/stream`;
  }
  await other.database.listening();
  await server.database.listening();
});
after(async () => {
  await other?.close();
  await server?.close();
});

const tenant = (number: number) => server.tenants[number]!;
async function publish(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
}

/** Puts rows into the outbox as features do, each of some events, and publishes them. */
async function append(number: number, rows: readonly (readonly string[])[], type = 'bird.sung.v1'): Promise<void> {
  const { id } = tenant(number);
  for (const names of rows) {
    await server.database.withTenant(id, systemActor('test'), (tx) =>
      appendEvents(
        tx,
        names.map((name) => ({ id: newId(), type, tenantId: id, timestamp: tx.now.toISOString(), payload: { name } })),
      ),
    );
  }
  await publish();
}

const page = (number: number, query = '', headers = {}) =>
  server.call<EventPage & { code: string; errors?: { path: string }[] }>('GET', `/api/v1/events/stream${query}`, {
    key: tenant(number).keys.viewer,
    headers,
  });
async function read(number: number, query = ''): Promise<EventPage> {
  const answer = await page(number, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
const namesOf = (events: readonly StreamEvent[]) => events.map(({ payload }) => payload.name);

test("streams decisions and responses once they're published, to their tenant only", async () => {
  const offer = await server.call<{ id: string }>('POST', '/api/v1/offers', {
    body: { name: 'Offer', status: 'active' },
  });
  assert.equal(offer.status, 201, offer.text);
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const draft = { key: 'main', name: 'Main', draftConfig: { version: 2, nodes } };
  const { body: flow } = await server.call<{ id: string }>('POST', '/api/v1/decision-flows', { body: draft });
  await server.call('POST', '/api/v1/decision-flows/publish', { body: { id: flow.id } });
  const decide = (customerId: string) =>
    server.call<{ recommendationId: string }>('POST', '/api/v1/recommend', { body: { customerId } });
  const decided = await Promise.all(['C1', 'C2', 'C3'].map(decide));
  const [first] = decided;
  const answered = await server.call('POST', '/api/v1/respond', {
    body: { customerId: 'C1', recommendationId: first!.body.recommendationId, rank: 1, outcome: 'click' },
  });
  assert.equal(answered.status, 200, answered.text);
  assert.deepEqual(await read(0), { data: [], nextAfter: '0' }, 'not published yet');
  await publish();
  // Earlier events come first.
  const whole = await read(0);
  const { nextAfter } = whole;
  const [published, ...data] = whole.data.filter(({ type }) => type !== 'catalogue.changed.v1');
  assert.deepEqual([published?.type, published?.payload.flowId], ['flow.published.v1', flow.id]);
  assert.deepEqual(
    data.map(({ type }) => type),
    [...decided.map(() => 'decision.made.v1'), 'interaction.recorded.v1'],
  );
  assert.deepEqual(new Set(data.slice(0, 3).map(({ payload }) => payload.customerId)), new Set(['C1', 'C2', 'C3']));
  for (const event of data) assert.equal(event.tenantId, tenant(0).id);
  assert.deepEqual(await read(0, `?after=${nextAfter}`), { data: [], nextAfter });
  assert.deepEqual(await read(1), { data: [], nextAfter: '0' });
  const responses = await read(0, '?topic=interaction.recorded.v1');
  assert.deepEqual([responses.data, responses.nextAfter], [data.slice(3), nextAfter]);
  assert.equal((await page(0, '', { authorization: '' })).status, 401);
});

test('pages join without gaps or repetition, wherever an outbox row is split', async () => {
  await append(1, [['a', 'b', 'c'], ['d'], ['e', 'f'], ['g']]);
  const whole = await read(1);
  assert.deepEqual(namesOf(whole.data), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  for (const limit of [1, 2, 3, 4, 7, 8]) {
    const seen: StreamEvent[] = [];
    for (let after = '0'; ; ) {
      const { data, nextAfter } = await read(1, `?after=${after}&limit=${limit}`);
      assert.ok(data.length <= limit);
      if (data.length === 0) break;
      seen.push(...data);
      after = nextAfter;
    }
    assert.deepEqual(seen, whole.data, `pages of ${limit}`);
  }
  assert.deepEqual((await read(1, '?limit=5000')).data.length, 7);
  for (const query of ['limit=0', 'limit=x', 'limit=-1']) assert.equal((await page(1, `?${query}`)).status, 400, query);
});

test('latest is the end of the stream; an invalid or future position is 400', async () => {
  const { nextAfter } = await read(1);
  assert.deepEqual(await read(1, '?after=latest'), { data: [], nextAfter });
  for (const after of [
    'x',
    '-1',
    '1-',
    '0-0',
    '01',
    'Latest',
    String(Number(nextAfter) + 1),
    '999999999999999',
    '9'.repeat(64),
  ]) {
    const answer = await page(1, `?after=${after}`);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'], after);
    const resumed = await page(1, '', { 'last-event-id': after });
    assert.deepEqual([resumed.status, resumed.body.code], [400, 'invalid_cursor'], after);
  }
  const resumed = await page(1, '?after=0', { 'last-event-id': '1-1' });
  assert.equal(namesOf(resumed.body.data)[0], 'c', 'how far the client came is stronger than where it began');
});

test('a position older than retention starts at the oldest event', async () => {
  await append(2, [['a'], ['b'], ['c']]);
  await server.testDatabase.ownerQuery('delete from arbiter.outbox where tenant_id = $1 and position = 1', [
    tenant(2).id,
  ]);
  assert.deepEqual(namesOf((await read(2, '?after=0')).data), ['b', 'c']);
  assert.deepEqual(namesOf((await read(2, '?after=1-0')).data), ['b', 'c']);
});

test('topics: any declared event type, one or several, and no others', async () => {
  const types = features.flatMap(({ events }) => events.map(({ type }) => type));
  assert.deepEqual(types.toSorted(), Object.keys(streamTopics), 'the contract describes each');
  for (const type of [...types, types.join(','), types.join(', ')]) {
    assert.equal((await page(2, `?topic=${encodeURIComponent(type)}`)).status, 200, type);
  }
  for (const type of ['bird.sung.v1', 'decision.made', ',', 'decision.made.v1,', '__proto__']) {
    const answer = await page(2, `?topic=${encodeURIComponent(type)}`);
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.errors?.[0]?.path],
      [400, 'validation_failed', 'query.topic'],
      type,
    );
  }
});

test('a rare topic: each call scans a limited part and says how far it came', async () => {
  const { id } = tenant(3);
  await server.testDatabase.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, created_at)
     select $1, '[{"id":"0","type":"bird.sung.v1"}]', now() from generate_series(1, 1200)`,
    [id],
  );
  await append(3, [['needle']], 'decision.made.v1');
  const found: StreamEvent[] = [];
  let calls = 0;
  for (let after = '0'; ; ) {
    const { data, nextAfter } = await read(3, `?topic=decision.made.v1&after=${after}`);
    calls += 1;
    found.push(...data);
    if (nextAfter === after) break;
    after = nextAfter;
  }
  assert.deepEqual(namesOf(found), ['needle']);
  assert.equal(calls, 4, '500, 500, 201, and the end');
});

interface Told {
  readonly id: string;
  readonly event: string;
  readonly data: StreamEvent;
}

interface FollowOptions {
  readonly at?: 'own' | 'other';
  readonly key?: string;
  readonly lastSeen?: string;
}

/** Opens a stream. `next` returns its next event, null when it has ended. */
async function open(number: number, query = '', options: FollowOptions = {}) {
  const leaving = new AbortController();
  const answer = await fetch(`${urls[options.at ?? 'own']}${query}`, {
    headers: {
      authorization: `Bearer ${options.key ?? tenant(number).keys.viewer}`,
      accept: 'text/event-stream',
      ...(options.lastSeen === undefined ? {} : { 'last-event-id': options.lastSeen }),
    },
    signal: leaving.signal,
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const chunks = answer.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let text = '';
  async function next(): Promise<Told | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end < 0) {
        const chunk = await chunks.next();
        if (chunk.done === true) return null;
        text += chunk.value;
        continue;
      }
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (block.startsWith(':')) continue;
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      return { id: fields.id!, event: fields.event!, data: JSON.parse(fields.data!) };
    }
  }
  return { next, leave: () => leaving.abort() };
}

/**
 * Reads a stream like a browser: when it ends, continues after the last event. A server whose own database connection
 * has been silent for seconds, as on a busy machine, ends all streams.
 */
async function follow(number: number, query = '', options: FollowOptions = {}) {
  let { lastSeen } = options;
  if (query.includes('latest')) lastSeen ??= (await read(number, query)).nextAfter;
  let stream = await open(number, query, options);
  return {
    async next(): Promise<Told> {
      for (;;) {
        const told = await stream.next();
        if (told !== null) {
          lastSeen = told.id;
          return told;
        }
        stream = await open(number, query, { ...options, ...(lastSeen === undefined ? {} : { lastSeen }) });
      }
    },
    leave: () => stream.leave(),
  };
}

test('an open stream sends existing events, then new ones, from this process and others', async () => {
  const streams = [await follow(1), await follow(1, '', { at: 'other' })];
  for (const stream of streams) {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      const told = await stream.next();
      assert.deepEqual([told.data.payload.name, told.event], [name, 'bird.sung.v1']);
    }
  }
  for (const name of ['h', 'i']) {
    const coming = streams.map((stream) => stream.next());
    await append(1, [[name]]);
    for (const told of await Promise.all(coming)) assert.equal(told.data.payload.name, name);
  }
  for (const { leave } of streams) leave();
});

test('a stream resumes after the last event; latest sends only new ones; other tenants receive nothing', async () => {
  const first = await follow(1);
  const seen = await first.next();
  first.leave();
  assert.equal(seen.id, '1-0');
  const second = await follow(1, '?after=0', { lastSeen: seen.id });
  assert.equal((await second.next()).data.payload.name, 'b');
  second.leave();
  const live = await follow(1, '?after=latest');
  const foreign = await follow(2, '?after=latest');
  const [told, nothing] = [live.next(), foreign.next()];
  await append(1, [['j']]);
  assert.equal((await told).data.payload.name, 'j');
  await append(2, [['theirs']]);
  assert.equal((await nothing).data.payload.name, 'theirs');
  live.leave();
  foreign.leave();
});

test("a stream ends when its tenant's key is revoked, in every process, and not for another tenant", async () => {
  const made = await server.call<{ id: string; key: string }>('POST', '/api/v1/api-keys', {
    key: tenant(2).keys.admin,
    body: { scopes: ['read'] },
  });
  const { id, key } = made.body;
  const query = '?after=latest';
  const ending = [await open(2, query, { key }), await open(2, query, { key, at: 'other' })];
  const staying = await follow(1, query);
  const next = staying.next();
  const ends = Promise.all(ending.map((stream) => stream.next()));
  const revoked = await server.call('DELETE', `/api/v1/api-keys/${id}`, { key: tenant(2).keys.admin });
  assert.equal(revoked.status, 204);
  assert.deepEqual(await ends, [null, null]);
  await append(1, [['k']]);
  assert.equal((await next).data.payload.name, 'k');
  staying.leave();
  const answer = await fetch(urls.own, { headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' } });
  assert.equal(answer.status, 401);
});

test('a closing server ends its streams without waiting for readers', async () => {
  const closing = startServerOn({ ...server.testDatabase, close: async () => undefined }, {});
  await closing.app.listen({ port: 0, host: '127.0.0.1' });
  await closing.database.listening();
  urls.other = `http://127.0.0.1:${(closing.app.server.address() as AddressInfo).port}/api/v1/events/stream`;
  const stream = await open(1, '?after=latest', { at: 'other' });
  await closing.close();
  assert.equal(await stream.next(), null);
});

test('reports errors of a stream like those of a page', async () => {
  for (const query of ['?after=x', '?topic=nothing']) {
    const answer = await fetch(`${urls.own}${query}`, {
      headers: { authorization: `Bearer ${tenant(1).keys.viewer}`, accept: 'text/event-stream' },
    });
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  }
});
