import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { deletePart, forgetUnusedNames, insertPart, namesOf } from '../../deciding/archived-months/index.ts';
import { type ArchiveWorld, closedAfterDays, startArchiveWorld } from './test-archive.ts';

let world: ArchiveWorld;
const decided: RecommendAnswer[] = [];
const requestId = crypto.randomUUID();

const path = (id: string | null, rest = '') => `/api/v1/decisions/${id}${rest}`;
const get = async <Body = Record<string, unknown>>(url: string) => {
  const { status, body, text } = await world.server.call<Body>('GET', url);
  assert.equal(status, 200, text);
  return body;
};
const post = (url: string, body: object = {}) => world.server.call<Record<string, unknown>>('POST', url, { body });

/** Readings that must be the same before and after. */
async function readings() {
  const source = (type: string) => get(`/api/v1/dashboard-data?type=${type}&days=90`);
  return {
    decisions: await Promise.all(decided.map(({ recommendationId }) => get(path(recommendationId, '?include=inputs')))),
    named: await get(path(requestId)),
    summaries: await get('/api/v1/customers/C-1/summaries?periodType=monthly'),
    selections: await source('selection_frequency'),
    trend: await source('daily_trend'),
    funnel: await source('funnel'),
  };
}

before(async () => {
  world = await startArchiveWorld();
  const settings = { decisionTraceEnabled: true, decisionTraceSampleRate: 1, explanationsEnabled: true };
  await world.server.call('PUT', '/api/v1/tenant-settings', { body: settings });
  for (let number = 0; number < 12; number += 1) {
    const more = number === 0 ? { requestId } : {};
    const context = { page: `page ${number}`, big: 12_345_678_901 };
    const answer = await world.decide(`C-${number % 4}`, { attributes: { plan: 'gold' }, context, ...more });
    decided.push(answer);
    const [item] = answer.decisions;
    assert.ok(item);
    const response = { recommendationId: answer.recommendationId, rank: 1, outcome: 'convert', conversionValue: 12.5 };
    const about = { context: { page: 'home' }, attributes: { note: 'a note' } };
    assert.equal((await post('/api/v1/respond', { ...response, ...about })).status, 200);
  }
  // On an explicit channel, items are reserved.
  decided.push(await world.decide('C-1', { channel: 'phone' }));
  await world.publish();
  world.ahead();
});
after(() => world?.close());

test('archives closed months, and reads them as before', async () => {
  const tables = ['decisions', 'interactions', 'decision_impressions'];
  const rows = await Promise.all(tables.map(world.count));
  assert.ok(rows.every((count) => count > 0));
  const before = await readings();
  assert.notDeepEqual(before.selections.rows, []);
  await world.run('history.archive');
  assert.deepEqual(await Promise.all(tables.map(world.count)), [0, 0, 0]);
  const archives = await world.archives();
  assert.deepEqual(
    archives.map(({ kind, rows, excluded, state }) => ({ kind, rows, excluded, state })),
    ['decisions', 'impressions', 'interactions'].map((kind) => ({
      ...{ kind, excluded: 0, state: 'archived' },
      rows: rows[['decisions', 'interactions', 'impressions'].indexOf(kind)],
    })),
  );
  assert.deepEqual([...(await world.files()).keys()].sort(), archives.map((archive) => archive.path).sort());
  assert.deepEqual(await readings(), before);
});

test('replays, proves and explains an archived decision', async () => {
  for (const { recommendationId } of decided) {
    const replay = await post(path(recommendationId, '/replay'));
    assert.equal(replay.body.identical, true, replay.text);
  }
  const proof = await world.server.call('GET', path(requestId, '/proof'));
  assert.equal(proof.status, 200);
  assert.match(proof.text, /"format":1/);
  const explained = await get(path(requestId, '?include=explanation'));
  assert.ok(explained.explanation);
  const [first] = decided;
  const whyNot = await post(`/api/v1/customers/C-0/why-not/${world.offers[2]}`, {
    decisionId: first?.recommendationId,
  });
  assert.equal(whyNot.status, 200, whyNot.text);
});

test('lists say which months they leave out', async () => {
  const month = new Date().toISOString().slice(0, 7);
  for (const url of ['/api/v1/decisions', '/api/v1/interaction-history']) {
    const { data, warnings } = await get<{ data: unknown[]; warnings?: { code: string; message: string }[] }>(url);
    assert.equal(data.length, 0);
    assert.deepEqual(
      warnings?.map(({ code }) => code),
      ['month_archived'],
    );
    assert.match(warnings?.[0]?.message ?? '', new RegExp(month));
    const later = await get<{ warnings?: unknown[] }>(`${url}?from=2200-01-01`);
    assert.equal(later.warnings, undefined);
  }
});

