import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EvaluationResult, RecommendAnswer, Study, StudyStarted } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { createCustomerKeys } from '../../customer-states/index.ts';
import { createSeal, openRecords, recordContext } from '../../sealed-records/index.ts';
import { passRewardDays, readStudy, runStudies } from '../test-studies.ts';

let server: TestServer;
const offers: string[] = [];
type EvaluationStudy = Study & { readonly result: EvaluationResult | null };

const keys = createCustomerKeys([Buffer.alloc(32, 7)]);
const customers = 250;
const rounds = 10;

/** A flow that explores a lot, so that few decisions say much. */
const flowConfig = { explore: { rate: 0.2, poolSize: 2 }, defaultLimit: 1 };
const nodesWith = (config: object) => [
  ...['inventory', 'match_creatives'].map((type) => ({ id: type, type, config: {} })),
  { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'rank', type: 'rank', config },
];

before(async () => {
  server = await startTestServer();
  const web = await server.create('channels', { name: 'Web', channelType: 'web', impressionMode: 'implicit' });
  for (let at = 0; at < 3; at += 1) {
    const id = await server.create('offers', { name: `Offer ${at}`, status: 'active', priority: 90 - at });
    offers.push(id);
    await server.create('creatives', { name: `Web ${at}`, offerId: id, channelId: web, status: 'active', content: {} });
  }
  const flowId = await server.create('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: { version: 2, nodes: nodesWith({ topN: 1 }), flowConfig },
  });
  await server.publishFlow(flowId);
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: customers }, (_, at) => decideFor(at, round)));
  }
});
after(() => server?.close());

/** Every second answer with the second offer converts, every tenth of the others. */
async function decideFor(customer: number, round: number): Promise<void> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: `C${customer}`, limit: 1 },
  });
  assert.equal(status, 200, text);
  const [item] = body.decisions;
  const converts = item?.offerId === offers[1] ? (customer + round) % 2 === 0 : (customer + round) % 10 === 0;
  if (!converts) return;
  const outcome = {
    recommendationId: body.recommendationId,
    rank: 1,
    outcome: 'convert',
    conversionValue: 10 + customer,
  };
  const said = await server.call('POST', '/api/v1/respond', { body: outcome });
  assert.equal(said.status, 200, said.text);
}

const range = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 60_000).toISOString(),
});

async function start(body: object) {
  return server.call<StudyStarted>('POST', '/api/v1/decision-flows/main/evaluate', {
    body: { version: 'draft', ...range(), reward: 'convert', rewardDays: 1, ...body },
  });
}

async function evaluate(body: object): Promise<EvaluationResult> {
  const { status, body: started, text } = await start(body);
  assert.equal(status, 202, text);
  await passRewardDays(server, started.studyId);
  await runStudies(server);
  const study = await readStudy<EvaluationStudy>(server, started.studyId);
  assert.equal(study.status, 'completed', JSON.stringify(study.error));
  assert.ok(study.result !== null);
  return study.result;
}

test('the live flow: every weight is 1, and the difference is exactly 0', async () => {
  const result = await evaluate({});
  assert.deepEqual(
    [result.verdict, result.decisions, result.customers, result.headline],
    ['ok', customers * rounds, customers, 'ips'],
    JSON.stringify(result.reasons) + JSON.stringify(result.diagnostics),
  );
  assert.deepEqual(result.delta, { value: 0, se: 0, ciLower: 0, ciUpper: 0 });
  assert.deepEqual([result.supportShare, result.diagnostics.largestWeight, result.stateShift], [1, 1, 0]);
  const { checked, mismatches } = result.diagnostics.probabilities;
  assert.ok(checked > 1_900 && mismatches === 0, `${checked} checked, ${mismatches} differ`);
  assert.equal(result.estimates?.ips?.value, result.logged.value);
});

