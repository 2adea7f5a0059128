import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { addContact, emptyState, laneOf } from '../../customer-states/customer-state.ts';
import { decodeState, encodeState, encodeWhole } from '../../customer-states/customer-state-codec.ts';

/** A customer with thousands of contacts: caps count all of them, and a decision writes little (docs/adr/0022). */

const dayMs = 86_400_000;
const now = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let offerId = '';

const owner = <Row>(text: string, values: unknown[] = []) => server.testDatabase.ownerQuery<Row>(text, values);

async function decide(customerId: string): Promise<number> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, limit: 1 },
  });
  assert.equal(status, 200, text);
  return body.count;
}

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  offerId = await server.create('offers', { name: 'Offer', status: 'active' });
  await server.create('contact-policies', {
    name: 'Month',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxPerMonth: 2_010 },
  });
  const types = ['inventory', 'qualify', 'contact_policy'];
  const nodes = types.map((type) => ({ id: type, type, config: {} }));
  const creatives = { id: 'm', type: 'match_creatives', config: { requireCreative: false } };
  const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };
  const id = await server.create('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: { version: 2, nodes: [...nodes, creatives, score] },
  });
  await server.publishFlow(id);
});
after(() => server?.close());

/** Two thousand contacts of this month, in lanes of a hundred deleted offers. */
function longState() {
  const state = emptyState();
  for (let i = 0; i < 2_000; i++) {
    const gone = `0190a000-0000-7000-8000-${String(i % 100).padStart(12, '0')}`;
    const lane = laneOf(state, { offerId: gone, creativeId: null, channelId: null, campaignId: null });
    addContact(state, lane, now - 5 * dayMs + i * 1000);
  }
  return state;
}

interface Row {
  readonly state: Buffer;
  readonly base: Buffer | null;
}

const rowOf = async (customerId: string): Promise<Row> =>
  (await owner<Row>('select state, base from arbiter.customer_states where customer_id = $1', [customerId]))[0]!;

/** The newest transaction that wrote a piece of a base. */
async function baseWrittenBy(): Promise<number> {
  const [table] = await owner<{ name: string }>(
    `select reltoastrelid::regclass::text as name from pg_class where oid = 'arbiter.customer_states'::regclass`,
  );
  const [row] = await owner<{ newest: number }>(`select max(xmin::text::bigint)::int as newest from ${table!.name}`);
  return row!.newest;
}

async function putState(customerId: string, row: Row): Promise<void> {
  await decide(customerId);
  await owner('update arbiter.customer_states set state = $2, base = $3 where customer_id = $1', [
    customerId,
    row.state,
    row.base,
  ]);
}

test('a cap counts every contact of a long state, and ten decisions write no base', async () => {
  const { state, base } = encodeState(longState());
  await putState('C-long', { state, base: base ?? null });
  const written = await baseWrittenBy();
  for (let i = 0; i < 10; i++) assert.equal(await decide('C-long'), 1);
  assert.equal(await decide('C-long'), 0, 'the cap of 2,010');
  assert.equal(await baseWrittenBy(), written);
  const row = await rowOf('C-long');
  assert.ok(row.state.length < 200 && row.base!.length > 8_000, `${row.state.length} and ${row.base!.length} bytes`);
  const decoded = decodeState(row.state, row.base);
  assert.equal(decoded.log.length, 2_010);
  assert.equal(decoded.totals[decoded.lanes.findIndex((lane) => lane.offerId === offerId)], 10);
});

test('the next decision splits a long state written whole by the previous build', async () => {
  await putState('C-before', { state: encodeWhole(longState(), []), base: null });
  assert.equal(await decide('C-before'), 1);
  const row = await rowOf('C-before');
  assert.ok(row.base !== null && row.state.length < 200);
  assert.equal(decodeState(row.state, row.base).log.length, 2_001);
  assert.equal(
    (await server.call('POST', '/api/v1/respond', { body: { customerId: 'C-before', offerId, outcome: 'click' } }))
      .status,
    200,
  );
  const after = await rowOf('C-before');
  assert.deepEqual([after.base, decodeState(after.state, after.base).outcomes.length], [row.base, 1]);
});
