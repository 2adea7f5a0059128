import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type BehavioralMetric, metricFields, metricFunctions } from '@arbiter/contract';
import { createHotPath, type HotPath, systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { newRandom, type Row, randomHistory, writeHistory } from '../../deciding/interactions/test-history.ts';
import { changeRetention } from '../../operations/retention/index.ts';

let server: TestServer;
let path: HotPath;
let rows: readonly Row[];
const zone = 'Europe/Berlin';
const dayMs = 86_400_000;
const ids = {
  offers: [newId(), newId()],
  creatives: [newId()],
  channels: [newId(), newId()],
};
before(async () => {
  server = await startTestServer({ tenants: 2 });
  path = createHotPath({ url: server.testDatabase.url, connections: 1 });
  for (const table of ['interactions', 'decision_impressions']) {
    await server.testDatabase.ownerQuery(
      `select arbiter.ensure_month_partitions('arbiter.${table}', (now() - interval '4 months')::date, 4)`,
    );
  }
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: { timezone: zone } })).status, 200);
  rows = randomHistory(newRandom(7), ids, Date.now(), 400);
  for (const { id } of server.tenants) await writeHistory(server.testDatabase, path, id, rows);
});
after(async () => {
  await path?.close();
  await server?.close();
});

type Definition = Partial<BehavioralMetric> & Pick<BehavioralMetric, 'aggregateFunction' | 'sourceField'>;
type Accepts = (row: Row) => boolean;
const everything: Accepts = () => true;

