import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Operation, operations, rangeQuery } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

/** One rule for `from` and `to` in every operation that takes a range (docs/design/api-settled.md 80). */

/**
 * A zone in which it is between three and four in the morning: the day began hours ago, and often isn't that of UTC.
 * `Etc/GMT-5` is five hours ahead of it.
 */
const utcHour = new Date().getUTCHours();
const ahead = utcHour > 15 ? 27 - utcHour : 3 - utcHour;
const zone = ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
const hourMs = 3_600_000;
const day = (days: number): string => new Date(Date.now() + (ahead + 24 * days) * hourMs).toISOString().slice(0, 10);
const midnight = Date.parse(`${day(0)}T00:00:00Z`) - ahead * hourMs;
const written = `${day(0)}T00:00:00${ahead < 0 ? '-' : '+'}${String(Math.abs(ahead)).padStart(2, '0')}:00`;

let server: TestServer;
before(async () => {
  server = await startTestServer();
  const must = async (method: string, path: string, body: object, status: number) => {
    const answer = await server.call<{ id: string }>(method, `/api/v1/${path}`, { body });
    assert.equal(answer.status, status, answer.text);
    return answer.body.id;
  };
  const settings = { timezone: zone, decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  await must('PUT', 'tenant-settings', settings, 200);
  await must('POST', 'offers', { name: 'Card', status: 'active' }, 201);
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const id = await must(
    'POST',
    'decision-flows',
    { key: 'main', name: 'Main', draftConfig: { version: 2, nodes } },
    201,
  );
  await must('POST', 'decision-flows/publish', { id }, 200);
  await must('POST', 'recommend', { customerId: 'C-1', decisionFlowKey: 'main' }, 200);
});
after(() => server?.close());

const propertiesOf = ({ query }: Operation): object => (query as { properties?: object } | undefined)?.properties ?? {};

/** Versions are compared by number, not by time. */
const ofVersions = (operation: Operation): boolean => operation.path.endsWith('/versions/diff');
const ranged = (Object.values(operations) as Operation[]).filter(
  (operation) => !ofVersions(operation) && ['from', 'to'].some((name) => name in propertiesOf(operation)),
);

test('every operation with from or to accepts both by the shared schema, which explains them', () => {
  assert.ok(ranged.length >= 4, ranged.map(({ id }) => id).join());
  for (const operation of ranged) {
    const { from, to } = propertiesOf(operation) as typeof rangeQuery;
    assert.deepEqual([from, to], [rangeQuery.from, rangeQuery.to], operation.id);
  }
  assert.match(JSON.stringify(rangeQuery.from), /inclusive.*first instant in the tenant/);
  assert.match(JSON.stringify(rangeQuery.to), /exclusive.*first instant in the tenant/);
});

async function rowsOf(operation: Operation, query: Readonly<Record<string, string>>): Promise<number> {
  assert.ok(!operation.path.includes('{'), `say how ${operation.id} is called`);
  const answer = await server.call<Record<string, unknown>>(
    'GET',
    `${operation.path}?${new URLSearchParams(query).toString()}`,
  );
  assert.equal(answer.status, 200, answer.text);
  const list = answer.body.data ?? answer.body.traces;
  assert.ok(Array.isArray(list), operation.id);
  return list.length;
}

for (const operation of ranged) {
  test(`${operation.id}: from is inclusive, to exclusive, a date is its first instant in the tenant's zone`, async () => {
    const all = await rowsOf(operation, {});
    assert.ok(all > 0, 'something happened today');
    const cases: readonly (readonly [Record<string, string>, number])[] = [
      [{ from: day(0), to: day(1) }, all],
      [{ from: day(0), to: day(0) }, 0],
      [{ to: day(0) }, 0],
      [{ from: day(1) }, 0],
      [{ from: day(-1), to: day(0) }, 0],
      [{ from: new Date(midnight).toISOString(), to: day(1) }, all],
      [{ from: written }, all],
      [{ to: written }, 0],
    ];
    for (const [query, rows] of cases) assert.equal(await rowsOf(operation, query), rows, JSON.stringify(query));
  });
}
