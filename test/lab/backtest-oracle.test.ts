// Planted changes against a brute-force oracle: it takes each recorded input as a replay does, decides on the changed plan, and
// compares the answers as text. It shares no code with what a backtest does between the record and the diff.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OverlayChange, RecommendAnswer } from '@arbiter/contract';
import { type Decision, decide } from '@arbiter/engine';
import { systemActor, type Tx } from '../../packages/server/src/db/index.ts';
import { createArchive } from '../../packages/server/src/features/deciding/archived-months/index.ts';
import { createCustomerKeys } from '../../packages/server/src/features/deciding/customer-states/index.ts';
import { openPlan } from '../../packages/server/src/features/deciding/plans/index.ts';
import { recordedQuestion } from '../../packages/server/src/features/deciding/sealed-records/index.ts';
import { backtest, readRows } from '../../packages/server/src/features/deciding/studies/test-studies.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { sized } from '../form.ts';

const requests = sized('ORACLE_DECISIONS', { short: 240, long: 2_000 });
const customers = 40;
const offers = Array.from({ length: 12 }, (_, at) => `Offer ${at}`);
const keys = createCustomerKeys([Buffer.alloc(32, 7)]);

let server: TestServer;
const recorded: Awaited<ReturnType<typeof recordedQuestion>>[] = [];

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);

const nodes = (limit: number) => [
  ...['inventory', 'match_creatives', 'qualify', 'contact_policy'].map((type) => ({ id: type, type, config: {} })),
  { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'r', type: 'response', config: { limit } },
];
const draft = (limit: number, rate = 0.2) => ({
  ...{ version: 2, nodes: nodes(limit) },
  flowConfig: { explore: { rate, poolSize: 6 } },
});

before(async () => {
  server = await startTestServer();
  const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });
  const schemaId = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: [
      field('customer_id', 'varchar', { length: 32, isPrimaryKey: true, isNullable: false }),
      field('age', 'integer'),
      field('tier', 'text'),
    ],
  });
  const rows = Array.from({ length: customers }, (_, at) => ({
    customer_id: `C${at}`,
    age: 18 + ((at * 17) % 60),
    tier: ['gold', 'silver', 'none'][at % 3],
  }));
  const loaded = await server.call('POST', `/api/v1/schemas/${schemaId}/data`, { body: { rows } });
  assert.ok(loaded.status < 300, loaded.text);
  const channels = [
    await server.create('channels', { name: 'Web', channelType: 'web', impressionMode: 'implicit' }),
    await server.create('channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' }),
  ];
  for (const [at, name] of offers.entries()) {
    const offerId = await server.create('offers', { name, status: 'active', priority: 20 + at * 5 });
    for (const [of, channelId] of channels.entries()) {
      for (const variant of ['a', 'b']) {
        const creative = {
          name: `${name} ${of}${variant}`,
          offerId,
          channelId,
          status: 'active',
          content: {},
          weight: 50,
        };
        await server.create('creatives', creative);
      }
    }
    await server.create('qualification-rules', {
      ...{
        name: `Age of ${name}`,
        ruleType: 'attribute_condition',
        stage: 'eligibility',
        scope: 'offer',
        scopeId: offerId,
      },
      config: { attribute: 'customer.age', operator: 'gte', value: 18 + ((at * 7) % 40) },
    });
  }
  const policy = { name: 'Cap', ruleType: 'frequency_cap', scope: 'global' };
  await server.create('contact-policies', { ...policy, config: { maxPerDay: 3, per: 'offer' } });
  const id = await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig: draft(3) });
  await server.publishFlow(id);
  const records = { keys, archive: createArchive(null), decisionNamed: async () => null };
  for (let at = 0; at < requests; at += 1) {
    const customerId = `C${at % customers}`;
    const body = { customerId, channel: at % 3 === 0 ? 'phone' : 'web', limit: 1 + (at % 4), decisionFlowKey: 'main' };
    const made = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
    assert.equal(made.status, 200, made.text);
    const decisionId = made.body.recommendationId ?? '';
    recorded.push(await inTenant((tx) => recordedQuestion(tx, records, decisionId, customerId)));
  }
});
after(() => server?.close());

