import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { startServerOn, startTestServer, type TestNode, type TestServer } from '../../../../main/test-server.ts';
import { createOutboxDispatcher } from '../../../operations/stream/index.ts';
import { expireCounts } from '../../objectives/index.ts';

/** Groups, ranking objectives and ranking profiles in decisions, over HTTP (docs/design/api-decisioning.md 8, 10). */

let server: TestServer;
/** Another process on the same database. */
let other: TestNode;
/** Moved by tests; both processes read it. */
let shiftMs = 0;
const clock = { now: () => Date.now() + shiftMs };
const ids: Record<string, string> = {};

interface Problem {
  readonly id: string;
  readonly code: string;
  readonly rowVersion: number;
  readonly errors: readonly { readonly path: string; readonly message: string; readonly code?: string }[];
}
const call = <Body = Problem>(method: string, path: string, body?: unknown, key?: string) =>
  server.call<Body>(method, `/api/v1/${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  });

async function create(path: string, body: object): Promise<string> {
  const made = await call('POST', path, body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

interface Node {
  readonly type: string;
  readonly config?: object;
}
const draftOf = (nodes: readonly Node[]) => ({
  version: 2,
  nodes: [{ type: 'inventory' }, ...nodes].map((node, at) => ({ id: `n${at}`, ...node })),
  flowConfig: { scoring: { method: 'priority_weighted' } },
});

let flows = 0;
/** A published flow of these nodes behind the inventory; answers its key. */
async function publish(...nodes: Node[]): Promise<string> {
  flows += 1;
  const key = `flow-${flows}`;
  const id = await create('decision-flows', { key, name: key, draftConfig: draftOf(nodes) });
  const done = await call('POST', 'decision-flows/publish', { id });
  assert.equal(done.status, 200, done.text);
  ids[key] = id;
  return key;
}

type Answer = RecommendAnswer & Problem;
async function recommend(decisionFlowKey: string, body: object = {}, on: Pick<TestServer, 'call'> = server) {
  const answer = await on.call<Answer>('POST', '/api/v1/recommend', {
    body: { customerId: 'C1', decisionFlowKey, ...body },
    key: server.tenants[0].keys.admin,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
const namesOf = ({ decisions }: RecommendAnswer) => decisions.map(({ offerName }) => offerName);
const scoresOf = ({ decisions }: RecommendAnswer) =>
  Object.fromEntries(decisions.map(({ offerName, score }) => [offerName, score]));
const slotsOf = ({ placementResults }: RecommendAnswer) =>
  Object.values(placementResults ?? {}).map(({ decisions }) => decisions.map(({ offerName }) => offerName));

async function assertReplays({ recommendationId }: RecommendAnswer) {
  const replay = await call<{ identical: boolean; differences: unknown[] }>(
    'POST',
    `decisions/${recommendationId}/replay`,
    {},
  );
  assert.deepEqual([replay.status, replay.body.identical, replay.body.differences], [200, true, []], replay.text);
}

const named = (...names: string[]) => names.map((name) => ({ placementId: ids[name] }));

async function countEvents() {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
}

const countsOf = async (answer: RecommendAnswer): Promise<number | null> => {
  const [row] = await server.testDatabase.ownerQuery<{ counts_number: string | null }>(
    'select counts_number from arbiter.decisions where id = $1',
    [answer.recommendationId],
  );
  return row?.counts_number == null ? null : Number(row.counts_number);
};

before(async () => {
  server = await startTestServer({ tenants: 2, clock });
  other = startServerOn({ ...server.testDatabase, close: async () => undefined }, { clock });
  ids.web = await create('channels', { name: 'Web', channelType: 'web' });
  ids.mail = await create('channels', { name: 'Mail', channelType: 'email' });
  ids.hero = await create('placements', { name: 'Hero', channelId: ids.web, maxSlots: 1 });
  ids.side = await create('placements', { name: 'Side', channelId: ids.web, maxSlots: 1 });
  ids.inbox = await create('placements', { name: 'Inbox', channelId: ids.mail, maxSlots: 1 });
  ids.cards = await create('categories', { name: 'Cards' });
  for (const [name, priority, businessValue, placementId] of [
    ['A', 90, 10, null],
    ['B', 80, 50, ids.hero],
    ['C', 30, 90, null],
  ] as const) {
    const offer = { name, priority, businessValue, status: 'active', categoryId: ids.cards };
    ids[name] = await create('offers', offer);
    const creative = { name, offerId: ids[name], channelId: ids.web, placementId, status: 'active' };
    await create('creatives', creative);
  }
});

after(async () => {
  await other?.close();
  await server?.close();
});

const weights = () => ({ [ids.hero!]: 1, [ids.side!]: 0.6 });

test('X6: greedy and optimal fill placements differently; trace and replay agree', async () => {
  await call('PUT', 'tenant-settings', { decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  const greedy = await publish({ type: 'group', config: { allocation: 'greedy', placementWeights: weights() } });
  const optimal = await publish({ type: 'group', config: { placementWeights: weights() } });
  const placements = named('hero', 'side');
  const first = await recommend(greedy, { placements });
  assert.deepEqual(slotsOf(first), [['A'], ['C']]);
  const best = await recommend(optimal, { placements, debug: true });
  assert.deepEqual(slotsOf(best), [['B'], ['A']]);
  assert.deepEqual(
    best.decisions.map(({ rank, placementRank, selection }) => [rank, placementRank, selection?.probability]),
    [
      [1, 1, 1],
      [2, 1, 1],
    ],
  );
  const trace = await call<{ pipeline: { stage: string; method: string | null; passed: number }[] }>(
    'GET',
    `decision-traces/${best.trace.traceId}`,
  );
  const stage = trace.body.pipeline.find((row) => row.stage === 'group');
  assert.deepEqual([stage?.method, stage?.passed], ['optimal', 2], trace.text);
  await assertReplays(first);
  await assertReplays(best);
});

test("uses the node's placements if the request names none, but not those of other channels", async () => {
  const group = { placements: [...named('inbox', 'side'), { placementId: ids.hero, maxSlots: 1 }] };
  const plain = await publish({ type: 'group', config: group });
  const answer = await recommend(plain, { channelId: ids.web });
  assert.deepEqual(
    answer.decisions.map(({ offerName, placementName }) => [offerName, placementName]),
    [
      ['A', 'Side'],
      ['B', 'Hero'],
    ],
  );
  assert.equal(answer.placementResults, null);
  await assertReplays(answer);
  const grouped = await publish(
    { type: 'group', config: group },
    { type: 'response', config: { responseFormat: 'grouped' } },
  );
  const rows = await recommend(grouped, { channelId: ids.web });
  assert.deepEqual(Object.keys(rows.placementResults ?? {}), [ids.side, ids.hero]);
  assert.deepEqual(slotsOf(rows), [['A'], ['B']]);
  // The request's own win.
  assert.deepEqual(slotsOf(await recommend(plain, { placements: named('hero') })), [['A']]);
  await assertReplays(rows);
});

test('coupling follows the allocation', async () => {
  const flow = await publish({ type: 'group' });
  await call('PUT', 'channels', { id: ids.web, couplingMode: 'atomic' });
  const placements = [...named('hero', 'side')];
  // Nothing is left for the side: what fits it is excluded.
  const emptied = await recommend(flow, { placements, excludeOffers: [ids.A, ids.C] });
  assert.deepEqual([emptied.count, emptied.emptyReason, slotsOf(emptied)], [0, 'coupling', [[], []]]);
  await assertReplays(emptied);
  await call('PUT', 'channels', { id: ids.web, couplingMode: 'partial' });
  assert.deepEqual(slotsOf(await recommend(flow, { placements, excludeOffers: [ids.A, ids.C] })), [['B'], []]);
});

test('rejects a bad group or optimize node with its path, and stores nothing', async () => {
  const stranger = '0199a0a0-0000-7000-8000-0000000000ff';
  const away = await call<Problem>(
    'POST',
    'ranking-profiles',
    { name: 'Theirs', weights: { margin: 1 } },
    server.tenants[1]!.keys.admin,
  );
  assert.equal(away.status, 201, away.text);
  const cases: readonly [Node, string, string][] = [
    [{ type: 'group', config: { allocation: 'best' } }, 'invalid_config', '/allocation'],
    [
      { type: 'group', config: { placements: [{ placementId: stranger }] } },
      'unknown_reference',
      '/placements/0/placementId',
    ],
    [
      { type: 'group', config: { placementWeights: { [stranger]: 1 } } },
      'unknown_reference',
      `/placementWeights/${stranger}`,
    ],
    [
      { type: 'group', config: { placementWeights: { [ids.hero!]: 10.1 } } },
      'invalid_config',
      `/placementWeights/${ids.hero}`,
    ],
    [{ type: 'optimize', config: { weights: { margin: 1 }, blendFactor: 1.1 } }, 'invalid_config', '/blendFactor'],
    [{ type: 'optimize', config: { profileId: away.body.id } }, 'unknown_reference', '/profileId'],
    [
      { type: 'optimize', config: { weights: { margin: 1 }, lagrangian: { enabled: true } } },
      'not_available',
      '/lagrangian/enabled',
    ],
    [
      { type: 'score', config: { method: 'formula', strategyProfileId: away.body.id } },
      'unknown_reference',
      '/strategyProfileId',
    ],
    [
      {
        type: 'score',
        config: {
          method: 'formula',
          strategyOverrides: [{ scope: 'category', value: 'Loans', profileId: away.body.id }],
        },
      },
      'unknown_reference',
      '/strategyOverrides/0/profileId',
    ],
  ];
  for (const [node, code, path] of cases) {
    const made = await call('POST', 'decision-flows', {
      key: 'refused',
      name: 'Refused',
      draftConfig: draftOf([node]),
    });
    assert.equal(made.status, 400, made.text);
    assert.ok(
      made.body.errors.some((error) => error.code === code && error.path === `/draftConfig/nodes/1/config${path}`),
      `${path}: ${made.text}`,
    );
  }
  const list = await call<{ data: { key: string }[] }>('GET', 'decision-flows?limit=100');
  assert.ok(!list.body.data.some(({ key }) => key === 'refused'));
});

test('objectives change scores; their counts are a numbered state that the record names and replays', async () => {
  const flow = await publish({ type: 'optimize', config: { weights: { fairness: 1 }, combine: 'replace' } });
  const counted = async () => {
    const flushed = await call('POST', 'admin/cache', {});
    assert.equal(flushed.status, 200, flushed.text);
    return flushed;
  };
  await countEvents();
  const flushed = await counted();
  assert.deepEqual(flushed.body, {
    success: true,
    flushed: ['offers', 'qualificationRule', 'contactPolicy', 'objectiveCounts', 'dailyTotals'],
    tenantId: server.tenants[0].id,
    timestamp: Reflect.get(flushed.body, 'timestamp'),
  });
  assert.ok(Number(flushed.headers['x-config-version']) > 0);
  const ask = (customerId: string, on: Pick<TestServer, 'call'> = server) =>
    recommend(flow, { customerId, channelId: ids.web, limit: 1, dryRun: true }, on);
  const before = await recommend(flow, { customerId: 'fair-1', channelId: ids.web });
  const number = await countsOf(before);
  assert.ok(number !== null && number > 0, `${number}`);
  const shares = scoresOf(before);
  // Impressions of one offer only: its share grows, and the others'score with it.
  const rank = namesOf(before);
  for (let at = 0; at < 20; at++) {
    const told = await call('POST', 'respond', {
      customerId: `seen-${at}`,
      offerId: ids[rank[0]!],
      channelId: ids.web,
      outcome: 'impression',
    });
    assert.ok(told.status < 300, told.text);
  }
  await countEvents();
  // Within the minute the state that is held stays in use.
  assert.deepEqual(
    scoresOf(await recommend(flow, { customerId: 'fair-1b', channelId: ids.web, dryRun: true })),
    shares,
  );
  await counted();
  const later = await recommend(flow, { customerId: 'fair-2', channelId: ids.web });
  assert.equal(await countsOf(later), number + 1);
  assert.ok(scoresOf(later)[rank[0]!]! < shares[rank[0]!]!, JSON.stringify([shares, scoresOf(later)]));
  assert.notEqual(namesOf(later)[0], rank[0]);
  // Another process has the newest state at once too.
  assert.equal(namesOf(await ask('fair-3', other))[0], namesOf(later)[0]);
  await assertReplays(before);
  await assertReplays(later);
  const record = await call<{ inputs: { objectiveCounts: { number: number } } }>(
    'GET',
    `decisions/${later.recommendationId}?include=inputs`,
  );
  assert.deepEqual(record.body.inputs.objectiveCounts, { number: number + 1 }, record.text);
  const audit = await call<{ data: { action: string; entityType: string; entityId: string }[] }>(
    'GET',
    'audit-logs?entityType=cache',
  );
  assert.deepEqual([audit.body.data[0]?.action, audit.body.data[0]?.entityId], ['update', 'all'], audit.text);
});

test('ignores a state older than a minute', async () => {
  const flow = await publish({ type: 'optimize', config: { weights: { fairness: 1 }, combine: 'replace' } });
  const first = await recommend(flow, { customerId: 'age-1', channelId: ids.web });
  const number = await countsOf(first);
  await countEvents();
  shiftMs += 61_000;
  const second = await recommend(flow, { customerId: 'age-2', channelId: ids.web });
  const newer = await countsOf(second);
  assert.ok(number !== null && newer !== null && newer > number, `${number} ${newer}`);
  shiftMs += 61_000;
  const idle = await recommend(flow, { customerId: 'age-3', channelId: ids.web, dryRun: true });
  assert.deepEqual(scoresOf(idle).length, scoresOf(second).length);
  await assertReplays(first);
  await assertReplays(second);
});

test('deletes states that no record needs, and keeps the others', async () => {
  const numbers = async () =>
    (
      await server.testDatabase.ownerQuery<{ number: string }>(
        'select number from arbiter.objective_counts where tenant_id = $1 order by number',
        [server.tenants[0].id],
      )
    ).map(({ number }) => Number(number));
  const before = await numbers();
  assert.ok(before.length > 1);
  const expire = (oldest: Date) =>
    server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) => expireCounts(tx, oldest));
  await expire(new Date(clock.now() + 40 * 86_400_000));
  assert.deepEqual(await numbers(), before, 'only the first is whole: all are needed');
  await server.testDatabase.ownerQuery('update arbiter.objective_counts set is_whole = true where number = $1', [
    before.at(-1),
  ]);
  await expire(new Date(clock.now()));
  assert.deepEqual(await numbers(), before, 'it is not a day older than the oldest record');
  await expire(new Date(clock.now() + 2 * 86_400_000));
  assert.deepEqual(await numbers(), [before.at(-1)]);
});

test("plans without these nodes read no counts, and their hash ignores profiles they don't name", async () => {
  const flow = await publish({ type: 'rank' });
  const planOf = async (answer: RecommendAnswer) =>
    (await call<{ planHash: string }>('GET', `decisions/${answer.recommendationId}`)).body.planHash;
  const before = await recommend(flow, { customerId: 'plain-1', channelId: ids.web });
  await create('ranking-profiles', { name: 'Unused', weights: { margin: 1 } });
  const behind = await recommend(flow, { customerId: 'plain-2', channelId: ids.web });
  assert.equal(await planOf(behind), await planOf(before));
  assert.equal(await countsOf(behind), null);
});

test("a changed profile affects the next decision in every process, and can't be deleted while in use", async () => {
  const profile = await create('ranking-profiles', { name: 'Goal', weights: { businessValue: 1 } });
  const flow = await publish({ type: 'optimize', config: { profileId: profile, combine: 'replace' } });
  const ask = (on: Pick<TestServer, 'call'>) => recommend(flow, { channelId: ids.web, dryRun: true }, on);
  for (const on of [server, other]) assert.deepEqual(namesOf(await ask(on)), ['C', 'B', 'A']);
  const stored = await recommend(flow, { channelId: ids.web, customerId: 'profile-1' });
  const put = await call('PUT', `ranking-profiles/${profile}`, { weights: { emphasis: 1 } });
  assert.equal(put.status, 200, put.text);
  for (const on of [server, other]) {
    const answer = await ask(on);
    assert.deepEqual(namesOf(answer), ['A', 'B', 'C']);
    assert.deepEqual(scoresOf(answer), { A: 0.9, B: 0.8, C: 0.3 });
  }
  assert.deepEqual(scoresOf(stored), { C: 1, B: 0.5, A: 0 });
  await assertReplays(stored);
  const refused = await call('DELETE', `ranking-profiles/${profile}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
});