test('estimates a draft that prefers the better offer close to its true value', async () => {
  const overlay = [{ kind: 'offers', key: 'Offer 1', patch: { priority: 99 } }];
  const result = await evaluate({ overlay });
  assert.equal(result.verdict, 'ok', JSON.stringify([result.reasons, result.diagnostics]));
  const main = result.estimates![result.headline]!;
  // It shows the second offer in 0.9 of its answers, and half of these convert.
  const truth = 0.9 * 0.5 + 0.1 * 0.1;
  // Exploration draws again in each run, so a 95% interval misses the truth in 1 of 20. Twice its width misses in 1 of 10,000.
  const width = main.ciUpper - main.ciLower;
  assert.ok(main.ciLower - width / 2 < truth && truth < main.ciUpper + width / 2, JSON.stringify([main, truth]));
  assert.ok(result.delta!.ciLower > 0.1, JSON.stringify(result.delta));
  assert.ok(result.effectiveSampleSize > 200 && result.effectiveSampleSize < customers * rounds);
});

test('refuses a draft that shows what the log never did, without a number', async () => {
  const overlay = [{ kind: 'offers', key: 'Offer 2', patch: { priority: 99 } }];
  const { verdict, reasons, estimates, delta, needed, diagnostics, supportShare } = await evaluate({ overlay });
  assert.deepEqual([verdict, estimates, delta], ['refused', null, null]);
  assert.ok(reasons.includes('unsupported') && supportShare < 0.2, `${supportShare}`);
  assert.equal(diagnostics.unsupportedOffers[0]?.offerId, offers[2]);
  assert.deepEqual(needed, { explore: 0.2, days: null, from: null });
});

test('leaves out decisions that are too recent', async () => {
  const { status, body } = await start({});
  assert.equal(status, 202);
  await runStudies(server);
  const { result } = await readStudy<EvaluationStudy>(server, body.studyId);
  assert.ok(result !== null);
  assert.deepEqual([result.verdict, result.reasons, result.decisions], ['refused', ['no_decisions'], 0]);
});

test('values are capped, and weights count once per outcome', async () => {
  const values = await evaluate({ reward: 'value', valueCap: 100 });
  assert.equal(values.value?.cap, 100);
  assert.ok(values.value!.cutShare > 0.2 && values.logged.value! > 0);
  const weighted = await evaluate({ reward: 'weighted', outcomeWeights: { convert: 5 } });
  const plain = await evaluate({ reward: 'convert' });
  assert.ok(Math.abs(weighted.logged.value! - 5 * plain.logged.value!) < 1e-9);
});

test('rejects an identical study while it waits', async () => {
  const fixed = range();
  const first = await start({ ...fixed, clip: 7 });
  assert.equal(first.status, 202, first.text);
  const second = await start({ ...fixed, clip: 7 });
  assert.equal(second.status, 409, second.text);
  assert.ok(second.text.includes(first.body.studyId), second.text);
  await runStudies(server);
});

/** Where a packed item has the probability of its selection. */
const probabilityAt = 14;

/** Doubles the stored probability of a decision, as a bug would have sealed it. */
async function doubleProbability(tx: Tx, id: string): Promise<Buffer> {
  const [opened] = await openRecords(tx, keys, [id]);
  assert.equal(opened?.problem, null);
  const { record, body } = opened!;
  const items = body!.r.i.map((item) => item.map((value, at) => (at === probabilityAt ? Number(value) * 2 : value)));
  const text = JSON.stringify({ ...body, r: { ...body!.r, i: items } });
  return createSeal()(keys.open(tx.tenantId, record.dataKey!), recordContext(tx.tenantId, id), text);
}

test('finds one doubled probability in 1,000, and gives no number', async () => {
  // With so few decisions, the recorded plan is weighed on all of them.
  const decisions = 2_000;
  const rows = await server.testDatabase.ownerQuery<{ id: string }>(
    'select id from arbiter.decisions where explored order by id limit $1',
    [decisions / 1_000],
  );
  for (const { id } of rows) {
    const body = await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
      doubleProbability(tx, id),
    );
    await server.testDatabase.ownerQuery('update arbiter.decisions set body = $2 where id = $1', [id, body]);
  }
  const { verdict, reasons, estimates, delta, diagnostics } = await evaluate({ maxDecisions: decisions });
  assert.deepEqual([verdict, reasons, estimates, delta], ['refused', ['probabilities_wrong'], null, null]);
  assert.deepEqual(diagnostics.probabilities, { checked: decisions, mismatches: decisions / 1_000 });
});
