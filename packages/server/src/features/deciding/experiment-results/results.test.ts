import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ExperimentResults } from '@arbiter/contract';
import { round6 } from '@arbiter/engine';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { firstIdAt, newId } from '../../../platform/ids.ts';
import { variantCountsText } from './results.store.ts';

let server: TestServer;
let tenantId: string;
let offerId: string;
let models: readonly string[];
const begun = Date.parse('2026-11-03T00:00:00Z');
const dayMs = 86_400_000;

before(async () => {
  server = await startTestServer({ clock: { now: () => begun + 20 * dayMs } });
  tenantId = server.tenants[0].id;
  offerId = (await server.createRecord('offers', { name: 'Offer', status: 'active' })).id;
  const made: string[] = [];
  for (const key of ['one', 'two', 'three']) {
    made.push((await server.createRecord('algorithm-models', { key, name: key, modelType: 'scorecard' })).id);
  }
  models = made;
});
after(() => server?.close());

let count = 0;
let batch = 0;
async function experiment(more: object = {}): Promise<string> {
  const challengers = [{ modelId: models[1], trafficPct: 50 }];
  const key = `e-${++count}`;
  const body = { key, name: key, championModelId: models[0], trafficSplit: 50, challengers, ...more };
  return (await server.createRecord('experiments', body)).id;
}

const expose = (experimentId: string, variant: string, exposed: number, at = begun) =>
  server.testDatabase.ownerQuery(
    `insert into arbiter.experiment_exposures (tenant_id, experiment_id, customer_id, variant, exposed_at)
     select $1, $2::uuid, $2::text || $3::text || n, $3, $4 from generate_series(1, $5::int) n`,
    [tenantId, experimentId, variant, new Date(at), exposed],
  );

interface Outcome {
  readonly at?: number;
  readonly key?: string;
  readonly classification?: string;
  readonly isConversion?: boolean;
}