test('strategies: the first one that is set gives the exponents of the formula', async () => {
  const profile = await create('ranking-profiles', { name: 'Emphasis', weights: { emphasis: 1 } });
  const even = await create('ranking-profiles', { name: 'Impact', weights: { impact: 1 } });
  const score = (config: object) => publish({ type: 'score', config: { method: 'formula', ...config } });
  const scores = async (flow: string) => {
    const answer = await recommend(flow, { customerId: 'strategy', channelId: ids.web });
    await assertReplays(answer);
    return scoresOf(answer);
  };
  const byEmphasis = { A: 0.9, B: 0.8, C: 0.3 };
  const byImpact = { A: 0.1, B: 0.5, C: 0.9 };
  assert.deepEqual(await scores(await score({ strategyProfileId: profile })), byEmphasis);
  const overrides = [{ scope: 'category', value: 'Cards', profileId: even }];
  assert.deepEqual(await scores(await score({ strategyProfileId: profile, strategyOverrides: overrides })), byImpact);
  const own = [{ channelId: ids.web, formula: { propensityWeight: 0, relevanceWeight: 0, impactWeight: 0 } }];
  assert.deepEqual(
    await scores(await score({ strategyOverrides: overrides, overrides: own })),
    byEmphasis,
    'an override of the channel beats strategies',
  );
});

