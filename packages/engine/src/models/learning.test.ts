import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { stream } from '../random/stream.ts';
import { addCounts, countOutcome, newCounts, openCounts, stateOfCounts } from './bayesian-counts.ts';
import type { Lesson } from './model-kind.ts';
import { modelKinds } from './model-kinds.ts';
import { scoreOffers } from './score-one.ts';

/** How outcomes teach models: properties that hold for random lessons, and each check of a state. */

const binEdges = { age: [25, 40, 60] };
const predictors: readonly Json[] = ['age', 'job'];
const jobs = ['cook', 'nurse', 'pilot', 'smith'];

function randomLessons(name: string, count: number): Lesson[] {
  const next = stream('0'.repeat(32), name);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  return Array.from({ length: count }, (): Lesson => {
    const features = {
      ...(next() < 0.8 ? { age: Math.floor(next() * 80) } : {}),
      ...(next() < 0.8 ? { job: pick(jobs) } : {}),
    };
    return { offerId: 'A', reward: next() < 0.4 ? 1 : 0, weight: pick([1, 1, 2, 3]), features };
  });
}

const learn = (type: string, state: JsonObject, lessons: readonly Lesson[], config: JsonObject = {}): JsonObject =>
  modelKinds.get(type)!.learn!(state, lessons, { config, predictors });
const empty = (type: string, config: JsonObject = {}): JsonObject => modelKinds.get(type)!.state!.empty(config);

function countsOf(lessons: readonly Lesson[]) {
  const counts = newCounts(binEdges);
  for (const { features, reward, weight } of lessons) {
    const values = [features.age ?? null, features.job ?? null] as (number | string | null)[];
    countOutcome(counts, ['age', 'job'], (at) => values[at]!, reward, weight);
  }
  return counts;
}

/** Adds counts without changing them. */
const sum = (...all: ReturnType<typeof newCounts>[]) => {
  const total = newCounts(binEdges);
  for (const each of all) addCounts(total, each);
  return total;
};

test('merging counts is associative and commutative, and gives the counts of all outcomes', () => {
  for (let round = 0; round < 50; round++) {
    const lessons = randomLessons(`merge ${round}`, 60);
    const [a, b, c] = [lessons.slice(0, 7), lessons.slice(7, 31), lessons.slice(31)].map(countsOf);
    const whole = stateOfCounts(countsOf(lessons), true);
    assert.deepEqual(stateOfCounts(sum(sum(a!, b!), c!), true), whole);
    assert.deepEqual(stateOfCounts(sum(a!, sum(b!, c!)), true), whole);
    assert.deepEqual(stateOfCounts(sum(c!, a!, b!), true), whole);
  }
});

test("bayesian counts don't depend on the order of outcomes or on slices", () => {
  for (let round = 0; round < 50; round++) {
    const lessons = randomLessons(`order ${round}`, 40);
    const start = empty('bayesian', { binEdges });
    const once = learn('bayesian', start, lessons);
    const inSlices = [lessons.slice(0, 3), lessons.slice(3, 20), lessons.slice(20)].reduce(
      (state, slice) => learn('bayesian', state, slice),
      start,
    );
    assert.deepEqual(inSlices, once);
    const sorted = (state: JsonObject) => stateOfCounts(openCounts(state), true);
    assert.deepEqual(sorted(learn('bayesian', start, [...lessons].reverse())), sorted(once));
    assert.deepEqual(start, empty('bayesian', { binEdges }), 'the state that it started from is the same');
  }
});

test('an online learner depends on the order of lessons, but not on slices', () => {
  const lessons = randomLessons('online', 200);
  const start = empty('online_learner');
  const once = learn('online_learner', start, lessons);
  for (const cut of [1, 50, 199]) {
    const first = learn('online_learner', start, lessons.slice(0, cut));
    assert.deepEqual(learn('online_learner', first, lessons.slice(cut)), once);
  }
  assert.notDeepEqual(learn('online_learner', start, [...lessons].reverse()), once);
  assert.deepEqual(start, empty('online_learner'));
});

