import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { type ModelWorld, modelWorld } from './test-models.ts';

let server: TestServer;
let world: ModelWorld;
const url = '/api/v1/algorithm-models';
before(async () => {
  server = await startTestServer({ tenants: 2 });
  world = await modelWorld(server, 3);
});
after(() => server.close());

interface Model {
  id: string;
  key: string;
  status: string;
  code: string;
  version: number;
  registryStatus: string;
  autoLearn: boolean;
  learnMode: string;
  modelState?: unknown;
  stateVersion: number | null;
  stateHash: string | null;
  data: Model[];
  errors: { path: string; message: string }[];
}
const call = (method: string, path: string, body?: unknown, key?: string) =>
  server.call<Model>(method, path, { ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) });
const rule = { id: 'a', field: 'age', operator: 'gte', value: 30, points: 15 };
let number = 0;
const make = async (modelType: string, more: object = {}) => {
  number += 1;
  const made = await call('POST', url, { key: `m${number}`, name: `Model ${number}`, modelType, ...more });
  assert.equal(made.status, 201, made.text);
  return made.body;
};

test('models have the defaults of their type, and show what they learned only one by one', async () => {
  const bandit = await make('epsilon_greedy', { config: { epsilon: 0.2 } });
  assert.deepEqual(
    [bandit.status, bandit.autoLearn, bandit.learnMode, bandit.registryStatus],
    ['draft', true, 'continuous', 'draft'],
  );
  assert.deepEqual(bandit.modelState, { arms: {}, epsilon: 0.2, decayRate: 0.001, totalPulls: 0 });
  const card = await make('scorecard');
  assert.deepEqual([card.autoLearn, card.learnMode, card.modelState, card.stateHash], [false, 'none', null, null]);
  const list = await call('GET', `${url}?modelType=epsilon_greedy`);
  assert.ok(list.body.data.some(({ id }) => id === bandit.id));
  assert.equal(
    list.body.data.some(({ modelState, id }) => modelState !== undefined || id === card.id),
    false,
  );
});

test("rejects what can't act with its path, and changes nothing", async () => {
  const refused = async (body: object, path: string) => {
    const made = await call('POST', url, { key: 'refused', name: 'Refused', modelType: 'scorecard', ...body });
    assert.deepEqual(
      [made.status, made.body.code, made.body.errors[0]?.path],
      [400, 'validation_failed', path],
      `${JSON.stringify(body)} ${made.text}`,
    );
    return made.body.errors[0]?.message ?? '';
  };
  assert.match(await refused({ modelType: 'neural_cf' }, '/modelType'), /not available in this version/);
  await refused({ modelType: 'oracle' }, '/modelType');
  const rules = (...list: unknown[]) => ({ config: { rules: list } });
  await refused(rules({ ...rule, id: '' }), '/config/rules/0/id');
  await refused(rules(rule, rule), '/config/rules/1/id');
  await refused(rules({ ...rule, field: 'channel.id' }), '/config/rules/0/field');
  await refused(rules({ ...rule, field: 'a..b' }), '/config/rules/0/field');
  await refused(rules({ ...rule, operator: 'like' }), '/config/rules/0/operator');
  await refused(rules({ ...rule, operator: 'in', value: 3 }), '/config/rules/0/value');
  await refused(rules({ ...rule, operator: 'regex', value: '(?=a)' }), '/config/rules/0/value');
  await refused(rules({ ...rule, points: '15' }), '/config/rules/0/points');
  await refused(rules(7), '/config/rules/0');
  await refused(rules(...Array.from({ length: 201 }, (_, at) => ({ ...rule, id: `${at}` }))), '/config/rules');
  await refused({ config: { minScore: 10, maxScore: 10 } }, '/config/maxScore');
  await refused({ config: { normalization: 'log' } }, '/config/normalization');
  await refused({ predictors: ['age', 'age'] }, '/predictors/1');
  await refused({ predictors: [{ name: 'a', source: 'creative.id' }] }, '/predictors/0/source');
  await refused({ predictors: [{ name: 'a', type: 'numeric', default: 'x' }] }, '/predictors/0/default');
  await refused({ autoLearn: true }, '/autoLearn');
  await refused({ learnMode: 'continuous' }, '/learnMode');
  await refused({ learnMode: 'scheduled' }, '/learnMode');
  await refused({ outcomeWeights: { click: 10.1 } }, '/outcomeWeights/click');
  await refused({ learningConfig: { noResponseHours: 721 } }, '/learningConfig/noResponseHours');
  await refused({ learningConfig: { noResponseHours: 0 } }, '/learningConfig/noResponseHours');
  await refused({ modelType: 'epsilon_greedy', config: { epsilon: 1.1 } }, '/config/epsilon');
  const whole = Array.from({ length: 200 }, (_, at) => ({ ...rule, id: `${at}` }));
  assert.equal(
    (await call('POST', url, { key: 'whole', name: 'Whole', modelType: 'scorecard', config: { rules: whole } })).status,
    201,
  );
});

