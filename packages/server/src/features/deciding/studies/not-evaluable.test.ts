// Records that a study can't judge: each is counted by its reason, and none affects the others
// (docs/design/lead.md 1).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { decideRounds, flowNodes, makeWorld, type StudyWorld } from './test-catalogue.ts';
import { backtest, readRows } from './test-studies.ts';

let server: TestServer;
let world: StudyWorld;
const change = [{ kind: 'offers', key: 'Offer 0', patch: { status: 'paused' } }];
const lenient = { maxNotEvaluableShare: 0.2 };

const recommend = async (customerId: string, more: object) => {
  const body = { customerId, channel: 'email', limit: 1, decisionFlowKey: 'main', ...more };
  const made = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(made.status, 200, made.text);
};

before(async () => {
  server = await startTestServer();
  const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });
  const schemaId = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: [
      field('customer_id', 'varchar', { length: 32, isPrimaryKey: true, isNullable: false }),
      field('age', 'integer'),
      field('secret', 'text', { neverStore: true }),
    ],
  });
  const rows = Array.from({ length: 20 }, (_, at) => ({ customer_id: `C${at}`, age: 20 + at, secret: 'x' }));
  const loaded = await server.call('POST', `/api/v1/schemas/${schemaId}/data`, { body: { rows } });
  assert.ok(loaded.status < 300, loaded.text);
  world = await makeWorld(server, 0);
  await decideRounds(server, 4, 20);
});
after(() => server?.close());

const filterOn = (field: string, operator: string, value: unknown) => ({
  overlay: [
    {
      kind: 'decision-flows',
      key: 'main',
      patch: { draft: { version: 2, nodes: flowNodes([filterNode(field, operator, value)]), flowConfig: {} } },
    },
  ],
});
const filterNode = (field: string, operator: string, value: unknown) => ({
  ...{ id: 'f', type: 'filter' },
  config: { conditions: [{ field, operator, value }] },
});

test('refuses a draft that reads unrecorded values, and names them', async () => {
  const { result } = await backtest(server, 'main', filterOn('customer.age', 'gt', 30));
  assert.deepEqual([result.verdict, result.reasons], ['refused', ['no_decisions', 'selection']]);
  assert.deepEqual([result.notEvaluable, result.notRecorded], [{ input_not_recorded: 80 }, ['customer.age']]);
});

test('a draft can read values that the setting recordReads recorded', async () => {
  const settings = await server.call('PUT', '/api/v1/tenant-settings', {
    body: { recordReads: { customer: ['age'], segments: [] } },
  });
  assert.ok(settings.status < 300, settings.text);
  const from = new Date().toISOString();
  for (let at = 0; at < 20; at += 1) await recommend(`C${at}`, {});
  const { result, id } = await backtest(server, 'main', { from, ...filterOn('customer.age', 'gt', 30) });
  assert.deepEqual([result.decisions, result.notEvaluable, result.byKind.newly_empty], [20, {}, 11]);
  const rows = await readRows(server, id);
  assert.ok(rows.every(({ kind }) => kind === 'newly_empty'));
});

test('counts erased, damaged and truncated records without affecting others', async () => {
  const { result: whole } = await backtest(server, 'main', { ...lenient, overlay: change });
  assert.deepEqual([whole.verdict, whole.notEvaluable, whole.decisions], ['ok', {}, 100]);
  // Cut: too much to record, and the draft reads part of it.
  await recommend('D0', { attributes: { page: 'home', blob: 'x'.repeat(5_000) } });
  const cut = await backtest(server, 'main', { ...lenient, ...filterOn('attributes.page', 'neq', 'shop') });
  assert.deepEqual([cut.result.notEvaluable, cut.result.notRecorded], [{ input_not_recorded: 1 }, ['attributes.page']]);
  const erased = await server.call('DELETE', '/api/v1/customers/C3/data?scope=everything', {
    headers: { 'x-confirm-delete': 'C3' },
  });
  assert.ok(erased.status < 300, erased.text);
  const { result, id } = await backtest(server, 'main', { ...lenient, overlay: change });
  assert.deepEqual([result.verdict, result.notEvaluable, result.decisions], ['ok', { erased: 5 }, 96]);
  const chained = await backtest(server, 'main', { ...lenient, mode: 'chained' });
  assert.deepEqual([chained.result.notEvaluable, chained.result.changed], [{ erased: 5 }, 0]);
  assert.equal((await readRows(server, id)).length, result.changed);
  await server.testDatabase.ownerQuery(
    `update arbiter.decisions set body = substring(body for length(body) - 1) || '\\x00'::bytea
     where id in (select id from arbiter.decisions where customer_ref in
       (select ref from arbiter.customer_states where customer_id = 'C4') order by id limit 2)`,
  );
  const damaged = await backtest(server, 'main', { ...lenient, overlay: change });
  assert.deepEqual([damaged.result.notEvaluable, damaged.result.decisions], [{ erased: 5, record_corrupt: 2 }, 94]);
});

test('refuses the result if too many records can’t be judged', async () => {
  const { result } = await backtest(server, 'main', { overlay: change, maxNotEvaluableShare: 0.01 });
  assert.deepEqual([result.verdict, result.reasons], ['refused', ['selection']]);
});

test('refuses the result if records can’t be reproduced', async () => {
  await server.testDatabase.ownerQuery(
    `update arbiter.decisions set result_hash = sha256('other') where customer_ref in
       (select ref from arbiter.customer_states where customer_id = 'C5')`,
  );
  const { result } = await backtest(server, 'main', { ...lenient, verify: true });
  assert.deepEqual([result.verdict, result.reasons], ['refused', ['engine_drift']]);
  assert.deepEqual([result.notEvaluable.engine_drift, result.drift.mismatches], [5, 5]);
});

test('counts records whose plan is missing', async () => {
  await server.testDatabase.ownerQuery(
    `update arbiter.decisions set plan_hash = sha256('none') where customer_ref in
       (select ref from arbiter.customer_states where customer_id = 'C6')`,
  );
  const { result } = await backtest(server, 'main', { ...lenient, overlay: change });
  assert.equal(result.notEvaluable.plan_missing, 5);
  assert.ok(world.offers.length > 0);
});
