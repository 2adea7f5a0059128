import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

interface Config {
  readonly id: string;
  readonly dataClass: string;
  readonly retentionDays: number;
  readonly legalHold: boolean;
  readonly warning?: string | null;
}

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

const url = '/api/v1/admin/retention-configs';
const set = (body: unknown, key?: string) =>
  server.call<Config>('POST', url, { body, ...(key === undefined ? {} : { key }) });
const list = async (key = server.tenants[0].keys.admin) => (await server.call<Config[]>('GET', url, { key })).body;

test('lists the days that were set, keeps the rest at their defaults, and hides them from other tenants', async () => {
  assert.deepEqual(await list(), []);
  const made = await set({ dataClass: 'decisions', retentionDays: 36_500, legalHold: true });
  assert.equal(made.status, 200, made.text);
  const { warning: _, ...config } = made.body;
  assert.deepEqual(config, { id: config.id, dataClass: 'decisions', retentionDays: 36_500, legalHold: true });
  const again = await set({ dataClass: 'decisions', retentionDays: 1 });
  assert.deepEqual([again.body.id, again.body.retentionDays, again.body.legalHold], [config.id, 1, true]);
  assert.deepEqual(await list(), [{ ...config, retentionDays: 1 }]);
  assert.deepEqual(await list(server.tenants[1]!.keys.admin), []);
  const { body: audit } = await server.call<{ data: { action: string }[] }>(
    'GET',
    '/api/v1/audit-logs?entityType=retentionConfig',
  );
  assert.deepEqual(
    audit.data.map(({ action }) => action),
    ['update', 'update'],
  );
});

test('warns if interactions are deleted before the outcomes of their decisions arrive', async () => {
  await set({ dataClass: 'decisions', retentionDays: 365, legalHold: false });
  const short = await set({ dataClass: 'interactions', retentionDays: 454 });
  assert.match(short.body.warning ?? '', /454 days and decisions for 365/);
  assert.equal((await set({ dataClass: 'interactions', retentionDays: 455 })).body.warning, null);
  assert.match(
    (await set({ dataClass: 'decisions', retentionDays: 366 })).body.warning ?? '',
    /can't be evaluated without their outcomes/,
  );
  const held = await set({ dataClass: 'interactions', retentionDays: 1, legalHold: true });
  assert.equal(held.body.warning, null, 'what is held does not go');
});

test('simultaneous changes all succeed, even the first ones', async () => {
  const days = Array.from({ length: 8 }, (_, i) => 10 + i);
  const answers = await Promise.all(days.map((retentionDays) => set({ dataClass: 'summaries', retentionDays })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    days.map(() => 200),
  );
  assert.equal((await list()).filter(({ dataClass }) => dataClass === 'summaries').length, 1);
});

test('rejects values without effect, and changes nothing', async () => {
  const before = await list();
  for (const body of [
    {},
    { dataClass: 'decisions' },
    { retentionDays: 5 },
    { dataClass: 'decisions', retentionDays: 0 },
    { dataClass: 'decisions', retentionDays: 36_501 },
    { dataClass: 'decisions', retentionDays: 1.5 },
    { dataClass: 'unheard', retentionDays: 5 },
    { dataClass: 'decisions', retentionDays: 5, legalHold: 'yes' },
  ]) {
    const { status, body: problem } = await server.call('POST', url, { body });
    assert.deepEqual([status, problem.code], [400, 'validation_failed'], JSON.stringify(body));
  }
  assert.equal((await set({ dataClass: 'decisions', retentionDays: 5 }, server.tenants[0].keys.editor)).status, 403);
  assert.deepEqual(await list(), before);
});