test('validates a state by its type, and replaces what was learned', async () => {
  const arm = 'aaaaaaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa';
  const thompson = await make('thompson_bandit');
  const epsilon = await make('epsilon_greedy');
  const put = (id: string, modelState: unknown) => call('PUT', `${url}/${id}`, { modelState });
  for (const [id, state, path] of [
    [thompson.id, { arms: { [arm]: { alpha: 0, beta: 1 } } }, `/arms/${arm}/alpha`],
    [thompson.id, { arms: { [arm]: { alpha: 1 } } }, `/arms/${arm}/beta`],
    [thompson.id, { arms: { [arm]: { alpha: 1, beta: 1, gamma: 1 } } }, `/arms/${arm}/gamma`],
    [thompson.id, { arms: { A: { alpha: 1, beta: 1 } } }, '/arms/A'],
    [thompson.id, { arms: [] }, '/arms'],
    [thompson.id, { arms: {}, epsilon: 1 }, '/epsilon'],
    [epsilon.id, { arms: {}, epsilon: 0.1, decayRate: 0.001 }, '/totalPulls'],
    [
      epsilon.id,
      { arms: { [arm]: { pulls: 1, totalReward: 2 } }, epsilon: 0, decayRate: 0, totalPulls: 1 },
      `/arms/${arm}/totalReward`,
    ],
  ] as const) {
    const answer = await put(id, state);
    assert.deepEqual([answer.status, answer.body.errors[0]?.path], [400, `/modelState${path}`], answer.text);
  }
  const state = { arms: { [arm]: { alpha: 3, beta: 1.5 } } };
  const changed = await put(thompson.id, state);
  assert.deepEqual(
    [changed.status, changed.body.version, changed.body.stateVersion, changed.body.modelState],
    [200, 2, 2, state],
  );
  const card = await make('scorecard');
  assert.equal((await put(card.id, { arms: {} })).status, 400);
});

test('scores and explains the worked example, as decisions would', async () => {
  const points = [
    { id: 'adult', field: 'age', operator: 'gte', value: 30, points: 15 },
    { id: 'gold', field: 'customer.tier', operator: 'eq', value: 'gold', points: 5 },
    { id: 'offer', field: 'offer.name', operator: 'eq', value: 'Offer 1', points: -65 },
  ];
  const card = await make('scorecard', { config: { rules: points } });
  const score = (id: string, body: object) =>
    server.call<{
      score: number;
      rawScore: number;
      confidence: null;
      explanations: object[];
      code: string;
      results: { offerId: string; score: number }[];
    }>('POST', `${url}/${id}/score`, { body });
  const plain = await score(card.id, { attributes: { age: 30 } });
  assert.deepEqual(
    [plain.body.score, plain.body.rawScore, plain.body.confidence, plain.body.explanations],
    [0.71095, 65, null, [{ feature: 'age', value: 30, contribution: 15 }]],
    plain.text,
  );
  assert.equal((await score(card.id, { attributes: { age: 29.999 } })).body.score, 0.5);
  assert.equal((await score(card.id, { attributes: { age: 30 }, offerId: world.offers[1] })).body.rawScore, 0);
  const linear = await make('scorecard', { config: { normalization: 'linear', maxScore: 60, rules: points } });
  assert.equal((await score(linear.id, { attributes: { age: 31 } })).body.score, 1, 'clamped');
  assert.equal((await score(linear.id, { attributes: {} })).body.score, 0.833333);
  const set = await server.call<{ results: { offerId: string; score: number }[] }>(
    'POST',
    `${url}/${card.id}/score-offer-set`,
    {
      body: { attributes: { age: 40 }, offerIds: [world.offers[1], world.offers[2], world.offers[0]] },
    },
  );
  assert.deepEqual(
    set.body.results.map(({ offerId }) => offerId),
    [...[world.offers[0], world.offers[2]].sort(), world.offers[1]],
    set.text,
  );
  const bandit = await make('epsilon_greedy');
  assert.equal((await score(bandit.id, { attributes: {} })).status, 400);
  const untried = await score(bandit.id, { attributes: {}, offerId: world.offers[0] });
  assert.deepEqual([untried.status, untried.body.rawScore], [200, 1]);
  assert.equal((await score(bandit.id, { attributes: {}, offerId: card.id })).status, 404);
  const [, other] = server.tenants;
  assert.equal((await call('POST', `${url}/${card.id}/score`, { attributes: {} }, other?.keys.admin)).status, 404);
});