test('plans and evidence stay for as long as an archived record needs them', async () => {
  await world.run('sealed-records.retain');
  const replay = await post(path(requestId, '/replay'));
  assert.equal(replay.body.identical, true, replay.text);
  await world.run('decisions.retain');
  assert.equal((await world.server.call('GET', path(requestId))).status, 200);
});

test('verifies files and restores rows, once', async () => {
  const before = await readings();
  for (const { id } of await world.archives()) {
    const verified = await post(`/api/v1/admin/archives/${id}/verify`);
    assert.equal(verified.status, 200, verified.text);
    assert.equal(verified.body.problem, null);
    const started = await post(`/api/v1/admin/archives/${id}/restore`);
    assert.equal(started.status, 202, started.text);
    assert.equal(started.body.state, 'restoring');
    await world.run('archive.restore', { archiveId: id });
    await world.run('archive.restore', { archiveId: id });
    const again = await post(`/api/v1/admin/archives/${id}/restore`);
    assert.equal(again.body.code, 'invalid_transition', again.text);
  }
  assert.equal(await world.count('decisions'), decided.length);
  assert.equal(await world.count('interaction_summaries'), 0);
  assert.deepEqual(await readings(), before);
  const list = await get<{ data: unknown[]; warnings?: unknown[] }>('/api/v1/decisions');
  assert.equal(list.data.length, decided.length);
  assert.equal(list.warnings, undefined);
  await world.run('history.archive');
  assert.equal(await world.count('decisions'), decided.length, 'a restored month stays for 30 days');
  world.ahead(closedAfterDays + 31);
  await world.run('history.archive');
  assert.equal(await world.count('decisions'), 0);
  assert.deepEqual(
    (await world.archives()).map(({ state }) => state),
    ['archived', 'archived', 'archived'],
    'the earlier files are gone',
  );
  assert.equal((await world.files()).size, 3);
});

test('a class under legal hold is not archived, and its files stay past their age', async () => {
  const hold = (dataClass: string, retentionDays: number, legalHold: boolean) =>
    post('/api/v1/admin/retention-configs', { dataClass, retentionDays, legalHold });
  const late = await world.decide('C-9');
  assert.equal((await hold('decisions', 1, true)).status, 200);
  world.ahead(closedAfterDays + 62);
  await world.run('history.archive');
  assert.equal(await world.count('decisions'), 1);
  assert.equal(await world.count('decision_impressions'), 0);
  await world.run('sealed-records.retain');
  assert.equal((await world.server.call('GET', path(requestId))).status, 200);
  assert.equal((await hold('decisions', 1, false)).status, 200);
  await world.run('history.archive');
  await world.run('sealed-records.retain');
  const gone = await world.server.call('GET', path(requestId));
  assert.equal(gone.status, 404, gone.text);
  assert.ok((await world.server.call('GET', path(late.recommendationId))).status === 404);
  assert.ok((await world.archives()).every(({ kind }) => kind !== 'decisions'));
});

test('customers’ names in files go with the last file of history', async () => {
  assert.ok((await world.archives()).length > 0);
  assert.ok((await world.count('archived_customers')) > 0);
  const { status } = await post('/api/v1/admin/retention-configs', { dataClass: 'interactions', retentionDays: 1 });
  assert.equal(status, 200);
  await world.run('history.archive');
  assert.deepEqual(await world.archives(), []);
  assert.equal(await world.count('archived_customers'), 0);
});

test('a customer’s name in files goes with the last month that has it', async () => {
  const part = (month: string) => ({ id: newId(), kind: 'impressions' as const, month, zone: 'UTC', exported: false });
  const [first, second] = [part('2020-01'), part('2020-02')];
  const names = () =>
    world.server.testDatabase.ownerQuery('select customer_id as name from arbiter.archived_customers order by 1');
  await world.within(async (tx) => {
    await insertPart(tx, first);
    await namesOf(tx, ['once', 'twice'], first.month, () => Buffer.of(1));
    await insertPart(tx, second);
    await namesOf(tx, ['twice'], second.month, () => Buffer.of(1));
    await forgetUnusedNames(tx);
  });
  assert.deepEqual(await names(), [{ name: 'once' }, { name: 'twice' }]);
  await world.within(async (tx) => {
    await deletePart(tx, first.id);
    await forgetUnusedNames(tx);
  });
  assert.deepEqual(await names(), [{ name: 'twice' }]);
  await world.within(async (tx) => {
    await deletePart(tx, second.id);
    await forgetUnusedNames(tx);
  });
  assert.deepEqual(await names(), []);
});
