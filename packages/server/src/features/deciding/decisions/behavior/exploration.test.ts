import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RecommendAnswer } from '@arbiter/contract';
import { canonicalJson, semantics } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { tzdataVersion } from '../../../../platform/time/zones.ts';

let server: TestServer;
const ids = { web: '', hero: '', side: '', flow: '' };

const draft = (explore: unknown) => ({
  version: 2,
  nodes: [
    { id: 'i', type: 'inventory', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'r', type: 'rank', config: { method: 'diversity', lambda: 0.8 } },
  ],
  flowConfig: { explore },
});

const put = (explore: unknown) =>
  server.call<{ errors: { path: string; code: string; message: string }[] }>('PUT', '/api/v1/decision-flows', {
    body: { id: ids.flow, draftConfig: draft(explore) },
  });

async function publish(explore: unknown): Promise<void> {
  const changed = await put(explore);
  assert.equal(changed.status, 200, changed.text);
  await server.publishFlow(ids.flow);
}

interface DecisionRecord {
  readonly engineVersion: string;
  readonly planHash: string;
  readonly slateProbability: number;
  readonly result: {
    readonly items: readonly { readonly selection: Selection }[];
    readonly draws?: readonly { readonly offerId: string; readonly probability: number; readonly explored: boolean }[];
  };
}
type Selection = { readonly probability: number; readonly explored: boolean; readonly method: string };

let number = 0;
/**
 * Decides with one request id after another until `wanted`. Each decision replays, and its record matches the answer.
 */
async function decideUntil(body: object, wanted: (answer: RecommendAnswer, record: DecisionRecord) => boolean) {
  for (let tried = 0; tried < 200; tried++) {
    number += 1;
    const requestId = `0199a0a0-0000-7000-8000-${String(number).padStart(12, '0')}`;
    const {
      status,
      body: answer,
      text,
    } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
      body: { customerId: `C${number}`, requestId, ...body },
    });
    assert.equal(status, 200, text);
    const replay = await server.call('POST', `/api/v1/decisions/${answer.recommendationId}/replay`, { body: {} });
    assert.deepEqual([replay.status, replay.body.identical, replay.body.differences], [200, true, []], replay.text);
    const record = await server.call<DecisionRecord>('GET', `/api/v1/decisions/${answer.recommendationId}`);
    assert.equal(record.status, 200, record.text);
    if (wanted(answer, record.body)) return { answer, record: record.body };
  }
  throw new Error('none of 200 decisions is as wanted');
}

before(async () => {
  server = await startTestServer();
  ids.web = await server.create('channels', { name: 'Web', channelType: 'web', couplingMode: 'atomic' });
  ids.hero = await server.create('placements', { name: 'Hero', channelId: ids.web, slotType: 'banner', maxSlots: 1 });
  ids.side = await server.create('placements', { name: 'Side', channelId: ids.web, slotType: 'card', maxSlots: 1 });
  for (let at = 0; at < 4; at++) {
    const offerId = await server.create('offers', { name: `Offer ${at}`, status: 'active', priority: 90 - at * 10 });
    const creative = (name: string, placementId: string) =>
      server.create('creatives', { name: `${name} ${at}`, offerId, channelId: ids.web, placementId, status: 'active' });
    if (at < 3) await creative('hero', ids.hero);
    // Only the second offer fits the side placement: drawn for the hero placement, it leaves that place empty.
    if (at === 1) await creative('side', ids.side);
  }
  ids.flow = await server.create('decision-flows', { key: 'explore', name: 'Explore' });
  await publish({ rate: 0.2, poolSize: 2 });
});
after(() => server?.close());