test('the registry follows the design page, with one champion per family', async () => {
  const family = 'next-best';
  const first = await make('scorecard', { family });
  const second = await make('scorecard', { family });
  const move = (id: string, toStatus: string, key?: string) => call('POST', `${url}/${id}/promote`, { toStatus }, key);
  const viewer = server.tenants[0].keys.viewer;
  assert.equal((await move(first.id, 'shadow', viewer)).status, 403);
  const early = await move(first.id, 'champion');
  assert.deepEqual([early.status, early.body.code], [409, 'invalid_transition']);
  for (const [id, to] of [
    [first.id, 'challenger'],
    [first.id, 'champion'],
    [second.id, 'shadow'],
    [second.id, 'champion'],
  ] as const) {
    const moved = await move(id, to);
    assert.deepEqual([moved.status, moved.body.registryStatus], [200, to], moved.text);
  }
  assert.equal((await call('GET', `${url}/${first.id}`)).body.registryStatus, 'archived');
  const away = await call('PUT', `${url}/${second.id}`, { family: 'other' });
  assert.deepEqual([away.status, away.body.code], [409, 'invalid_transition']);
  // Two that become champion at once: one is, the other was.
  const racers = [await make('scorecard', { family }), await make('scorecard', { family })];
  for (const { id } of racers) await move(id, 'challenger');
  const raced = await Promise.all(racers.map(({ id }) => move(id, 'champion')));
  assert.deepEqual(
    raced.map(({ status }) => status),
    [200, 200],
  );
  const standing = await call('GET', `${url}?family=${family}`);
  assert.equal(standing.body.data.filter(({ registryStatus }) => registryStatus === 'champion').length, 1);
  // A deleted champion comes back next to the one that replaced it.
  assert.equal((await call('DELETE', `${url}/${second.id}`)).status, 204);
});

