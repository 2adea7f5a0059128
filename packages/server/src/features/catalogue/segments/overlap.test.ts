import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { segmentsUrl, type TestSegments, testSegments } from './test-segments.ts';

let server: TestServer;
let segments: TestSegments;

before(async () => {
  server = await startTestServer();
  segments = testSegments(server);
});
after(() => server.close());

test('overlap: pairs, all together, warnings, and a sample beyond the size', async () => {
  const crowd = await segments.schema('crowd', [
    { name: 'customer_id', dataType: 'integer', isPrimaryKey: true },
    { name: 'n', dataType: 'integer' },
  ]);
  await segments.insert(
    crowd,
    Array.from({ length: 2000 }, (_, n) => ({ customer_id: n, n })),
  );
  const make = (name: string, from: number, to: number) =>
    segments.create({ name, baseSchemaId: crowd, filters: [{ field: 'n', operator: 'between', value: [from, to] }] });
  const a = await make('A', 0, 99);
  const b = await make('B', 50, 149);
  const c = await make('C', 90, 1989);
  interface Overlap {
    segments: { id: string; name: string; size: number }[];
    overlaps: { segments: string[]; count: number; percent: number }[];
    totalUniqueCustomers: number;
    overlapWarnings: { segments: string[]; percent: number }[];
    sampled: boolean;
  }
  const overlap = async (body: object) => (await segments.call<Overlap>('POST', `${segmentsUrl}/overlap`, body)).body;
  const exact = await overlap({ segmentIds: [a.id, b.id, c.id] });
  assert.deepEqual(exact, {
    segments: [
      { id: a.id, name: 'A', size: 100 },
      { id: b.id, name: 'B', size: 100 },
      { id: c.id, name: 'C', size: 1900 },
    ],
    overlaps: [
      { segments: [a.id, b.id], count: 50, percent: 50 },
      { segments: [a.id, c.id], count: 10, percent: 10 },
      { segments: [b.id, c.id], count: 60, percent: 60 },
      { segments: [a.id, b.id, c.id], count: 10, percent: 10 },
    ],
    totalUniqueCustomers: 1990,
    overlapWarnings: [
      {
        segments: [a.id, b.id],
        percent: 50,
        message: '"A" and "B" share 50 % of the smallest segment',
      },
      {
        segments: [b.id, c.id],
        percent: 60,
        message: '"B" and "C" share 60 % of the smallest segment',
      },
    ],
    sampled: false,
  });
  for (const sampleSize of [1990, 1989]) {
    const counted = await overlap({ segmentIds: [a.id, c.id], sampleSize: sampleSize });
    assert.equal(counted.sampled, sampleSize === 1989);
  }
  const sampled = await overlap({ segmentIds: [a.id, c.id], sampleSize: 100 });
  assert.equal(sampled.sampled, true);
  assert.ok(
    sampled.totalUniqueCustomers > 1000 && sampled.totalUniqueCustomers < 3000,
    String(sampled.totalUniqueCustomers),
  );
  assert.deepEqual(
    await overlap({ segmentIds: [a.id, c.id], sampleSize: 100 }),
    sampled,
    'the same customers each time',
  );
  for (const [segmentIds, code] of [
    [[a.id, newId()], 'reference_not_found'],
    [[a.id], 'validation_failed'],
    [[a.id, a.id], 'validation_failed'],
  ] as const) {
    const refused = await segments.call('POST', `${segmentsUrl}/overlap`, { segmentIds });
    assert.deepEqual([refused.status, refused.body.code], [400, code]);
  }
  assert.deepEqual(
    await segments.members(a.id, 7),
    Array.from({ length: 100 }, (_, n) => String(n)),
    'in the order of the key',
  );
});