/** Writes an outcome for each of the first `converted` customers of a variant. */
async function convert(
  experimentId: string,
  variant: string,
  converted: number,
  { at = begun + dayMs, key = 'click', classification = 'positive', isConversion = false }: Outcome = {},
): Promise<void> {
  batch += 1;
  await server.testDatabase.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       is_conversion, offer_id, occurred_at, created_at)
     select $1, overlay(($8::uuid)::text placing lpad(to_hex(n + $9::int), 12, '0') from 25)::uuid, $2::text || $3::text || n,
       'response', $4, $5, 'inbound', $6, $7::uuid, $10, $10 from generate_series(1, $11::int) n`,
    [
      ...[tenantId, experimentId, variant, key, classification, isConversion, offerId, firstIdAt(at)],
      ...[batch * 100_000, new Date(at), converted],
    ],
  );
}

async function results(id: string): Promise<ExperimentResults> {
  const read = await server.call<ExperimentResults>('GET', `/api/v1/experiments/${id}/results`);
  assert.equal(read.status, 200, read.text);
  return read.body;
}

const rounded = (value: number | null | undefined) => (value == null ? value : round6(value));

test('the worked example X8 comes out over HTTP', async () => {
  const id = await experiment();
  await expose(id, '__champion__', 1000);
  await expose(id, 'two', 1000);
  await convert(id, '__champion__', 120);
  await convert(id, 'two', 150);
  const { variants, srm, metric } = await results(id);
  const [champion, challenger] = variants;
  assert.equal(metric, 'positive');
  assert.deepEqual(
    [
      champion?.variant,
      champion?.modelId,
      champion?.exposed,
      champion?.converted,
      champion?.rate,
      champion?.significant,
    ],
    ['__champion__', models[0], 1000, 120, 0.12, null],
  );
  assert.deepEqual([champion?.zScore, champion?.pValue, champion?.absoluteUplift], [null, null, null]);
  assert.deepEqual([champion?.ciLower, champion?.ciUpper].map(rounded), [0.101299, 0.141609]);
  assert.deepEqual([challenger?.ciLower, challenger?.ciUpper].map(rounded), [0.12921, 0.173469]);
  const { absoluteUplift, relativeUplift, zScore, pValue } = challenger!;
  assert.deepEqual([absoluteUplift, relativeUplift, zScore, pValue].map(rounded), [0.03, 0.25, 1.96305, 0.04964]);
  assert.equal(challenger?.significant, true);
  assert.deepEqual(srm, { chiSquare: 0, pValue: 1, mismatch: false });
});

test('with two challengers the level is halved (Bonferroni), and the holdout is compared too', async () => {
  const challengers = [models[1], models[2]].map((modelId) => ({ modelId, trafficPct: 25 }));
  const id = await experiment({ challengers, trafficSplit: 25, holdoutPercent: 25 });
  for (const variant of ['__champion__', 'two', 'three', '__holdout__']) await expose(id, variant, 1000);
  await convert(id, '__champion__', 120);
  await convert(id, 'two', 150);
  await convert(id, 'three', 156);
  await convert(id, '__holdout__', 60);
  const { variants } = await results(id);
  const told = variants.map(({ variant, modelId, share, significant }) => [variant, modelId, share, significant]);
  assert.deepEqual(told, [
    ['__champion__', models[0], 25, null],
    ['two', models[1], 25, false],
    ['three', models[2], 25, true],
    ['__holdout__', null, 25, true],
  ]);
  assert.equal(rounded(variants[3]?.absoluteUplift), -0.06);
});

test('below 100 exposed customers nothing is significant, and undefined values are null', async () => {
  const id = await experiment();
  const empty = await results(id);
  for (const { rate, ciLower, absoluteUplift, zScore, pValue } of empty.variants) {
    assert.deepEqual([rate, ciLower, absoluteUplift, zScore, pValue], [null, null, null, null, null]);
  }
  assert.deepEqual([empty.srm, empty.variants[1]?.significant], [null, false]);
  await expose(id, '__champion__', 100);
  await expose(id, 'two', 99);
  const none = (await results(id)).variants[1];
  assert.deepEqual([none?.absoluteUplift, none?.relativeUplift, none?.zScore, none?.pValue], [0, null, null, null]);
  await convert(id, 'two', 60);
  const few = (await results(id)).variants[1];
  assert.ok(few?.pValue != null && few.pValue < 0.001);
  assert.equal(few.significant, false);
  await server.testDatabase.ownerQuery(
    `insert into arbiter.experiment_exposures values ($1, $2, 'one more', 'two', $3)`,
    [tenantId, id, new Date(begun)],
  );
  assert.equal((await results(id)).variants[1]?.significant, true);
});

test('customers convert within 7 days of their first impression, by the metric', async () => {
  const converted = async (metric: string, outcome: Outcome) => {
    const id = await experiment({ metric });
    await expose(id, 'two', 3);
    await convert(id, 'two', 2, outcome);
    await convert(id, 'two', 2, outcome);
    return (await results(id)).variants[1]?.converted;
  };
  const cases: [string, Outcome, number][] = [
    ['positive', { at: begun }, 2],
    ['positive', { at: begun - 1 }, 0],
    ['positive', { at: begun + 7 * dayMs - 1 }, 2],
    ['positive', { at: begun + 7 * dayMs }, 0],
    ['positive', { classification: 'negative' }, 0],
    ['convert', {}, 0],
    ['convert', { isConversion: true, classification: 'neutral' }, 2],
    ['click', { classification: 'neutral' }, 2],
    ['click', { key: 'accept' }, 0],
  ];
  for (const [metric, outcome, expected] of cases) {
    assert.equal(await converted(metric, outcome), expected, `${metric} ${JSON.stringify(outcome)}`);
  }
});

test('group sizes that differ from the shares are a mismatch', async () => {
  const id = await experiment({ trafficSplit: 80, challengers: [{ modelId: models[1], trafficPct: 20 }] });
  await expose(id, '__champion__', 800);
  await expose(id, 'two', 240);
  const { srm } = await results(id);
  assert.deepEqual([rounded(srm?.chiSquare), srm?.mismatch], [6.153846, false]);
  const other = await experiment();
  await expose(other, '__champion__', 1000);
  await expose(other, 'two', 1200);
  assert.equal((await results(other)).srm?.mismatch, true);
});

test('results read only the customers of the experiment, not all history', async () => {
  const id = await experiment();
  await expose(id, '__champion__', 50);
  await convert(id, '__champion__', 50);
  // Others' history, which a scan would read.
  const noise = await experiment();
  await expose(noise, 'two', 20_000);
  await convert(noise, 'two', 20_000);
  await server.testDatabase.ownerQuery('analyze arbiter.interactions');
  await server.testDatabase.ownerQuery('analyze arbiter.experiment_exposures');
  const plan = await server.database.withTenant(tenantId, systemActor('test'), (tx) =>
    tx.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off, timing off) ${variantCountsText}`, [
      tenantId,
      id,
      7,
      'positive',
    ]),
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  // Months without a row are cheaper to scan.
  assert.doesNotMatch(text, /Seq Scan[^\n]+actual rows=(?!0\.00)/, text);
  assert.match(text, /interactions_\w+_tenant_id_customer_id_id_idx/, text);
  const removed = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows));
  assert.ok(
    removed.every((rows) => rows < 1000),
    text,
  );
});

test('the report shows the same, for one experiment and for all that have started', async () => {
  const id = await experiment({ status: 'active', key: 'started' });
  await expose(id, '__champion__', 200);
  await expose(id, 'two', 100);
  await convert(id, 'two', 10);
  const read = async (query: string) =>
    (
      await server.call<{ rows: Record<string, unknown>[] }>(
        'GET',
        `/api/v1/dashboard-data?type=experiment_results${query}`,
      )
    ).body.rows;
  const rows = await read(`&experimentId=${id}`);
  assert.deepEqual(
    rows.map(({ variant, customers, conversions, interval }) => [variant, customers, conversions, interval]),
    [
      ['__champion__', 200, 0, '0.0% to 1.9%'],
      ['two', 100, 10, '5.5% to 17.4%'],
    ],
  );
  const all = (await read('')).map(({ variant }) => variant);
  assert.deepEqual(all, ['started: __champion__', 'started: two']);
  assert.deepEqual(await read(`&experimentId=${newId()}`), []);
  const summary = await server.call<{ rows: { activeExperiments: number }[] }>(
    'GET',
    '/api/v1/dashboard-data?type=summary',
  );
  assert.equal(summary.body.rows[0]?.activeExperiments, 1);
});
