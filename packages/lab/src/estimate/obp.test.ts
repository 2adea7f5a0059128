import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { type EstimatorInput, type EstimatorName, estimators } from './estimators.ts';
import { collectLog, type EvaluationLog } from './log.ts';
import { weightsOf } from './weights.ts';

interface Single {
  readonly name: string;
  readonly action: readonly number[];
  readonly reward: readonly number[];
  readonly pscore: readonly number[];
  readonly evaluation: readonly (readonly number[])[];
  readonly q_hat: readonly (readonly number[])[];
  readonly estimates: Readonly<Record<string, number>>;
}

interface Slate {
  readonly name: string;
  readonly action: readonly (readonly number[])[];
  readonly reward: readonly (readonly number[])[];
  readonly pscore_cascade: readonly (readonly number[])[];
  readonly evaluation_pscore_cascade: readonly (readonly number[])[];
  readonly evaluation_action_dist: readonly (readonly (readonly number[])[])[];
  readonly q_hat: readonly (readonly (readonly number[])[])[];
  readonly estimates: Readonly<Record<string, number>>;
}

const file = new URL('../../fixtures/obp/logs.jsonl.br', import.meta.url);
const logs = brotliDecompressSync(readFileSync(file))
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Single | Slate);

/** A log of what each round says by place, and predictions as given. */
function inputOf(
  rounds: readonly {
    readonly ratio: number;
    readonly reward: number;
    readonly logged: number;
    readonly expected: number;
  }[][],
  clip = Number.POSITIVE_INFINITY,
): EstimatorInput {
  const rows = collectLog();
  for (const [at, places] of rounds.entries()) {
    rows.add({
      customer: String(at),
      fold: 0,
      segments: 0,
      places: places.map(({ ratio, reward }) => ({
        ratio,
        reward,
        item: { offer: 'a', channel: 'web', propensity: 0.5 },
        supported: 1,
        choices: [{ offer: 'a', channel: 'web', chance: 1, propensity: 0.5, supported: true }],
      })),
    });
  }
  const log: EvaluationLog = rows.build();
  const places = rounds.flat();
  return {
    log,
    weights: weightsOf(log, clip),
    predictions: {
      logged: Float64Array.from(places, ({ logged }) => logged),
      expected: Float64Array.from(places, ({ expected }) => expected),
    },
    threshold: 5,
  };
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, each, at) => sum + each * b[at]!, 0);

function assertEqual(input: EstimatorInput, name: EstimatorName, expected: number | undefined, where: string): void {
  const { value, influence } = estimators[name](input);
  assert.ok(expected !== undefined && Math.abs(value - expected) < 1e-9, `${where} ${name}: ${value}, not ${expected}`);
  if (name === 'switch') return;
  const sum = influence.reduce((so, each) => so + each, 0);
  assert.ok(Math.abs(sum) < 1e-7, `${where} ${name}: the influences sum to ${sum}`);
}

test('there are ten logs with one item and ten with three', () => {
  assert.equal(logs.filter(({ name }) => name.startsWith('single-')).length, 10);
  assert.equal(logs.filter(({ name }) => name.startsWith('slate-')).length, 10);
});

for (const log of logs) {
  if (!('pscore' in log)) continue;
  const { name, action, reward, pscore, evaluation, q_hat: predicted, estimates } = log;
  test(`${name}: equal to Open Bandit Pipeline`, () => {
    const rounds = action.map((taken, at) => [
      {
        ratio: evaluation[at]![taken]! / pscore[at]!,
        reward: reward[at]!,
        logged: predicted[at]![taken]!,
        expected: dot(evaluation[at]!, predicted[at]!),
      },
    ]);
    const full = inputOf(rounds);
    assertEqual(full, 'ips', estimates.ipw, name);
    assertEqual(full, 'sips', estimates.ipw, name);
    assertEqual(full, 'snips', estimates.snipw, name);
    assertEqual(full, 'dm', estimates.dm, name);
    assertEqual(full, 'dr', estimates.dr, name);
    assertEqual(full, 'switch', estimates.switch_dr_5, name);
    const clipped = inputOf(rounds, 10);
    assertEqual(clipped, 'ips', estimates.ipw_clip_10, name);
    assertEqual(clipped, 'dr', estimates.dr_clip_10, name);
    // The self-normalised DR is the prediction, and `snips` of what it leaves.
    const rest = inputOf(rounds.map(([round]) => [{ ...round!, reward: round!.reward - round!.logged }]));
    const selfNormalized = estimators.dm(full).value + estimators.snips(rest).value;
    assert.ok(Math.abs(selfNormalized - estimates.sndr!) < 1e-9, `${name}: ${selfNormalized}`);
  });
}

for (const log of logs) {
  if (!('pscore_cascade' in log)) continue;
  const { name, action, reward, pscore_cascade, evaluation_pscore_cascade, estimates } = log;
  test(`${name}: equal to Open Bandit Pipeline`, () => {
    const full = inputOf(
      action.map((items, at) =>
        items.map((taken, slot) => {
          const shareOf = (chances: readonly number[]): number =>
            chances[slot]! / (slot === 0 ? 1 : chances[slot - 1]!);
          return {
            ratio: shareOf(evaluation_pscore_cascade[at]!) / shareOf(pscore_cascade[at]!),
            reward: reward[at]![slot]!,
            logged: log.q_hat[at]![slot]![taken]!,
            expected: dot(log.evaluation_action_dist[at]![slot]!, log.q_hat[at]![slot]!),
          };
        }),
      ),
    );
    assertEqual(full, 'sips', estimates.sips, name);
    assertEqual(full, 'ips', estimates.rips, name);
    assertEqual(full, 'snips', estimates.snrips, name);
    assertEqual(full, 'dr', estimates.cascade_dr, name);
  });
}