test("flows name models by key or family; a flow with an inactive model can't be published, and a model in use can't be deleted", async () => {
  const unknown = await world.publish({ method: 'propensity', modelKey: 'nobody' });
  assert.equal(unknown.status, 422, unknown.text);
  assert.match(unknown.text, /unknown_reference/);
  const model = await make('scorecard', { family: 'used', config: { rules: [rule] } });
  const draft = await world.publish({ method: 'propensity', modelKey: model.key });
  assert.equal(draft.status, 422);
  assert.match(draft.text, /model_not_usable/);
  assert.equal((await call('PUT', `${url}/${model.id}`, { status: 'active' })).status, 200);
  const published = await world.publish({ method: 'propensity', modelKey: model.key });
  assert.equal(published.status, 200, published.text);
  for (const answer of [
    await call('DELETE', `${url}/${model.id}`),
    await call('PUT', `${url}/${model.id}`, { status: 'archived' }),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [409, 'in_use'], answer.text);
  }
  const made = await world.recommend('F1', { attributes: { age: 30 } });
  assert.deepEqual(
    [
      made.decisions[0]?.modelKey,
      made.decisions[0]?.modelType,
      made.decisions[0]?.propensitySource,
      made.decisions[0]?.score,
    ],
    [model.key, 'scorecard', 'model', 0.71095],
  );
  await world.replays(made);
  // Named by family: its champion; the key of a replaced model also means the champion.
  const next = await make('scorecard', { family: 'used', status: 'active', config: { baseScore: 80 } });
  for (const toStatus of ['challenger', 'champion']) {
    assert.equal((await call('POST', `${url}/${model.id}/promote`, { toStatus })).status, 200);
  }
  assert.equal((await world.publish({ method: 'propensity', modelKey: 'used' })).status, 200);
  assert.equal((await world.recommend('F1', { attributes: { age: 30 } })).decisions[0]?.modelKey, model.key);
  for (const toStatus of ['challenger', 'champion']) {
    assert.equal((await call('POST', `${url}/${next.id}/promote`, { toStatus })).status, 200);
  }
  assert.equal((await world.recommend('F1', { attributes: { age: 30 } })).decisions[0]?.modelKey, next.key);
  // A champion that a flow names by family can only be replaced, not removed.
  assert.equal((await world.publish({ method: 'propensity', modelKey: 'used' })).status, 200);
  for (const toStatus of ['archived', 'shadow', 'challenger']) {
    const left = await call('POST', `${url}/${next.id}/promote`, { toStatus });
    assert.deepEqual([left.status, left.body.code], [409, 'in_use'], left.text);
    assert.match(left.text, /"path":"\/toStatus","message":"would leave the family/);
  }
  assert.equal((await call('GET', `${url}/${next.id}`)).body.registryStatus, 'champion');
  assert.equal((await world.publish({ method: 'propensity', modelKey: model.key })).status, 200);
  assert.equal((await world.recommend('F1')).decisions[0]?.modelKey, next.key);
  // A paused model is left out; the ladder continues.
  assert.equal((await call('PUT', `${url}/${next.id}`, { status: 'paused' })).status, 200);
  const without = await world.recommend('F1');
  assert.deepEqual([without.decisions[0]?.modelKey, without.decisions[0]?.propensitySource], [null, 'default']);
  await world.replays(made);
});

test('skips a model after five failures in a row, and the record says so', async () => {
  const bandit = await make('thompson_bandit', { status: 'active' });
  assert.equal((await world.publish({ method: 'propensity', modelKey: bandit.key })).status, 200);
  const broken = { arms: Object.fromEntries(world.offers.map((id) => [id, { alpha: 'x', beta: 1 }])) };
  await server.testDatabase.ownerQuery(
    'update arbiter.model_states set state = $2, published_hash = null where model_id = $1',
    [bandit.id, JSON.stringify(broken)],
  );
  const inputs = async (id: string | null) =>
    (await server.call<{ inputs: { breakers: object } }>('GET', `/api/v1/decisions/${id}?include=inputs`)).body.inputs;
  for (let failure = 0; failure < 5; failure++) {
    const made = await world.recommend('B1');
    assert.deepEqual([made.degradedScoring, made.decisions[0]?.propensitySource], [true, 'default']);
    assert.deepEqual((await inputs(made.recommendationId)).breakers, {});
  }
  const left = await world.recommend('B1');
  assert.deepEqual([left.degradedScoring, left.decisions[0]?.modelKey], [true, null]);
  assert.deepEqual((await inputs(left.recommendationId)).breakers, { [bandit.key]: 'open' });
  await world.replays(left);
});

test('champion and challengers share customers, who keep theirs; overrides, scores of the request and holdout', async () => {
  const champion = await make('scorecard', { status: 'active', config: { baseScore: 20 } });
  const challenger = await make('scorecard', { status: 'active', config: { baseScore: 70 } });
  const shares = (weight: number, more: object = {}) => ({
    method: 'propensity',
    championChallenger: {
      enabled: true,
      champion: { modelKey: champion.key, weight: 100 - weight },
      challengers: [{ modelKey: challenger.key, weight }],
      ...more,
    },
  });
  const refused = await world.publish(shares(30, { experimentKey: 'x' }));
  assert.match(refused.text, /unknown_reference/);
  assert.equal((await world.publish(shares(30))).status, 200);
  const seen = { champion: 0, challenger: 0 };
  for (let at = 0; at < 60; at++) {
    const body = { dryRun: true };
    const [one, again] = [await world.recommend(`CC${at}`, body), await world.recommend(`CC${at}`, body)];
    const key = one.decisions[0]?.modelKey;
    assert.equal(again.decisions[0]?.modelKey, key);
    seen[key === champion.key ? 'champion' : 'challenger'] += 1;
    if (key !== champion.key) assert.equal(key, challenger.key);
  }
  assert.ok(seen.champion > seen.challenger && seen.challenger > 4, JSON.stringify(seen));
  const asked = await world.recommend('CC1', {
    attributes: { propensityScores: { [champion.key]: 0.9, [challenger.key]: 0.9 } },
  });
  assert.deepEqual([asked.decisions[0]?.propensitySource, asked.decisions[0]?.score], ['request', 0.9]);
  await world.replays(asked);
  // While paused, the challenger's customers get the champion.
  assert.equal((await call('PUT', `${url}/${challenger.id}`, { status: 'paused' })).status, 200);
  for (let at = 0; at < 20; at++) {
    assert.equal((await world.recommend(`CC${at}`, { dryRun: true })).decisions[0]?.modelKey, champion.key);
  }
  await world.publish({
    method: 'propensity',
    modelKey: champion.key,
    overrides: [{ channelType: 'web', modelKey: champion.key }],
  });
  await server.call('PUT', '/api/v1/tenant-settings', { body: { holdoutPercentage: 100 } });
  const held = await world.recommend('CC1');
  assert.deepEqual(
    [held.controlGroup, held.decisions[0]?.modelKey, held.decisions[0]?.propensitySource],
    [true, null, 'default'],
  );
  await server.call('PUT', '/api/v1/tenant-settings', { body: { holdoutPercentage: 0 } });
});

test('rules compare a model with a threshold, and shadow models appear in traces only', async () => {
  const model = await make('scorecard', {
    status: 'active',
    config: { rules: [{ ...rule, field: 'attributes.age' }] },
  });
  const shadow = await make('epsilon_greedy', { status: 'active' });
  const made = await server.call<{ id: string }>('POST', '/api/v1/qualification-rules', {
    body: {
      name: 'Likely',
      ruleType: 'propensity_threshold',
      stage: 'eligibility',
      config: { minScore: 0.71095, modelKey: model.key },
    },
  });
  assert.equal(made.status, 201, made.text);
  const flow = { method: 'priority_weighted', shadowModelKeys: [shadow.key] };
  assert.equal((await world.publish(flow, [{ id: 'q', type: 'qualify' }])).status, 200);
  const low = await world.recommend('T1', { attributes: { age: 30 }, debug: true });
  assert.equal(low.count, 0, 'the score is a little below what is shown of it');
  assert.equal(
    (
      await server.call('PUT', `/api/v1/qualification-rules/${made.body.id}`, {
        body: { config: { minScore: 0.71, modelKey: model.key } },
      })
    ).status,
    200,
  );
  const passed = await world.recommend('T1', { attributes: { age: 30 }, debug: true });
  assert.ok(passed.count > 0);
  const scores = passed.meta?.scores as { shadowScores: Record<string, number> }[] | undefined;
  assert.deepEqual(Object.keys(scores?.[0]?.shadowScores ?? {}), [shadow.key]);
  await world.replays(passed);
  const young = await world.recommend('T1', { attributes: { age: 29 }, debug: true });
  assert.equal(young.count, 0);
  await server.call('DELETE', `/api/v1/qualification-rules/${made.body.id}`);
});

test('with a bandit, eligibility shows one draw, says so, and its pages match', async () => {
  const bandit = await make('thompson_bandit', { status: 'active' });
  const ask = async (query = '') => {
    const url = `/api/v1/customers/D1/eligibility?${query}`;
    const { status, body, text } = await server.call<{
      sampled: boolean;
      offers: { offerId: string; score: number | null }[];
      pagination: { nextCursor: string | null };
    }>('GET', url);
    assert.equal(status, 200, text);
    return body;
  };
  assert.equal((await world.publish({ method: 'priority_weighted' })).status, 200);
  assert.equal((await ask()).sampled, false);
  assert.equal((await world.publish({ method: 'propensity', modelKey: bandit.key })).status, 200);
  const all = await ask();
  assert.equal(all.sampled, true);
  assert.ok(new Set(all.offers.map(({ score }) => score)).size > 2, 'scores are drawn');
  assert.deepEqual((await ask()).offers, all.offers);
  const seen: object[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof ask>> = await ask(`limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.offers);
    cursor = page.pagination.nextCursor;
  }
  assert.deepEqual(seen, all.offers);
});