test('an online learner takes the steps of its formula', () => {
  // First lesson: age was never seen, so x = 0; job=cook has x = 1. p = 0.5, eta = 0.05, weight 2.
  const first = learn('online_learner', empty('online_learner'), [
    { offerId: 'A', reward: 1, weight: 2, features: { age: 30, job: 'cook' } },
  ]);
  assert.deepEqual(first, {
    weights: { age: 0, 'job=cook': 0.05 },
    bias: 0.05,
    n: 1,
    stats: { age: { n: 1, mean: 30, m2: 0 } },
  });
  const state = { weights: { age: 0.4, 'job=cook': 0.2 }, bias: 0, n: 4, stats: { age: { n: 4, mean: 30, m2: 400 } } };
  const lesson = { offerId: 'A', reward: 0, weight: 1, features: { age: 45 } } as const;
  const { weights, bias, stats } = learn('online_learner', state, [lesson], { eta: 0.1, l2: 0.01 });
  // x = (45 - 30) / sqrt(400 / 4) = 1.5; p = sigmoid(0.6).
  const error = -1 / (1 + Math.exp(-0.6));
  const near = (actual: unknown, expected: number) => assert.ok(Math.abs(Number(actual) - expected) < 1e-12);
  near((weights as JsonObject).age, 0.4 * (1 - 0.1 * 0.01) + 0.1 * error * 1.5);
  near((weights as JsonObject)['job=cook'], 0.2 * (1 - 0.1 * 0.01));
  near(bias, 0.1 * error);
  assert.deepEqual(stats, { age: { n: 5, mean: 33, m2: 400 + 15 * 12 } });
});

test('an online learner learns what decides', () => {
  const next = stream('1'.repeat(32), 'decides');
  const lessons = Array.from({ length: 3_000 }, (): Lesson => {
    const age = 20 + next() * 60;
    return { offerId: 'A', reward: age > 50 ? 1 : 0, weight: 1, features: { age } };
  });
  const state = learn('online_learner', empty('online_learner'), lessons);
  const scoreAt = (age: number) =>
    scoreOffers({ key: 'm', modelType: 'online_learner', config: {}, predictors }, state, [null], {
      attributes: { age },
      customer: {},
      now: 0,
      seed: '0'.repeat(32),
    })[0]!.score;
  assert.ok(scoreAt(75) > 0.8 && scoreAt(25) < 0.2, `${scoreAt(75)} and ${scoreAt(25)}`);
});

const bayesian = {
  n: 3,
  classes: { pos: 1, neg: 2 },
  binEdges: { age: [30] },
  categories: { job: ['cook'] },
  counts: { age: { pos: [1, 0], neg: [0, 2] }, job: { pos: [0], neg: [1] } },
};
const logistic = {
  bias: 0,
  weights: { age: 1, 'job=cook': 2 },
  means: { age: 3 },
  stds: { age: 1 },
  categories: { job: ['cook'] },
};
const online = { weights: { age: 1 }, bias: 0, n: 2, stats: { age: { n: 2, mean: 1, m2: 3 } } };

