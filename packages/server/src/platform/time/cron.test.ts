import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRun, parseCron } from './cron.ts';
import { clockChanges, dueMinutes, wallClocks } from './test-clock-changes.ts';

const minuteMs = 60_000;
const at = (text: string) => Date.parse(text);

/** Returns every run in a span of time. */
function runs(pattern: string, zone: string, from: number, to: number): number[] {
  const cron = parseCron(pattern);
  const found: number[] = [];
  for (let now = nextRun(cron, zone, from); now < to; now = nextRun(cron, zone, now)) found.push(now);
  return found;
}
const texts = (pattern: string, zone: string, from: string, to: string) =>
  runs(pattern, zone, at(from), at(to)).map((ms) => new Date(ms).toISOString().slice(5, 16));

test('T22: Berlin, spring: times in the gap run at its end, several of them once', () => {
  const day = ['2027-03-27T21:59Z', '2027-03-28T21:59Z'] as const;
  assert.deepEqual(texts('30 2 * * *', 'Europe/Berlin', ...day), ['03-28T01:00']);
  assert.deepEqual(texts('0,15,30 2 * * *', 'Europe/Berlin', ...day), ['03-28T01:00']);
  assert.deepEqual(texts('30 2,3 * * *', 'Europe/Berlin', ...day), ['03-28T01:00', '03-28T01:30']);
  assert.deepEqual(texts('0 2,3 * * *', 'Europe/Berlin', ...day), ['03-28T01:00']);
  assert.equal(texts('*/30 * * * *', 'Europe/Berlin', ...day).length, 48, 'every hour: 24 h are 48 runs');
});

test('T22: Berlin, autumn: times in the overlap run at their first occurrence; every hour means every hour', () => {
  const day = ['2026-10-24T21:59Z', '2026-10-25T22:59Z'] as const;
  assert.deepEqual(texts('30 2 * * *', 'Europe/Berlin', ...day), ['10-25T00:30']);
  assert.deepEqual(texts('0 1-4 * * *', 'Europe/Berlin', ...day), [
    '10-24T23:00',
    '10-25T00:00',
    '10-25T02:00',
    '10-25T03:00',
  ]);
  assert.equal(texts('*/30 * * * *', 'Europe/Berlin', ...day).length, 50);
});

test('T22: a missing midnight, a repeated one, half an hour, two hours', () => {
  assert.deepEqual(texts('0 0 * * *', 'America/Havana', '2026-03-07T12:00Z', '2026-03-08T12:00Z'), ['03-08T05:00']);
  assert.deepEqual(texts('0 0 * * *', 'America/Havana', '2026-10-31T12:00Z', '2026-11-01T12:00Z'), ['11-01T04:00']);
  assert.deepEqual(texts('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-04T12:00Z'), [
    '10-03T15:30',
  ]);
  assert.deepEqual(texts('30 1,2 * * *', 'Antarctica/Troll', '2026-03-28T12:00Z', '2026-03-29T12:00Z'), [
    '03-29T01:00',
  ]);
});

test('R12: three days around each clock change of twelve zones match the rule read minute by minute', () => {
  const patterns: readonly [pattern: string, hours: readonly number[] | null, minutes: readonly number[]][] = [
    ['*/15 * * * *', null, [0, 15, 30, 45]],
    ['7 * * * *', null, [7]],
    ['0 0 * * *', [0], [0]],
    ['30 0,1,2,3 * * *', [0, 1, 2, 3], [30]],
    ['0,10,50 2 * * *', [2], [0, 10, 50]],
    ['5 23 * * *', [23], [5]],
    ['*/20 */2 * * *', [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22], [0, 20, 40]],
  ];
  let compared = 0;
  for (const [zone, ...days] of clockChanges) {
    for (const changeDay of days) {
      const from = at(`${changeDay}T00:00Z`) - 36 * 60 * minuteMs;
      const to = from + 84 * 60 * minuteMs;
      const walls = wallClocks(zone, from, to);
      for (const [pattern, hours, minutes] of patterns) {
        const wanted = dueMinutes(walls, hours, minutes).filter((ms) => ms > from + 12 * 60 * minuteMs);
        const found = runs(pattern, zone, from + 12 * 60 * minuteMs, to);
        const show = (list: readonly number[]) => list.map((ms) => new Date(ms).toISOString());
        assert.deepEqual(show(found), show(wanted), `${pattern} in ${zone} around ${changeDay}`);
        compared += found.length;
      }
    }
  }
  assert.ok(compared > 9_000, `${compared} runs were compared`);
});

test('names, lists, ranges, steps; Sunday is 0 and 7; either type of day suffices if both are given', () => {
  const { weekdays, months, minutes, hours } = parseCron('1-5,*/20 8-18/5 * JAN,jun-aug fri-SUN');
  assert.deepEqual(minutes, [0, 1, 2, 3, 4, 5, 20, 40]);
  assert.deepEqual(hours, [8, 13, 18]);
  assert.deepEqual(months, [1, 6, 7, 8]);
  assert.deepEqual([...weekdays].sort(), [0, 5, 6]);
  assert.deepEqual(parseCron('0 0 * * 7').weekdays, [0]);
  assert.deepEqual(texts('0 9 13 * 5', 'UTC', '2026-03-28T00:00Z', '2026-04-18T00:00Z'), [
    '04-03T09:00',
    '04-10T09:00',
    '04-13T09:00',
    '04-17T09:00',
  ]);
  assert.deepEqual(texts('0 9 31 * *', 'UTC', '2026-01-01T00:00Z', '2026-06-01T00:00Z'), [
    '01-31T09:00',
    '03-31T09:00',
    '05-31T09:00',
  ]);
  const [leap] = runs('0 0 29 2 *', 'UTC', at('2097-01-01T00:00Z'), at('2105-01-01T00:00Z'));
  assert.equal(leap, at('2104-02-29T00:00Z'), '2100 is no leap year');
});

test("F14: rejects what isn't a cron expression, or never matches", () => {
  const wrong = ['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *', '* * * 13 *'];
  wrong.push('* * * * 8', '@daily', '0 9 L * *', '0 9 15W * *', '0 9 * * 5#2', '5/15 * * * *', '*/0 * * * *');
  wrong.push('*/61 * * * *', '5-1 * * * *', '1--5 * * * *', '-1 * * * *', '1,, * * * *', 'a * * * *', '* * * foo *');
  wrong.push(
    '0 9 31 FEB *',
    '0 9 30,31 2 *',
    '0 9 31 4,6,9,11 *',
    '1.5 * * * *',
    '٣ * * * *',
    `${'1,'.repeat(500)} * * * *`,
  );
  for (const text of wrong) assert.throws(() => parseCron(text), RangeError, text);
  assert.throws(() => nextRun(parseCron('0 0 * * *'), 'Mars/Olympus', 0), RangeError);
});
