import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createHotPath, type HotPath, systemActor, type Tx } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { dropMonths, retainHistory } from './old-history/retention.store.ts';
import { readCustomerSummaries } from './summaries.store.ts';
import {
  contact,
  decided,
  newRandom,
  type Row,
  randomHistory,
  response,
  sorted,
  summariesByHand,
  writeHistory,
} from './test-history.ts';

const zone = 'America/New_York';
const dayMs = 86_400_000;
const now = Date.now();

let db: TestDatabase;
let path: HotPath;
before(async () => {
  db = await createTestDatabase();
  path = createHotPath({ url: db.url, connections: 2 });
  for (const table of ['interactions', 'decision_impressions']) {
    await db.ownerQuery(
      `select arbiter.ensure_month_partitions($1::regclass, (now() - interval '6 months')::date, 8)`,
      [`arbiter.${table}`],
    );
  }
});
after(async () => {
  await path.close();
  await db.close();
});

const within = <T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.database.withTenant(tenantId, systemActor('test'), work);
const [offer, other, creative, channel] = [newId(), newId(), newId(), newId()] as const;
const ids = { offers: [offer, other, newId()], creatives: [creative, newId()], channels: [channel] };
const periods = ['day', 'week', 'month', 'all'] as const;

const customersOf = (rows: readonly Row[]) => [...new Set(rows.map((row) => row.customerId))];

async function assertSame(tenantId: string, rows: readonly Row[], inZone = zone): Promise<void> {
  for (const period of periods) {
    const read = await within(tenantId, (tx) => readCustomerSummaries(tx, customersOf(rows), { period, zone: inZone }));
    assert.deepEqual(sorted(read), sorted(summariesByHand(rows, inZone, period)), period);
  }
}

test("a customer's summaries match their history by day, week and month of the zone, exact at once", async () => {
  const tenant = newId();
  const rows = randomHistory(newRandom(20261120), ids, now, 400);
  await writeHistory(db, path, tenant, rows);
  await assertSame(tenant, rows);
  await assertSame(tenant, rows, 'Asia/Kathmandu');
  const mine = rows.filter((row) => row.customerId === 'Zoë' && row.offerId === offer && row.channelId === channel);
  const ofMonths = summariesByHand(mine, zone, 'month') as { readonly periodKey: string }[];
  // The newest with history: the current month has none in its first hours.
  const month = ofMonths
    .map((row) => row.periodKey)
    .sort()
    .at(-1)!;
  const read = await within(tenant, (tx) =>
    readCustomerSummaries(tx, ['Zoë'], { period: 'month', zone, periodKey: month, offerId: offer, channelId: channel }),
  );
  const expected = ofMonths.filter((row) => row.periodKey === month);
  assert.ok(expected.length > 0);
  assert.deepEqual(sorted(read), sorted(expected));
  assert.deepEqual(await within(newId(), (tx) => readCustomerSummaries(tx, ['Zoë'], { period: 'all', zone })), []);
  assert.deepEqual(await within(tenant, (tx) => readCustomerSummaries(tx, [], { period: 'all', zone })), []);
});

test('days of 23 and 25 hours, the last instant of a day, the years before, the turn of an ISO year', async () => {
  const tenant = newId();
  const instants = [
    '2026-03-08T04:59:59.999Z',
    '2026-03-08T05:00:00Z',
    '2026-03-09T03:59:59.999Z',
    '2026-03-09T04:00:00Z',
    '2026-11-01T04:00:00Z',
    '2026-11-02T04:59:59.999Z',
    '2026-11-02T05:00:00Z',
    '2027-01-03T12:00:00Z',
    '1970-01-01T00:00:00Z',
    '1985-07-14T03:30:00Z',
  ].map(Date.parse);
  const rows = instants.map((at) => response('click', { offerId: offer, at, id: newId() }));
  await writeHistory(db, path, tenant, rows);
  await assertSame(tenant, rows);
  const days = await within(tenant, (tx) => readCustomerSummaries(tx, ['C-1'], { period: 'day', zone }));
  assert.deepEqual(
    days.map((row) => [row.periodKey, row.positive]),
    [
      ['2027-01-03', 1],
      ['2026-11-02', 1],
      ['2026-11-01', 2],
      ['2026-03-09', 1],
      ['2026-03-08', 2],
      ['2026-03-07', 1],
      ['1985-07-13', 1],
      ['1969-12-31', 1],
    ],
  );
  const weeks = await within(tenant, (tx) => readCustomerSummaries(tx, ['C-1'], { period: 'week', zone }));
  assert.equal(weeks[0]?.periodKey, '2026-W53');
});