test('rejects a state with the path of the error', () => {
  const checks: readonly [type: string, state: Json, path: string | null][] = [
    ['bayesian', bayesian, null],
    ['bayesian', [], ''],
    ['bayesian', { ...bayesian, extra: 1 }, '/extra'],
    ['bayesian', { ...bayesian, n: 4 }, '/n'],
    ['bayesian', { ...bayesian, n: -1, classes: { pos: 1, neg: -2 } }, '/n'],
    ['bayesian', { ...bayesian, classes: 3 }, '/classes'],
    ['bayesian', { ...bayesian, classes: { pos: 1, neg: 2, all: 3 } }, '/classes/all'],
    ['bayesian', { ...bayesian, binEdges: { age: [30, 30] }, counts: {} }, '/binEdges/age/1'],
    ['bayesian', { ...bayesian, binEdges: { age: ['30'] } }, '/binEdges/age/0'],
    ['bayesian', { ...bayesian, binEdges: { age: [30], job: [1] } }, '/categories/job'],
    ['bayesian', { ...bayesian, categories: { job: ['cook', 'cook'] }, counts: {} }, '/categories/job/1'],
    ['bayesian', { ...bayesian, counts: { 'a/b': { pos: [], neg: [] } } }, '/counts/a~1b'],
    ['bayesian', { ...bayesian, counts: { age: { pos: [1], neg: [0, 2] } } }, '/counts/age/pos'],
    ['bayesian', { ...bayesian, counts: { age: { pos: [1, -1], neg: [0, 2] } } }, '/counts/age/pos/1'],
    ['bayesian', { ...bayesian, counts: { age: { pos: [1, 0, 0], neg: [0, 2] } } }, '/counts/age/pos'],
    ['logistic_regression', logistic, null],
    ['logistic_regression', { ...logistic, bias: null }, '/bias'],
    ['logistic_regression', { ...logistic, weights: { other: 1 } }, '/weights/other'],
    ['logistic_regression', { ...logistic, weights: { age: '1' } }, '/weights/age'],
    ['logistic_regression', { ...logistic, stds: {} }, '/stds'],
    ['logistic_regression', { ...logistic, stds: { age: -1 } }, '/stds/age'],
    ['logistic_regression', { ...logistic, stds: { age: 1, other: 1 } }, '/stds/other'],
    ['logistic_regression', { ...logistic, categories: { age: ['x'] }, weights: {} }, '/categories/age'],
    ['logistic_regression', { ...logistic, categories: { job: [1] }, weights: {} }, '/categories/job/0'],
    ['online_learner', online, null],
    ['online_learner', { ...online, n: 1e13 }, '/n'],
    ['online_learner', { ...online, weights: { age: 1e13 } }, '/weights/age'],
    ['online_learner', { ...online, stats: { age: { n: 1, mean: 1, m2: -1 } } }, '/stats/age/m2'],
    ['online_learner', { ...online, stats: { age: 3 } }, '/stats/age'],
    ['online_learner', { ...online, stats: { age: { n: 1, mean: 1, m2: 1, std: 1 } } }, '/stats/age/std'],
  ];
  for (const [type, state, path] of checks) {
    const problems = modelKinds.get(type)!.state!.check(state);
    assert.equal(problems[0]?.path ?? null, path, `${type} ${JSON.stringify(state)}: ${JSON.stringify(problems)}`);
  }
});

test('initial and learned states of a model can be stored', () => {
  for (const type of ['bayesian', 'online_learner']) {
    const { check, empty: begin } = modelKinds.get(type)!.state!;
    const start = begin({ binEdges });
    assert.deepEqual(check(start), [], type);
    assert.deepEqual(check(learn(type, start, randomLessons(type, 300))), [], type);
    const hostile = ['__proto__', 'constructor', 'x'.repeat(255)].map(
      (job): Lesson => ({ offerId: 'A', reward: 1, weight: 0.1, features: { job, age: 1e300 } }),
    );
    const after = learn(type, start, hostile);
    assert.deepEqual(check(after), [], type);
    assert.match(JSON.stringify(after), /__proto__/);
  }
});

test('rejects configs outside their ranges', () => {
  const problems = (type: string, config: JsonObject) =>
    modelKinds
      .get(type)!
      .check(config)
      .map(({ path }) => path);
  assert.deepEqual(problems('bayesian', { binEdges: { age: [2, 1] } }), ['/binEdges/age/1']);
  assert.deepEqual(problems('logistic_regression', { learningRate: 0, l2: 1.1, epochs: 1.5 }), [
    '/learningRate',
    '/l2',
    '/epochs',
  ]);
  assert.deepEqual(problems('logistic_regression', { learningRate: 1, l2: 0, epochs: 200 }), []);
  assert.deepEqual(problems('online_learner', { eta: 0, l2: -1 }), ['/eta', '/l2']);
});