test("the tenant's default profile is used by reference, audited, and kept while it's set", async () => {
  const url = 'tenant-settings';
  const flow = await publish({ type: 'score', config: { method: 'formula' } });
  const said = await publish({ type: 'score', config: { method: 'formula', formula: { propensityWeight: 0 } } });
  const profile = await create('ranking-profiles', { name: 'Default', weights: { emphasis: 1 } });
  const theirs = await call<Problem>(
    'POST',
    'ranking-profiles',
    { name: 'Away', weights: { margin: 1 } },
    server.tenants[1]!.keys.admin,
  );
  const ask = async (key: string) =>
    scoresOf(await recommend(key, { channelId: ids.web, customerId: 'default', dryRun: true }));
  const before = await ask(said);
  const settings = await call<{ settingsVersion: number }>('GET', url);
  for (const id of [theirs.body.id, '0199a0a0-0000-7000-8000-0000000000ff', ids.A]) {
    const refused = await call('PUT', url, { defaultArbitrationProfileId: id });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.errors[0]?.path],
      [400, 'reference_not_found', '/defaultArbitrationProfileId'],
      refused.text,
    );
  }
  assert.deepEqual((await call(`GET`, url)).body, settings.body);
  const set = await call<{ defaultArbitrationProfileId: string }>('PUT', url, {
    defaultArbitrationProfileId: profile.toUpperCase(),
  });
  assert.deepEqual([set.status, set.body.defaultArbitrationProfileId], [200, profile], set.text);
  assert.deepEqual(await ask(flow), { A: 0.9, B: 0.8, C: 0.3 });
  assert.deepEqual(await ask(said), before, 'a flow that names exponents keeps them');
  const refused = await call('DELETE', `ranking-profiles/${profile}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
  assert.match(refused.body.errors[0]?.message ?? '', /tenant setting "defaultArbitrationProfileId"/);
  const audit = await call<{ data: { changes: Record<string, unknown> }[] }>(
    'GET',
    'audit-logs?entityType=tenantSettings',
  );
  assert.match(JSON.stringify(audit.body.data[0]?.changes), new RegExp(profile));
  assert.equal((await call('PUT', url, { defaultArbitrationProfileId: null })).status, 200);
  assert.equal((await call('DELETE', `ranking-profiles/${profile}`)).status, 204);
  assert.notDeepEqual(await ask(flow), { A: 0.9, B: 0.8, C: 0.3 });
});

test('the tables of another tenant have no effect', async () => {
  const rows = await server.database.withTenant(server.tenants[1]!.id, systemActor('test'), (tx) =>
    tx.query('select number from arbiter.objective_counts'),
  );
  assert.deepEqual(rows, []);
});