const stored = (tenantId: string) =>
  db.ownerQuery<{ history: number; compacted: number }>(
    `select (select count(*) from arbiter.interaction_history where tenant_id = $1)::int as history,
       (select count(*) from arbiter.interaction_summaries where tenant_id = $1)::int as compacted`,
    [tenantId],
  );

test('summaries keep what retention deletes from history', async () => {
  const [tenant, neighbour] = [newId(), newId()];
  const rows = randomHistory(newRandom(7), ids, now, 900);
  await writeHistory(db, path, tenant, rows);
  await writeHistory(db, path, neighbour, rows);
  // Halfway through, some of a day's rows are compacted and some are not.
  assert.equal((await within(tenant, (tx) => retainHistory(tx, 60, zone))).more, false);
  await assertSame(tenant, rows);
  let slices = 1;
  while ((await within(tenant, (tx) => retainHistory(tx, 5, zone))).more) slices++;
  assert.ok(slices >= 1);
  const [left] = await stored(tenant);
  assert.equal(left!.history, rows.filter((row) => row.at >= now - 5 * dayMs).length);
  assert.ok(left!.compacted > 0);
  await assertSame(tenant, rows);
  assert.equal((await within(tenant, (tx) => retainHistory(tx, 5, zone))).more, false);
  const [others] = await stored(neighbour);
  assert.deepEqual(others, { history: rows.length, compacted: 0 });
  await assertSame(neighbour, rows);
});

test('a slice has a few hundred rows', async () => {
  const tenant = newId();
  const at = now - 10 * dayMs;
  const rows = Array.from({ length: 600 }, () => contact({ offerId: offer, at }));
  rows.push(
    ...Array.from({ length: 20 }, () =>
      decided({ customerId: 'C-9', at }, [{ offerId: other, creativeId: null, channelId: null }]),
    ).flat(),
  );
  await writeHistory(db, path, tenant, rows);
  assert.equal((await within(tenant, (tx) => retainHistory(tx, 5, zone))).more, true);
  assert.equal((await stored(tenant))[0]!.history, 120);
  await assertSame(tenant, rows);
  assert.equal((await within(tenant, (tx) => retainHistory(tx, 5, zone))).more, false);
  assert.equal((await stored(tenant))[0]!.history, 0);
  await assertSame(tenant, rows);
});

test('drops a month that no tenant keeps, but not one that someone keeps', async () => {
  const months = async () =>
    (
      await db.ownerQuery<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent in ('arbiter.interactions'::regclass, 'arbiter.decision_impressions'::regclass) order by 1`,
      )
    ).map(({ name }) => name);
  const nameOf = (table: string, at: number) => {
    const [year, month] = new Date(at).toISOString().split('-');
    return `${table}_y${year}m${month}`;
  };
  const at = now - 150 * dayMs;
  const [tenant, keeper] = [newId(), newId()];
  const rows = [contact({ offerId: offer, at })];
  await writeHistory(db, path, tenant, rows);
  await writeHistory(db, path, keeper, [contact({ offerId: offer, at })]);
  const drop = () => db.database.withSystem('partitions', dropMonths);
  await within(tenant, (tx) => retainHistory(tx, 100, zone));
  await drop();
  assert.ok((await months()).includes(nameOf('interactions', at)), 'the neighbour keeps it');
  assert.ok(!(await months()).includes(nameOf('decision_impressions', at)), 'it was empty');
  await within(keeper, (tx) => retainHistory(tx, 100, zone));
  await drop();
  assert.ok(!(await months()).includes(nameOf('interactions', at)));
  assert.ok((await months()).includes(nameOf('interactions', now)), 'this month stays');
  await assertSame(tenant, rows);
  const open = await db.ownerQuery(
    `select from pg_class where relnamespace = 'arbiter'::regnamespace and relkind in ('r', 'p') and not relforcerowsecurity
       and relname <> 'schema_migrations'`,
  );
  assert.equal(open.length, 0, 'row-level security is forced on all that is left');
});
