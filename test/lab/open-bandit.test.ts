// Real logs of an online shop under two policies at once, so each knows what the other earned (Saito et al. 2021, arXiv
// 2008.07146). 46 clicks prove agreement, not power.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { collectLog, type EvaluationLog, estimators, evaluate, hallInterval, weightsOf } from '@arbiter/lab';

const folder = new URL('../../../shared/data/open-bandit/', import.meta.url);
const isThere = existsSync(fileURLToPath(new URL('random.csv', folder)));
const skip = isThere ? false : 'the Open Bandit data is not here';

interface Impression {
  readonly item: string;
  readonly position: string;
  readonly click: number;
  readonly probability: number;
}

function read(name: string): readonly Impression[] {
  const [, ...lines] = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, item = '', position = '', click, probability] = line.split(',');
    return { item, position, click: Number(click), probability: Number(probability) };
  });
}

type Policy = (item: string, position: string) => number;
const items = Array.from({ length: 34 }, (_, at) => String(at));

/** How often a policy showed each item at each position. */
function frequenciesOf(rows: readonly Impression[]): Policy {
  const counts = new Map<string, number>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { item, position } of rows) {
    count(`${position} ${item}`);
    count(position);
  }
  return (item, position) => (counts.get(`${position} ${item}`) ?? 0) / (counts.get(position) ?? 1);
}

function logOf(rows: readonly Impression[], candidate: Policy): EvaluationLog {
  const log = collectLog();
  for (const [at, { item, position, click, probability }] of rows.entries()) {
    const choices = items
      .map((offer) => ({
        offer,
        channel: position,
        chance: candidate(offer, position),
        propensity: 0.005,
        supported: true,
      }))
      .filter(({ chance }) => chance > 0);
    log.add({
      customer: String(at),
      fold: at % 5,
      segments: 0,
      places: [
        {
          ratio: candidate(item, position) / probability,
          reward: click,
          item: { offer: item, channel: position, propensity: 0.005 },
          supported: 1,
          choices,
        },
      ],
    });
  }
  return log.build();
}

const judge = (log: EvaluationLog) =>
  evaluate(log, {
    estimators: ['ips', 'snips', 'dr'],
    clip: 100,
    confidence: 0.95,
    rewards: { lowest: 0, highest: 1 },
    notEvaluable: 0,
    maxNotEvaluable: 0.05,
    probabilities: { checked: log.customer.length, mismatches: 0 },
    stateShift: null,
    days: 7,
    exploreRate: 0,
  });

test('from the random log, the intervals contain what Thompson sampling earned', { skip }, () => {
  const bts = read('bts.csv');
  const earned = bts.reduce((sum, { click }) => sum + click, 0) / bts.length;
  assert.ok(Math.abs(earned - 0.0069) < 1e-9);
  const log = logOf(read('random.csv'), frequenciesOf(bts));
  const none = new Float64Array(log.reward.length);
  const predictions = { logged: none, expected: none };
  const input = { log, weights: weightsOf(log, 100), predictions, threshold: 100 };
  for (const name of ['ips', 'snips'] as const) {
    const { value, influence } = estimators[name](input);
    const { ciLower, ciUpper } = hallInterval(value, influence, log.customer, log.customers, 0.95);
    assert.ok(ciLower < earned && earned < ciUpper, `${name}: ${earned} is not in ${ciLower} to ${ciUpper}`);
    assert.ok(ciUpper - ciLower < 0.01, `${ciUpper - ciLower} would contain anything`);
  }
  // The verdict itself asks for 50 customers with a reward.
  assert.deepEqual(judge(log).reasons, ['few_rewards', 'skewed']);
});

test("the Thompson sampling log doesn't support the random policy", { skip }, () => {
  const { verdict, reasons, estimates } = judge(logOf(read('bts.csv'), () => 1 / items.length));
  assert.deepEqual([verdict, estimates], ['refused', null], JSON.stringify(reasons));
});
