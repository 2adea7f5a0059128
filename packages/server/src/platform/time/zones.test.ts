import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IANAZone } from 'luxon';
import { shareOf } from '../../../../../test/form.ts';
import { dayRange, isZone, zoneClock, zoneOffsets, zoneProblem } from './zones.ts';

const at = (text: string) => Date.parse(text);
const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');

// docs/design/api-decisioning.md X7.
test('X7: cap windows of Europe/Berlin across both clock changes', () => {
  const autumn = zoneClock('Europe/Berlin', at('2026-10-25T12:00:00Z'));
  assert.deepEqual([iso(autumn.dayStart), iso(autumn.dayEnd)], ['2026-10-24T22:00Z', '2026-10-25T23:00Z']);
  assert.deepEqual([iso(autumn.weekStart), iso(autumn.weekEnd)], ['2026-10-18T22:00Z', '2026-10-25T23:00Z']);
  assert.deepEqual([iso(autumn.monthStart), iso(autumn.monthEnd)], ['2026-09-30T22:00Z', '2026-10-31T23:00Z']);
  assert.equal(autumn.dayEnd - autumn.dayStart, 25 * hourMs);
  assert.equal(autumn.weekEnd - autumn.weekStart, 169 * hourMs);
  assert.equal(autumn.monthEnd - autumn.monthStart, 745 * hourMs);
  assert.equal(iso(autumn.days30Start), '2026-09-25T22:00Z');
  const spring = zoneClock('Europe/Berlin', at('2027-03-28T12:00:00Z'));
  assert.deepEqual([iso(spring.dayStart), iso(spring.dayEnd)], ['2027-03-27T23:00Z', '2027-03-28T22:00Z']);
});

test('X7: a half-hour change, Lord Howe', () => {
  const day = zoneClock('Australia/Lord_Howe', at('2026-10-04T00:00:00Z'));
  assert.deepEqual([iso(day.dayStart), iso(day.dayEnd)], ['2026-10-03T13:30Z', '2026-10-04T13:00Z']);
});

test('the wall clock follows the change inside the day', () => {
  const seen = (text: string) => {
    const { date, hour, minute, second, weekday } = zoneClock('Europe/Berlin', at(text));
    return [date, hour, minute, second, weekday];
  };
  assert.deepEqual(seen('2026-10-25T00:30:05Z'), ['2026-10-25', 2, 30, 5, 0]);
  assert.deepEqual(seen('2026-10-25T01:30:05Z'), ['2026-10-25', 2, 30, 5, 0]);
  assert.deepEqual(seen('2027-03-28T00:59:59Z'), ['2027-03-28', 1, 59, 59, 0]);
  assert.deepEqual(seen('2027-03-28T01:00:00Z'), ['2027-03-28', 3, 0, 0, 0]);
  assert.deepEqual(seen('2026-11-20T22:59:59.999Z'), ['2026-11-20', 23, 59, 59, 5]);
  assert.deepEqual(seen('2026-11-20T23:00:00Z'), ['2026-11-21', 0, 0, 0, 6]);
});

test('a missing midnight: the day starts after the gap', () => {
  // Beirut and Havana jump from 00:00 to 01:00.
  assert.equal(iso(dayRange('Asia/Beirut', '2026-03-29').startMs), '2026-03-28T22:00Z');
  const { startMs, endMs } = dayRange('America/Havana', '2026-03-08');
  assert.equal(iso(startMs), '2026-03-08T05:00Z');
  assert.equal(endMs - startMs, 23 * hourMs);
  assert.equal(zoneClock('America/Havana', startMs).hour, 1);
});

test('a repeated midnight: the day starts at the first', () => {
  // Havana goes from 01:00 back to 00:00.
  const { startMs, endMs } = dayRange('America/Havana', '2026-11-01');
  assert.equal(iso(startMs), '2026-11-01T04:00Z');
  assert.equal(endMs - startMs, 25 * hourMs);
});

test('a day that a zone skipped is empty', () => {
  const skipped = dayRange('Pacific/Apia', '2011-12-30');
  assert.equal(skipped.startMs, skipped.endMs);
  assert.equal(dayRange('Pacific/Apia', '2011-12-29').endMs, dayRange('Pacific/Apia', '2011-12-31').startMs);
});

test('days cover time without gap or overlap, in odd zones, over two years', () => {
  const zones = ['UTC', 'Asia/Kathmandu', 'Africa/Casablanca', 'Antarctica/Troll', 'America/St_Johns', 'Africa/Cairo'];
  for (const zone of shareOf(zones, 'days of zones', 3)) {
    let now = at('2026-01-01T12:00:00Z');
    let previous = zoneClock(zone, now);
    for (let i = 0; i < 730; i++) {
      now = previous.dayEnd;
      const day = zoneClock(zone, now);
      assert.equal(day.dayStart, previous.dayEnd, `${zone} ${day.date}`);
      assert.ok(day.dayEnd - day.dayStart >= 22 * hourMs && day.dayEnd - day.dayStart <= 26 * hourMs);
      assert.ok(day.weekStart <= day.dayStart && day.dayEnd <= day.weekEnd);
      assert.ok(day.monthStart <= day.dayStart && day.dayEnd <= day.monthEnd);
      assert.equal(day.weekday, (previous.weekday + 1) % 7);
      previous = day;
    }
  }
});

