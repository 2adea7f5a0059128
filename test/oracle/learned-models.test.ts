import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Json, type SnapshotModel, scoreOffers } from '@arbiter/engine';
import { type Chance, chanceOf } from '../../packages/engine/test/corpus/chance.ts';
import { sized } from '../form.ts';
import { learnedScore } from './learned-models.ts';

/** Scores of models that sum over predictors, by the engine and by an oracle written from the pages. */

const cases = sized('LEARNED_CASES', { short: 3_000, long: 100_000 });
const predictors: readonly Json[] = [
  'age',
  'job',
  { name: 'member', type: 'numeric' },
  { name: 'zip', type: 'categorical' },
  { name: 'tier', source: 'attributes.level', type: 'categorical', default: 'cook' },
];

function randomState(chance: Chance, modelType: string): Json {
  const number = (): number => chance.int(-20, 20) / 10;
  const texts = { job: ['cook', 'nurse'], tier: ['cook', 'gold'], zip: ['12', '13'] };
  if (modelType === 'bayesian') {
    const [pos, neg] = [chance.int(0, 60), chance.int(0, 90)];
    const counts = (bins: number): Json => ({
      pos: Array.from({ length: bins }, () => chance.int(0, pos)),
      neg: Array.from({ length: bins }, () => chance.int(0, neg)),
    });
    return {
      ...{ n: pos + neg, classes: { pos, neg }, binEdges: { age: [30, 45], member: [0] }, categories: texts },
      counts: { age: counts(3), member: counts(2), ...(chance.flip(0.7) ? { job: counts(2) } : {}), tier: counts(2) },
    };
  }
  const weights = {
    ...{ age: number(), member: number(), 'job=cook': number(), 'tier=gold': number() },
    ...{ 'zip=12': number(), 'job=true': number() },
  };
  if (modelType === 'online_learner') {
    const stats = { age: { n: 9, mean: 40, m2: chance.pick([0, 90, 900]) }, member: { n: 4, mean: 0.5, m2: 1 } };
    return { weights, bias: number(), n: 9, stats };
  }
  const spread = { means: { age: 40, member: 0.5 }, stds: { age: chance.pick([0, 12]), member: 0.5 } };
  return { bias: number(), weights, ...spread, categories: texts };
}

for (const modelType of ['bayesian', 'logistic_regression', 'online_learner']) {
  test(`${modelType}: the engine scores as documented, ${cases} times`, () => {
    for (let at = 0; at < cases; at++) {
      const chance = chanceOf('5'.repeat(32), `${modelType} ${at}`);
      const state = randomState(chance, modelType);
      const values: readonly Json[] = [
        null,
        29,
        30,
        31,
        45,
        45.5,
        4e9,
        -7,
        'cook',
        'nurse',
        'gold',
        '12',
        12,
        true,
        false,
      ];
      const attributes = Object.fromEntries(
        ['age', 'job', 'member', 'zip', 'level'].map((name) => [name, chance.pick([...values, ['list'], { a: 1 }])]),
      );
      const model: SnapshotModel = { id: 'm', key: 'm', modelType, config: {}, predictors, names: ['m'] };
      const question = { attributes, customer: {}, now: 0, seed: '0'.repeat(32) };
      const [answer] = scoreOffers(model, state, [null], question);
      const wanted = learnedScore(model, state, (name) => {
        const value = attributes[name === 'tier' ? 'level' : name] ?? null;
        return name === 'tier' && value === null ? 'cook' : value;
      });
      assert.ok(answer !== undefined && answer !== null, `case ${at}`);
      assert.ok(Math.abs(answer.score - wanted) < 1e-12, `case ${at}: ${answer.score}, wanted ${wanted}`);
      if (modelType === 'bayesian') continue;
      const base = Number((state as { readonly bias: number }).bias);
      const sum = answer.explanations.reduce((total, { contribution }) => total + contribution, base);
      assert.ok(
        Math.abs(sum - answer.rawScore) < 1e-9,
        `case ${at}: contributions sum to ${sum}, not ${answer.rawScore}`,
      );
    }
  });
}