test('an explored item says so in response, trace and record, with its probability', async () => {
  await server.call('PUT', '/api/v1/tenant-settings', { body: { decisionTraceEnabled: true } });
  const { answer, record } = await decideUntil({ placement: ids.hero, limit: 1 }, ({ decisions }) =>
    decisions.some(({ selection, offerName }) => selection?.explored === true && offerName === 'Offer 1'),
  );
  const selection = { probability: 0.1, estimated: false, explored: true, method: 'diversity' };
  assert.deepEqual(answer.decisions[0]?.selection, selection);
  assert.equal(answer.trace.summary.slateProbability, 0.1);
  assert.deepEqual(record.result.items[0]?.selection, selection);
  assert.equal(record.slateProbability, 0.1);
  assert.equal(record.result.draws, undefined);
  const [row] = await server.testDatabase.ownerQuery<{ selection: Selection; slate: number }>(
    `select body -> 'selectedOffers' -> 0 -> 'selection' as selection, (body -> 'summary' ->> 'slateProbability')::float as slate
       from arbiter.decision_traces where id = $1`,
    [answer.trace.traceId],
  );
  assert.deepEqual(row, { selection, slate: 0.1 });
  const plain = await decideUntil(
    { placement: ids.hero, limit: 1 },
    ({ decisions }) => decisions[0]?.offerName === 'Offer 0',
  );
  assert.equal(plain.answer.decisions[0]?.selection?.probability, 0.9);
});

test('the record includes what coupling took back, and replays', async () => {
  const placements = [{ placementId: ids.hero }, { placementId: ids.side }];
  const { answer, record } = await decideUntil({ placements, deduplicate: true }, ({ count }) => count === 0);
  assert.equal(answer.emptyReason, 'coupling');
  assert.deepEqual(
    record.result.draws?.map(({ probability, explored }) => [probability, explored]),
    [[0.1, true]],
  );
  assert.equal(record.slateProbability, 0.1);
  const whole = await decideUntil({ placements, deduplicate: true }, ({ count }) => count === 2);
  assert.equal(whole.record.result.draws, undefined);
});

test('rejects an invalid exploration, says what is possible, and changes nothing', async () => {
  const before = await server.call('GET', `/api/v1/decision-flows/${ids.flow}`);
  const stranger = '0199a0a0-0000-7000-8000-0000000000ff';
  for (const [explore, path, code] of [
    [{ rate: 0.5 }, '/explore/rate', 'invalid_config'],
    [{ poolSize: 1 }, '/explore/poolSize', 'invalid_config'],
    [7, '/explore', 'invalid_config'],
    [{ rate: 0.1, channels: [stranger] }, '/explore/channels/0', 'unknown_reference'],
  ] as const) {
    const answer = await put(explore);
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual(
      answer.body.errors.map((error) => [error.path, error.code]),
      [[`/draftConfig/flowConfig${path}`, code]],
    );
  }
  const after = await server.call('GET', `/api/v1/decision-flows/${ids.flow}`);
  assert.deepEqual(after.body, before.body);
});

test('a record names the engine and the time zone rules that decided', async () => {
  const { record } = await decideUntil({ placement: ids.hero }, () => true);
  assert.match(record.engineVersion, /^\d+ tz=20\d\d[a-z]$/);
  assert.ok(record.engineVersion.endsWith(` tz=${tzdataVersion}`));
});

test("a plan states its semantics, and a newer engine's plan is rejected", async () => {
  const { answer, record } = await decideUntil({ placement: ids.hero }, () => true);
  const [stored] = await server.testDatabase.ownerQuery<{ body: Buffer }>(
    `select body from arbiter.plans where hash = decode($1, 'hex')`,
    [record.planHash],
  );
  assert.ok(stored);
  const head = JSON.parse(inflateRawSync(stored.body).toString('utf8')) as { semantics: number };
  assert.equal(head.semantics, semantics);
  const newer = canonicalJson({ ...head, semantics: 99 });
  const newerHash = hash('sha256', newer, 'buffer');
  await server.testDatabase.ownerQuery(
    `insert into arbiter.plans (tenant_id, hash, body, created_at, stored_at, config_version) values ($1, $2, $3, now(), now(), 0)`,
    [server.tenants[0].id, newerHash, deflateRawSync(newer)],
  );
  await server.testDatabase.ownerQuery('update arbiter.decisions set plan_hash = $2 where id = $1', [
    answer.recommendationId,
    newerHash,
  ]);
  for (const [method, path] of [
    ['POST', `decisions/${answer.recommendationId}/replay`],
    ['GET', `decisions/${answer.recommendationId}`],
  ] as const) {
    const refused = await server.call(method, `/api/v1/${path}`, method === 'POST' ? { body: {} } : {});
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /semantics 99; this server supports \d+/);
  }
});
