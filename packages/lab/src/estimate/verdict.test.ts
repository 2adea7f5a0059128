import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stream, u } from '@arbiter/engine';
import { type Evaluation, type EvaluationOptions, evaluate } from './evaluate.ts';
import { collectLog, joinLogs, type PlaceRow } from './log.ts';
import { type Evidence, judge, neededFor } from './verdict.ts';

const good: Evidence = {
  decisions: 10_000,
  customers: 5_000,
  diagnostics: {
    supportShare: 1,
    effectiveSampleSizes: [1_000],
    effectiveSampleSize: 1_000,
    rewardCustomers: 100,
    largestWeight: 10,
    clippedShare: 0,
    weightZ: [1],
    unseenSlots: 0,
    unsupportedOffers: [],
  },
  skewness: 1,
  notEvaluableShare: 0,
  maxNotEvaluable: 0.05,
  probabilities: { checked: 2_000, mismatches: 0 },
  stateShift: 0,
};
const diagnosed = (more: Partial<Evidence['diagnostics']>): Evidence => ({
  ...good,
  diagnostics: { ...good.diagnostics, ...more },
});

test('the table of verdicts, on both sides of each limit', () => {
  const cases: readonly (readonly [Evidence, string])[] = [
    [good, 'ok'],
    [diagnosed({ supportShare: 0.95 }), 'ok'],
    [diagnosed({ supportShare: 0.949 }), 'bounded unsupported'],
    [diagnosed({ supportShare: 0.8 }), 'bounded unsupported'],
    [diagnosed({ supportShare: 0.799 }), 'refused unsupported'],
    [diagnosed({ effectiveSampleSize: 200 }), 'ok'],
    [diagnosed({ effectiveSampleSize: 199.9 }), 'refused few_effective'],
    [diagnosed({ rewardCustomers: 50 }), 'ok'],
    [diagnosed({ rewardCustomers: 49 }), 'refused few_rewards'],
    [diagnosed({ weightZ: [3.5, -3.5, null] }), 'ok'],
    [diagnosed({ weightZ: [0, -3.6] }), 'refused weights_off'],
    [{ ...good, skewness: 21 }, 'ok'],
    [{ ...good, skewness: -21.3 }, 'refused skewed'],
    [{ ...good, notEvaluableShare: 0.05 }, 'ok'],
    [{ ...good, notEvaluableShare: 0.051 }, 'refused selection'],
    [{ ...good, stateShift: 0.2 }, 'ok'],
    [{ ...good, stateShift: 0.21 }, 'bounded state_shift'],
    [{ ...good, stateShift: null }, 'ok'],
    [{ ...good, probabilities: { checked: 10_000, mismatches: 2 } }, 'ok'],
    [{ ...good, probabilities: { checked: 10_000, mismatches: 3 } }, 'refused probabilities_wrong'],
    [{ ...diagnosed({ supportShare: 0.9, rewardCustomers: 3 }), stateShift: 0.5 }, 'refused few_rewards'],
    [{ ...good, decisions: 0 }, 'refused no_decisions'],
  ];
  for (const [evidence, expected] of cases) {
    const { verdict, reasons } = judge(evidence);
    assert.equal([verdict, ...reasons].join(' '), expected);
  }
});

test('says how much more exploration or time is enough', () => {
  assert.deepEqual(neededFor(diagnosed({ effectiveSampleSize: 100 }), 7, 0.05), { explore: 0.1, days: 14 });
  assert.deepEqual(neededFor(diagnosed({ effectiveSampleSize: 20 }), 7, 0.05), { explore: null, days: 70 });
  assert.deepEqual(neededFor(diagnosed({ rewardCustomers: 0 }), 7, 0.05), { explore: null, days: null });
  assert.deepEqual(neededFor(diagnosed({ supportShare: 0.1 }), 7, 0), { explore: 0.05, days: null });
});

const options: EvaluationOptions = {
  estimators: ['ips', 'sips', 'snips', 'dm', 'dr', 'switch'],
  clip: 100,
  confidence: 0.95,
  rewards: { lowest: 0, highest: 1 },
  notEvaluable: 0,
  maxNotEvaluable: 0.05,
  probabilities: { checked: 2_000, mismatches: 0 },
  stateShift: 0,
  days: 7,
  exploreRate: 0.2,
  segments: ['all', 'few'],
};

interface Draft {
  /** Chance of the draft to show the first of two offers; the log shows either with the chance 0.5. */
  readonly first: number;
  readonly decisions: number;
  /** Part of the draft's chances that the log supports. */
  readonly supported?: number;
}

/** The first offer earns 0.2, the second 0.1. Customers have three decisions each. */
function rowsOf({ first, decisions, supported = 1 }: Draft, own = stream('5eed', 'log')) {
  return Array.from({ length: decisions }, (_, at) => {
    const isFirst = own() < 0.5;
    const chance = isFirst ? first : 1 - first;
    const place: PlaceRow = {
      ratio: (chance * supported) / 0.5,
      reward: own() < (isFirst ? 0.2 : 0.1) ? 1 : 0,
      item: { offer: isFirst ? 'first' : 'second', channel: 'web', propensity: 0.15 },
      supported,
      choices: [
        { offer: 'first', channel: 'web', chance: first * supported, propensity: 0.15, supported: true },
        { offer: 'second', channel: 'web', chance: (1 - first) * supported, propensity: 0.15, supported: true },
        ...(supported < 1
          ? [{ offer: 'new', channel: 'web', chance: 1 - supported, propensity: 0.15, supported: false }]
          : []),
      ],
    };
    const customer = Math.floor(at / 3);
    return { customer: String(customer), fold: customer % 5, segments: at < 15 ? 3 : 1, places: [place] };
  });
}