function fieldOf(row: Row, field: BehavioralMetric['sourceField']): number | null {
  const isResponse = row.type === 'response';
  if (field === 'impressions') return row.type === 'impression' ? 1 : 0;
  if (field === 'converts') return isResponse && row.isConversion ? 1 : 0;
  if (field === 'totalValue') return isResponse ? row.value : null;
  return isResponse && row.classification === field ? 1 : 0;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The value of some events of one customer and group, by the table of docs/design/api-catalogue.md 13. Null: none. */
function aggregateOf({ aggregateFunction, sourceField }: Definition, events: readonly Row[]): number | null {
  const values = events.map((row) => fieldOf(row, sourceField)).filter((value) => value !== null);
  if (aggregateFunction === 'count') return values.filter((value) => value !== 0).length;
  if (aggregateFunction === 'sum') return sum(values);
  if (aggregateFunction === 'ratio') {
    const impressions = events.filter(({ type }) => type === 'impression').length;
    return impressions === 0 ? null : sum(values) / impressions;
  }
  const days = Map.groupBy(events, ({ at }) => zoneClock(zone, at).date);
  const items =
    sourceField === 'totalValue'
      ? values
      : [...days.values()].map((ofDay) => sum(ofDay.map((row) => fieldOf(row, sourceField) ?? 0)));
  if (items.length === 0) return null;
  if (aggregateFunction === 'avg') return sum(items) / items.length;
  return aggregateFunction === 'min' ? Math.min(...items) : Math.max(...items);
}

const dimensionOf: Readonly<Record<string, (row: Row) => string | null>> = {
  offerId: (row) => row.offerId,
  channelId: (row) => row.channelId,
  creativeId: (row) => row.creativeId,
  outcomeType: (row) => row.outcome,
};

function valuesByHand(definition: Definition, accepts: Accepts): string[] {
  const { windowDays = null, groupByDimensions = [] } = definition;
  const now = Date.now();
  const days = new Set(
    Array.from({ length: windowDays ?? 0 }, (_, back) => {
      const today = Date.parse(zoneClock(zone, now).date);
      return new Date(today - back * dayMs).toISOString().slice(0, 10);
    }),
  );
  const counted = rows.filter(
    (row) =>
      row.type !== 'recommendation' && (windowDays === null || days.has(zoneClock(zone, row.at).date)) && accepts(row),
  );
  const groupOf = (row: Row) =>
    JSON.stringify([row.customerId, groupByDimensions.map((name) => dimensionOf[name]!(row))]);
  return [...Map.groupBy(counted, groupOf)]
    .map(([group, events]) => [group, aggregateOf(definition, events)] as const)
    .flatMap(([group, value]) => (value === null ? [] : [`${group} ${value.toFixed(9)}`]))
    .sort();
}

async function storedValues(id: string): Promise<string[]> {
  const stored = await server.testDatabase.ownerQuery<{ customer: string; dimensions: unknown; value: number }>(
    `select customer_id as customer, dimensions, value::float8 as value from arbiter.behavioral_metric_values where metric_id = $1
     union all select customer_id, dimensions, sum(value)::float8 from arbiter.behavioral_metric_days where metric_id = $1
       group by 1, 2`,
    [id],
  );
  return stored.map((row) => `${JSON.stringify([row.customer, row.dimensions])} ${row.value.toFixed(9)}`).sort();
}

const runJob = (name: string, payload: object) =>
  server.jobs
    .get(name)!
    .run(payload, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, server.tenants[0].id);

/** Creates a metric, computes it, and compares all values with those counted by hand. */
async function check(definition: Definition, accepts: Accepts = everything, name = newId()): Promise<void> {
  const id = await server.create('behavioral-metrics', { ...definition, name });
  await runJob('metric.compute', { metricId: id });
  const wanted = valuesByHand(definition, accepts);
  assert.deepEqual(await storedValues(id), wanted, JSON.stringify(definition));
  const { body } = await server.call<BehavioralMetric>('GET', `/api/v1/behavioral-metrics/${id}`);
  assert.deepEqual([body._count.values, body.lastError], [wanted.length, null]);
  assert.equal((await server.call('DELETE', `/api/v1/behavioral-metrics/${id}`)).status, 204);
}

test('computes every function of every field', async () => {
  for (const aggregateFunction of metricFunctions) {
    for (const sourceField of metricFields) {
      await check({ aggregateFunction, sourceField });
    }
  }
});

test('looks back calendar days of the tenant', async () => {
  for (const windowDays of [1, 2, 10, 41, 365]) {
    await check({ aggregateFunction: 'count', sourceField: 'impressions', windowDays });
    await check({ aggregateFunction: 'max', sourceField: 'positive', windowDays });
    await check({ aggregateFunction: 'sum', sourceField: 'totalValue', windowDays, computeMode: 'realtime' });
  }
});

test('groups by dimensions', async () => {
  const all = ['offerId', 'channelId', 'creativeId', 'outcomeType'] as const;
  for (const first of all) {
    await check({ aggregateFunction: 'sum', sourceField: 'totalValue', groupByDimensions: [first] });
    for (const second of all.filter((name) => name !== first)) {
      await check({ aggregateFunction: 'avg', sourceField: 'positive', groupByDimensions: [first, second] });
    }
  }
});

test('filters by conditions', async () => {
  const [offer = ''] = ids.offers;
  const hourOf = (row: Row) => zoneClock(zone, row.at).hour;
  for (const [filterConditions, accepts] of [
    [{ field: 'offerId', operator: 'eq', value: offer }, (row) => row.offerId === offer],
    [{ field: 'creativeId', operator: 'not_exists' }, (row) => row.creativeId === null],
    [{ field: 'value', operator: 'gte', value: 12.5 }, (row) => row.value !== null && row.value >= 12.5],
    [
      {
        logic: 'or',
        conditions: [
          { field: 'outcomeType', operator: 'in', value: ['click', 'accept'] },
          { field: 'direction', operator: 'eq', value: 'outbound' },
        ],
      },
      (row) => row.outcome === 'click' || row.outcome === 'accept' || row.direction === 'outbound',
    ],
    [{ field: 'hour', operator: 'lt', value: 12 }, (row) => hourOf(row) < 12],
    [
      { field: 'dayOfWeek', operator: 'in', value: [0, 3, 6] },
      (row) => [0, 3, 6].includes(zoneClock(zone, row.at).weekday),
    ],
    [{ field: 'occurredAt', operator: 'within_last_days', value: 20 }, (row) => row.at >= Date.now() - 20 * dayMs],
  ] as [object, Accepts][]) {
    await check(
      { aggregateFunction: 'count', sourceField: 'positive', filterConditions: { ...filterConditions } },
      accepts,
    );
  }
});

test('filters by SQL', async () => {
  const [offer = ''] = ids.offers;
  const [channel = ''] = ids.channels;
  const hourOf = (row: Row) => zoneClock(zone, row.at).hour;
  const value = (row: Row, test: (value: number) => boolean) => row.value !== null && test(row.value);
  const since = new Date(Date.now() - 20 * dayMs).toISOString();
  const filters: [string, Accepts][] = [
    [`offer_id = '${offer}'`, (row) => row.offerId === offer],
    [`OfferId <> '${offer.toUpperCase()}'`, (row) => row.offerId !== offer],
    [`creative_id is null`, (row) => row.creativeId === null],
    [`creative_id is not null and channel_id is not null`, (row) => row.creativeId !== null && row.channelId !== null],
    [`not (creative_id is null or channel_id is null)`, (row) => row.creativeId !== null && row.channelId !== null],
    [`channel_id in ('${channel}')`, (row) => row.channelId === channel],
    [`channel_id not in ('${channel}')`, (row) => row.channelId !== null && row.channelId !== channel],
    [`value >= 12.5`, (row) => value(row, (at) => at >= 12.5)],
    [`12.5 > value`, (row) => value(row, (at) => at < 12.5)],
    [`not value > 12.5`, (row) => value(row, (at) => at <= 12.5)],
    [`value between 5 and 15`, (row) => value(row, (at) => at >= 5 && at <= 15)],
    [`value not between 5 and 15`, (row) => value(row, (at) => at < 5 || at > 15)],
    [`value > -1 and value <> 0`, (row) => value(row, (at) => at !== 0)],
    [`outcome_type = 'click' or outcome_type = 'accept'`, (row) => row.outcome === 'click' || row.outcome === 'accept'],
    [
      `outcome_type like 'c%' and direction = 'inbound'`,
      (row) => row.outcome === 'click' && row.direction === 'inbound',
    ],
    [`outcome_type not like '%i%'`, (row) => row.outcome === 'accept'],
    [`outcome_type like '_lick'`, (row) => row.outcome === 'click'],
    [`outcome_type < 'b'`, (row) => row.outcome === 'accept'],
    [`hour < 12`, (row) => hourOf(row) < 12],
    [
      `day_of_week in (0, 6) or hour between 8 and 10`,
      (row) => [0, 6].includes(zoneClock(zone, row.at).weekday) || (hourOf(row) >= 8 && hourOf(row) <= 10),
    ],
    [`occurred_at >= '${since}'`, (row) => row.at >= Date.parse(since)],
  ];
  for (const [sqlFilter, accepts] of filters) {
    await check({ aggregateFunction: 'count', sourceField: 'positive', sqlFilter }, accepts);
  }
  await check(
    {
      aggregateFunction: 'sum',
      sourceField: 'totalValue',
      sqlFilter: `value > 5`,
      filterConditions: { field: 'hour', operator: 'gte', value: 12 },
    },
    (row) => value(row, (at) => at > 5) && hourOf(row) >= 12,
  );
});

test('counts what retention removed, if daily sums suffice', async () => {
  const [tenant] = server.tenants;
  await server.database.withTenant(tenant.id, systemActor('test'), (tx) =>
    changeRetention(tx, 'interactions', { days: 30 }),
  );
  await runJob('interactions.retain', {});
  const [left] = await server.testDatabase.ownerQuery<{ oldest: Date }>(
    'select min(occurred_at) as oldest from arbiter.interaction_history where tenant_id = $1',
    [tenant.id],
  );
  const oldest = left?.oldest.getTime() ?? 0;
  assert.ok(oldest > Date.now() - 32 * dayMs, 'retention removed history');
  const isSummed: Accepts = (row) => row.offerId !== null;
  await check({ aggregateFunction: 'count', sourceField: 'impressions' }, isSummed);
  await check({ aggregateFunction: 'sum', sourceField: 'totalValue', groupByDimensions: ['offerId', 'channelId'] });
  await check({ aggregateFunction: 'max', sourceField: 'positive', windowDays: 60 });
  await check({ aggregateFunction: 'ratio', sourceField: 'converts' });
  await check(
    { aggregateFunction: 'count', sourceField: 'positive', sqlFilter: "direction = 'inbound'" },
    (row) => row.direction === 'inbound',
  );
  // Sums by day don't know outcomes and single values.
  const isLeft: Accepts = (row) => row.at >= oldest;
  await check({ aggregateFunction: 'count', sourceField: 'positive', groupByDimensions: ['outcomeType'] }, isLeft);
  await check({ aggregateFunction: 'avg', sourceField: 'totalValue' }, isLeft);
});