interface Planted {
  readonly name: string;
  readonly overlay: readonly OverlayChange[];
}

const offerChange = (key: string, patch: object): Planted['overlay'] => [{ kind: 'offers', key, patch }];
const ruleChange = (offer: string, config: object): Planted['overlay'] => [
  { kind: 'qualification-rules', key: `Age of ${offer}`, patch: { config } },
];

const planted: readonly Planted[] = [
  ...offers.map((name) => ({ name: `${name} paused`, overlay: offerChange(name, { status: 'paused' }) })),
  ...offers.map((name, at) => ({ name: `priority of ${name}`, overlay: offerChange(name, { priority: 95 - at * 7 }) })),
  ...offers.map((name, at) => ({
    name: `boundary of ${name} moved`,
    overlay: ruleChange(name, { value: 25 + ((at * 11) % 45) }),
  })),
  ...offers.slice(0, 6).map((name) => ({
    name: `${name} for another tier`,
    overlay: ruleChange(name, { attribute: 'customer.age', operator: 'lt', value: 50 }),
  })),
  ...offers.slice(6).map((name) => ({
    name: `schedule of ${name}`,
    overlay: offerChange(name, { schedule: { endDate: '2026-01-01' } }),
  })),
  ...[0, 1, 2].map((maxPerDay) => ({
    name: `cap ${maxPerDay}`,
    overlay: [{ kind: 'contact-policies' as const, key: 'Cap', patch: { config: { maxPerDay } } }],
  })),
  { name: 'no cap', overlay: [{ kind: 'contact-policies', key: 'Cap', patch: null }] },
  ...[1, 2, 4].map((limit) => ({
    name: `limit ${limit}`,
    overlay: [{ kind: 'decision-flows' as const, key: 'main', patch: { draft: draft(limit) } }],
  })),
  ...[0, 0.05].map((rate) => ({
    name: `exploration at ${rate}`,
    overlay: [{ kind: 'decision-flows' as const, key: 'main', patch: { draft: draft(3, rate) } }],
  })),
  ...['0a', '1a', '1b'].map((variant, at) => ({
    name: `weight of creative ${variant}`,
    overlay: [{ kind: 'creatives' as const, key: `Offer ${at + 8} ${variant}`, patch: { weight: 100 } }],
  })),
];

const lineOf = ({ items }: Decision): string =>
  items
    .map((item) => [item.offerId, item.creativeId, item.channelId, item.placementId, item.mandatory].join(' '))
    .join('\n');

test('there are 60 changes', () => {
  assert.ok(planted.length >= 60, String(planted.length));
});

let changing = 0;
for (const { name, overlay } of planted) {
  test(name, async () => {
    const { result, id, study } = await backtest(server, 'main', { overlay });
    assert.deepEqual([result.decisions, result.notEvaluable], [requests, {}]);
    const { plan } = await inTenant((tx) => openPlan(tx, Buffer.from(study.candidateHash, 'hex')));
    const expected = recorded.filter(
      ({ flow, input }) => lineOf(decide(flow.plan, input)) !== lineOf(decide(plan, input)),
    );
    const found = await readRows(server, id);
    assert.deepEqual(found.map(({ decisionId }) => decisionId).sort(), expected.map((one) => one.id).sort());
    const emptied = expected.filter(
      ({ input, flow }) => decide(flow.plan, input).items.length > 0 && decide(plan, input).items.length === 0,
    );
    assert.equal(result.byKind.newly_empty ?? 0, emptied.length);
    if (expected.length > 0) changing += 1;
  });
}

test('most changes change something', () => {
  assert.ok(changing > planted.length * 0.7, `${changing} of ${planted.length}`);
});