function judged(draft: Draft, more: Partial<EvaluationOptions> = {}): Evaluation {
  const log = collectLog();
  for (const row of rowsOf(draft)) log.add(row);
  return evaluate(log.build(), { ...options, ...more });
}

test('a draft equal to the live policy: the difference is exactly 0', () => {
  const { verdict, headline, delta, lift, estimates, logged } = judged({ first: 0.5, decisions: 5_000 });
  assert.deepEqual([verdict, headline], ['ok', 'ips']);
  const zero = { value: 0, se: 0, ciLower: 0, ciUpper: 0 };
  assert.deepEqual([delta, lift], [zero, zero]);
  assert.equal(estimates?.ips?.value, logged.value);
});

test('all estimators contain what the draft earns, and the difference is narrower than both values', () => {
  const { verdict, headline, estimates, delta, logged, lift, bySegment } = judged({ first: 0.9, decisions: 9_000 });
  assert.deepEqual([verdict, headline], ['ok', 'dr']);
  for (const [name, bounds] of Object.entries(estimates ?? {})) {
    if (name === 'dm') continue;
    assert.ok(bounds.ciLower < 0.19 && 0.19 < bounds.ciUpper, `${name}: ${JSON.stringify(bounds)}`);
  }
  assert.ok(delta!.ciLower < 0.04 && 0.04 < delta!.ciUpper && delta!.ciLower > 0, JSON.stringify(delta));
  const own = estimates![headline]!;
  assert.ok(delta!.se! < own.se! + logged.se!);
  assert.ok(Math.abs(lift!.value! - delta!.value! / logged.value!) < 1e-12);
  assert.equal(bySegment[0]?.decisions, 9_000);
  assert.deepEqual([bySegment[1]?.decisions, bySegment[1]?.customers, bySegment[1]?.logged], [0, 0, null]);
});

test('without full support there are bounds, and without most of it no number at all', () => {
  const { verdict, estimates, delta, diagnostics } = judged({ first: 0.9, decisions: 9_000, supported: 0.9 });
  assert.equal(verdict, 'bounded');
  for (const bounds of [...Object.values(estimates ?? {}), delta!]) {
    assert.deepEqual([bounds.value, bounds.se], [null, null]);
    assert.ok(bounds.ciUpper - bounds.ciLower > 0.1);
  }
  assert.deepEqual(
    diagnostics.unsupportedOffers.map(({ offer }) => offer),
    ['new'],
  );
  assert.ok(Math.abs(diagnostics.supportShare - 0.9) < 1e-9);
  const refused = judged({ first: 0.9, decisions: 9_000, supported: 0.5 });
  assert.deepEqual([refused.verdict, refused.estimates, refused.delta, refused.lift], ['refused', null, null, null]);
  assert.deepEqual(refused.diagnostics.byClip, []);
});

test('a sample of 5 % finds one wrong probability in 1,000', () => {
  let [checked, mismatches] = [0, 0];
  for (let decision = 0; decision < 200_000; decision++) {
    if (u(`weigh:some-study:${decision}`) >= 0.05) continue;
    checked += 1;
    if (decision % 1_000 === 0) mismatches += 1;
  }
  assert.ok(mismatches > 0);
  const { verdict, reasons } = judge({ ...good, probabilities: { checked, mismatches } });
  assert.deepEqual([verdict, reasons], ['refused', ['probabilities_wrong']]);
});

test('intervals are wider for several drafts at once', () => {
  const one = judged({ first: 0.9, decisions: 3_000 }).delta!;
  const five = judged({ first: 0.9, decisions: 3_000 }, { candidates: 5 }).delta!;
  assert.ok(five.ciUpper - five.ciLower > 1.2 * (one.ciUpper - one.ciLower));
});

test('a log in parts gives the same bytes as a whole one', () => {
  const rows = rowsOf({ first: 0.7, decisions: 2_400 });
  const whole = collectLog();
  for (const row of rows) whole.add(row);
  const pieces = [rows.slice(0, 900), rows.slice(900, 903), rows.slice(903)].map((part) => {
    const log = collectLog();
    for (const row of part) log.add(row);
    return log.build();
  });
  assert.deepEqual(joinLogs(pieces), whole.build());
  assert.equal(JSON.stringify(evaluate(joinLogs(pieces), options)), JSON.stringify(evaluate(whole.build(), options)));
});

test('rejects an empty log', () => {
  const { verdict, reasons } = evaluate(collectLog().build(), options);
  assert.deepEqual([verdict, reasons], ['refused', ['no_decisions']]);
});

test('an empty response supports the slots that others fill, anywhere in the log', () => {
  const item = { offer: 'a', channel: 'web', propensity: 0.1 };
  const row = (ratio: number): PlaceRow => ({
    ...{ ratio, reward: 0, item, supported: 0.5 },
    choices: [
      { ...item, chance: 0.5, supported: true },
      { ...item, offer: 'b', chance: 0.5, supported: false },
    ],
  });
  const shareOf = (order: readonly (readonly PlaceRow[])[]): number => {
    const rows = collectLog();
    for (const [at, places] of order.entries()) rows.add({ customer: `${at}`, fold: 0, segments: 0, places });
    return evaluate(rows.build(), options).diagnostics.supportShare;
  };
  const filled = [row(4), row(1)];
  const expected = (1 - 0.5 / 2) * (1 - 2 / 5);
  assert.equal(shareOf([[], filled]), expected);
  assert.equal(shareOf([filled, []]), expected);
});