test('zones are names in the tz database', () => {
  for (const good of ['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires']) assert.ok(isZone(good), good);
  for (const bad of ['', '+02:00', 'Mars/Olympus', 'US/Pacific-New ', '02:00', 'Europe/Paris; drop']) {
    assert.ok(!isZone(bad), bad);
  }
  for (const misspelt of [
    'europe/paris',
    'utc',
    'Europe/paris',
    'EUROPE/PARIS',
    'Asia/kolkata',
    ' UTC',
    'PST',
    'JST',
  ]) {
    assert.ok(!isZone(misspelt), misspelt);
  }
  for (const name of Intl.supportedValuesOf('timeZone')) assert.ok(isZone(name), name);
  assert.throws(() => zoneClock('Mars/Olympus', 0), RangeError);
  assert.throws(() => dayRange('UTC', '2026-02-30'), RangeError);
});

test('rejects a zone in another spelling, but still uses stored ones', () => {
  const near = (text: string) => /\((.*)\?\)$/.exec(zoneProblem(text) ?? '')?.[1] ?? null;
  assert.equal(zoneProblem('Europe/Paris'), null);
  assert.equal(near('europe/paris'), 'Europe/Paris');
  assert.equal(near('Europe / Paris'), 'Europe/Paris');
  assert.equal(near('america/argentina/buenos aires'), 'America/Argentina/Buenos_Aires');
  assert.equal(near('paris'), 'Europe/Paris');
  assert.equal(near('gmt+5'), 'Etc/GMT+5');
  // Several zones are called so: none is nearer than the others.
  assert.equal(near('buenos aires'), null);
  assert.equal(near('+02:00'), null);
  assert.equal(near('Mars/Olympus'), null);
  const now = at('2026-10-25T12:00:00Z');
  assert.deepEqual(zoneClock('europe/berlin', now), zoneClock('Europe/Berlin', now));
});

test('the wall clock is correct to the minute on days with a change, and next to them', () => {
  for (const [zone, date] of [
    ['Europe/Berlin', '2026-10-25'],
    ['Europe/Berlin', '2027-03-28'],
    ['Australia/Lord_Howe', '2026-10-04'],
    ['America/Havana', '2026-03-08'],
    ['America/Havana', '2026-11-01'],
    ['Asia/Beirut', '2026-03-29'],
    ['Antarctica/Troll', '2026-03-29'],
    ['Africa/Casablanca', '2026-02-15'],
    ['Asia/Kathmandu', '2026-03-29'],
  ] as const) {
    const { startMs, endMs } = dayRange(zone, date);
    const runtime = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium', dateStyle: 'short' });
    const twoDigits = (value: number) => String(value).padStart(2, '0');
    for (let now = startMs - 90 * 60_000; now < endMs + 90 * 60_000; now += 60_000) {
      const { date, hour, minute, second } = zoneClock(zone, now);
      const seen = `${date.split('-').reverse().join('/')}, ${[hour, minute, second].map(twoDigits).join(':')}`;
      assert.equal(seen, runtime.format(now), `${zone} ${new Date(now).toISOString()}`);
    }
  }
});

test('asks the runtime once per zone and day, even on the day of a change and with others in between', (t) => {
  const asked = t.mock.method(IANAZone.prototype, 'offset');
  const change = at('2025-10-26T00:00:00Z');
  const before = zoneClock('Europe/Vienna', change - 60_000);
  zoneClock('Europe/Vienna', at('2025-06-01T12:00:00Z'));
  const asking = asked.mock.callCount();
  assert.ok(asking > 0 && asking < 80, `${asking} questions for two days`);
  for (let minute = 0; minute < 20 * 60; minute++) {
    zoneClock('Europe/Vienna', change + minute * 60_000);
    zoneClock('Europe/Vienna', at('2025-06-01T12:00:00Z') + minute);
  }
  assert.deepEqual(zoneClock('Europe/Vienna', change - 60_000), before);
  assert.equal(asked.mock.callCount(), asking);
});

test('repeating the same day is cheap', () => {
  const now = at('2026-11-20T12:00:00Z');
  zoneClock('Europe/Berlin', now);
  // Processor time: what others do on the machine does not count.
  const started = process.cpuUsage();
  for (let i = 0; i < 50_000; i++) zoneClock('Europe/Berlin', now + i);
  const { user, system } = process.cpuUsage(started);
  const microseconds = (user + system) / 50_000;
  assert.ok(microseconds < 5, `${microseconds} us`);
});

test('finds offsets of a zone over the years', () => {
  const offsets = zoneOffsets('Europe/Berlin');
  const ofYear = offsets.filter(([from]) => new Date(from).getUTCFullYear() === 2026);
  assert.deepEqual(ofYear, [
    [at('2026-03-29T01:00:00Z'), 2 * hourMs],
    [at('2026-10-25T01:00:00Z'), hourMs],
  ]);
  assert.deepEqual(zoneOffsets('UTC'), [[at('1990-01-01T00:00:00Z'), 0]]);
  assert.deepEqual(
    zoneOffsets('Australia/Lord_Howe').filter(([from]) => new Date(from).getUTCFullYear() === 2026),
    [
      [at('2026-04-04T15:00:00Z'), 10.5 * hourMs],
      [at('2026-10-03T15:30:00Z'), 11 * hourMs],
    ],
  );
  assert.throws(() => zoneOffsets('Nowhere/Else'), RangeError);
});
