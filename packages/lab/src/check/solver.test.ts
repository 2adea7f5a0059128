import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@arbiter/engine';
import { type Chance, chanceOf } from '../../../engine/src/why-not/test-world.ts';
import { allOf, type Formula, formulaOf, negate, nothingFixed, testOf } from './formula.ts';
import { createSolver } from './solver.ts';
import { conflictsOf } from './verdicts.ts';

const now = Date.UTC(2026, 2, 10, 12);
const dayMs = 86_400_000;
const long = process.env.TEST_FORM === 'long';

const numbers = [-1, 0, 0.5, 1, 2, 10, 18, 18.5, 1e21];
const texts = [
  '',
  '1',
  '2',
  '10',
  '18.0',
  ' 1',
  'a',
  'ab',
  'b',
  'Gold',
  'gold',
  '2026-01-01',
  '2026-01-02',
  '2026-01-01T00:00:00Z',
  '2026-01-01T01:00:00+01:00',
  '2026-03-09',
];
const anyOfThese = (chance: Chance): string | number => (chance.flip(0.5) ? chance.pick(numbers) : chance.pick(texts));

function comparison(chance: Chance): { operator: string; value?: Json } {
  const operator = chance.pick([
    'eq',
    'neq',
    'gt',
    'gte',
    'lt',
    'lte',
    'between',
    'in',
    'not_in',
    'contains',
    'not_contains',
    'starts_with',
    'exists',
    'not_exists',
    'within_last_days',
    'not_within_last_days',
  ]);
  if (operator === 'exists' || operator === 'not_exists') return { operator };
  if (operator === 'between') return { operator, value: [anyOfThese(chance), anyOfThese(chance)] };
  if (operator === 'in' || operator === 'not_in') return { operator, value: [anyOfThese(chance), anyOfThese(chance)] };
  if (operator === 'starts_with') return { operator, value: chance.pick(texts) };
  if (operator.endsWith('within_last_days')) return { operator, value: chance.int(0, 60) };
  if (operator === 'eq' && chance.flip(0.2)) return { operator, value: chance.flip(0.5) };
  return { operator, value: anyOfThese(chance) };
}

function anyValue(chance: Chance): Json {
  const kind = chance.int(0, 8);
  if (kind === 0) return null;
  if (kind === 1) return chance.flip(0.5);
  if (kind === 2) return [anyOfThese(chance)];
  if (kind === 3) return new Date(now - chance.int(-5, 70) * dayMs - chance.int(0, dayMs)).toISOString();
  if (kind === 4) return chance.pick(numbers) + chance.pick([-1, -0.25, 0, 0.25, 1]);
  if (kind === 5) return `${chance.pick(texts)}${chance.pick(['', 'x', '0'])}`;
  if (kind === 6) return {};
  return anyOfThese(chance);
}

/** One formula in three is negated: policies block who matches. */
const maybeNot = (chance: Chance, formula: Formula) =>
  chance.flip(0.33) ? { formula: negate(formula), holds: false } : { formula, holds: true };

test('never rules out a value that satisfies the comparisons', () => {
  let nevers = 0;
  for (let seed = 1; seed <= (long ? 20_000 : 1500); seed++) {
    const chance = chanceOf(seed);
    const parts = Array.from({ length: chance.int(1, 4) }, () => {
      const compared = comparison(chance);
      const formula = formulaOf({ condition: { field: 'customer.x', ...compared } }, nothingFixed);
      return { compared, ...maybeNot(chance, formula) };
    });
    const solver = createSolver(() => 'any', now);
    if (solver.solve(parts.map(({ formula }) => formula)).verdict !== 'never') continue;
    nevers += 1;
    const tests = parts.map(({ compared, holds }) => ({
      holds,
      test: testOf(compared as Parameters<typeof testOf>[0], now),
    }));
    for (let draw = 0; draw < 100; draw++) {
      const value = anyValue(chance);
      const passes = tests.every(({ holds, test: one }) => one(value) === holds);
      assert.ok(
        !passes,
        `seed ${seed}: ${JSON.stringify(value)} passes ${JSON.stringify(parts.map(({ compared, holds }) => [compared, holds]))}`,
      );
    }
  }
  assert.ok(nevers > 100, `${nevers}`);
});

test('finds contradictions of whole numbers, dates and texts by their types', () => {
  const closed = (type: 'integer' | 'number' | 'date' | 'text', ...conditions: object[]) =>
    createSolver(() => type, now).solve([
      allOf(
        conditions.map((condition) => formulaOf({ condition: { field: 'customer.x', ...condition } }, nothingFixed)),
      ),
    ]).verdict;
  const between = [
    { operator: 'gt', value: 5 },
    { operator: 'lt', value: 6 },
  ];
  assert.deepEqual([closed('integer', ...between), closed('number', ...between)], ['never', 'possible']);
  const day = [
    { operator: 'gt', value: '2026-01-01' },
    { operator: 'lt', value: '2026-01-02' },
  ];
  assert.deepEqual([closed('date', ...day), closed('text', ...day)], ['never', 'possible']);
  assert.equal(closed('text', { operator: 'eq', value: 'gold' }, { operator: 'starts_with', value: 's' }), 'never');
  assert.equal(closed('text', { operator: 'neq', value: 'gold' }, { operator: 'starts_with', value: 'g' }), 'possible');
});

/** Runs a generator until it ends. */
function finish<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const slice = work.next();
    if (slice.done) return slice.value;
  }
}

test('finds every minimal core and repair, as brute force does', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const chance = chanceOf(seed);
    const keys = Array.from({ length: chance.int(2, 9) }, (_, at) => `gate ${at}`);
    const planted = Array.from({ length: chance.int(1, 3) }, () => keys.filter(() => chance.flip(0.35))).filter(
      ({ length }) => length > 0,
    );
    if (planted.length === 0) continue;
    const isClosed = (away: ReadonlySet<string>) => planted.some((core) => core.every((key) => !away.has(key)));
    const { cores, repairs } = finish(conflictsOf(keys, isClosed));
    const subsets = Array.from({ length: 2 ** keys.length }, (_, bits) => keys.filter((_key, at) => (bits >> at) & 1));
    const minimal = (sets: readonly string[][]) =>
      sets.filter((set) => !sets.some((other) => other.length < set.length && other.every((key) => set.includes(key))));
    const opening = minimal(subsets.filter((set) => !isClosed(new Set(set)))).filter(({ length }) => length <= 3);
    const names = (sets: readonly (readonly string[])[]) => sets.map((set) => set.toSorted().join()).toSorted();
    assert.deepEqual(names(repairs), names(opening), `seed ${seed}`);
    const closing = minimal(subsets.filter((set) => isClosed(new Set(keys.filter((key) => !set.includes(key))))));
    for (const core of names(cores)) assert.ok(names(closing).includes(core), `seed ${seed}: ${core}`);
  }
});
