import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayRange } from '../../../platform/time/zones.ts';
import { capRemarks, limitProblems, withoutCounters } from './offers.limits.ts';
import { governanceAfter, governanceChanged, governanceOf, governanceProblems, sizeProblems } from './offers.rules.ts';
import { needsZone, scheduleProblems } from './offers.schedule.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const approver = '0199aaaa-0000-7000-8000-000000000001';
const mandatory = {
  mandatory: true,
  mandatoryReason: 'law',
  mandatoryExpiresAt: '2026-11-20T12:00:00.001Z',
  mandatoryApprovedBy: approver,
};
const paths = (problems: readonly { path: string }[]) => problems.map((problem) => problem.path);

describe('governance of mandatory offers (E19)', () => {
  it('requires all three fields', () => {
    const after = governanceAfter(governanceOf(null), { mandatory: true });
    assert.deepEqual(paths(governanceProblems(after, now)), [
      '/mandatoryReason',
      '/mandatoryExpiresAt',
      '/mandatoryApprovedBy',
    ]);
  });

  it('accepts only an expiry in the future', () => {
    const at = (mandatoryExpiresAt: string) =>
      governanceProblems(governanceAfter(governanceOf(null), { ...mandatory, mandatoryExpiresAt }), now);
    assert.deepEqual(at('2026-11-20T12:00:00.001Z'), []);
    assert.deepEqual(paths(at('2026-11-20T12:00:00.000Z')), ['/mandatoryExpiresAt']);
    assert.deepEqual(paths(at('2026-11-20T11:00:00+00:00')), ['/mandatoryExpiresAt']);
  });

  it('treats a blank reason as missing', () => {
    const after = governanceAfter(governanceOf(null), { ...mandatory, mandatoryReason: '  ' });
    assert.deepEqual(paths(governanceProblems(after, now)), ['/mandatoryReason']);
  });

  it('finds no change in the stored value, whatever its spelling', () => {
    const before = governanceAfter(governanceOf(null), mandatory);
    const again = governanceAfter(before, {
      mandatoryExpiresAt: '2026-11-20T13:00:00.001+01:00',
      mandatoryApprovedBy: approver.toUpperCase(),
    });
    assert.equal(governanceChanged(before, again), false);
    assert.equal(governanceChanged(before, governanceAfter(before, { mandatory: false })), true);
    assert.equal(governanceChanged(before, governanceAfter(before, { mandatoryReason: null })), true);
    assert.equal(governanceChanged(governanceOf(null), governanceAfter(governanceOf(null), { priority: 3 })), false);
  });
});

describe('schedules (docs/design/api-catalogue.md 6)', () => {
  const zones = { problem: (zone: string) => (zone.startsWith('Mars') ? 'is no zone' : null), dayRange };
  const check = (schedule: Parameters<typeof scheduleProblems>[0], tenantZone = 'UTC') =>
    paths(scheduleProblems(schedule, zones, tenantZone));

  it('accepts days and instants', () => {
    assert.deepEqual(check({}), []);
    assert.deepEqual(check({ startDate: '2026-11-01', endDate: '2026-11-01', timezone: 'Europe/Berlin' }), []);
    assert.deepEqual(check({ startDate: '2026-11-01T10:00:00Z', endDate: '2026-11-01T13:00:00+02:00' }), []);
    assert.deepEqual(check({ startDate: null, endDate: null }), []);
  });

  it('rejects invalid dates', () => {
    for (const startDate of [
      '2026-02-30',
      '2026-11-01T10:00:00',
      '1.11.2026',
      '',
      '2026-13-01',
      '2026-02-30T10:00:00Z',
    ]) {
      assert.deepEqual(check({ startDate }), ['/schedule/startDate'], startDate);
    }
  });

  it('rejects an end before the start and an unknown zone', () => {
    assert.deepEqual(check({ startDate: '2026-11-02', endDate: '2026-11-01' }), ['/schedule/endDate']);
    assert.deepEqual(check({ startDate: '2026-11-01T10:00:00Z', endDate: '2026-11-01T09:59:59Z' }), [
      '/schedule/endDate',
    ]);
    assert.deepEqual(check({ timezone: 'Mars/Olympus' }), ['/schedule/timezone']);
  });

  it("rejects an end instant that isn't after the start", () => {
    const startDate = '2026-11-01T10:00:00Z';
    assert.deepEqual(check({ startDate, endDate: '2026-11-01T11:00:00+01:00' }), ['/schedule/endDate']);
    assert.deepEqual(check({ startDate, endDate: '2026-11-01T10:00:00.001Z' }), []);
  });

  it('compares a day with an instant in the zone of the schedule, else of the tenant', () => {
    // In Berlin, November 1 begins at 23:00 UTC of the day before.
    const mixed = { startDate: '2026-11-01', endDate: '2026-10-31T23:00:00Z' };
    assert.deepEqual(check({ ...mixed, timezone: 'Europe/Berlin' }), ['/schedule/endDate']);
    assert.deepEqual(check({ ...mixed, endDate: '2026-10-31T23:00:00.001Z', timezone: 'Europe/Berlin' }), []);
    assert.deepEqual(check({ ...mixed, endDate: '2026-10-31T23:00:00.001Z' }), ['/schedule/endDate']);
    assert.deepEqual(check({ ...mixed, endDate: '2026-10-31T23:00:00.001Z' }, 'Europe/Berlin'), []);
    const ending = { startDate: '2026-11-01T23:00:00Z', endDate: '2026-11-01' };
    assert.deepEqual(check({ ...ending, timezone: 'Europe/Berlin' }), ['/schedule/endDate']);
    assert.deepEqual(check({ ...ending, startDate: '2026-11-01T22:59:59.999Z', timezone: 'Europe/Berlin' }), []);
  });

  it('needs the zone only to compare a day with an instant', () => {
    assert.equal(needsZone({ startDate: '2026-11-01', endDate: '2026-11-02T00:00:00Z' }), true);
    assert.equal(needsZone({ startDate: '2026-11-01', endDate: '2026-11-02' }), false);
    assert.equal(needsZone({ startDate: '2026-11-01' }), false);
  });

  it('accepts a day that the zone skipped', () => {
    assert.deepEqual(check({ startDate: '2011-12-30', endDate: '2011-12-30' }, 'Pacific/Apia'), []);
  });
});

describe('other fields of an offer', () => {
  it('rejects limits that nothing enforces yet, but reports their own errors first', () => {
    assert.deepEqual(limitProblems({ budget: { dailyCapCents: 0 }, inventory: { totalStock: 0 } }), []);
    assert.deepEqual(paths(limitProblems({ budget: { currency: 'Euro', dailyCapCents: 1 } })), ['/budget/currency']);
    assert.deepEqual(paths(limitProblems({ budget: { maxPerDay: 1, dailyMaxImpressions: 2 } })), ['/budget/maxPerDay']);
    assert.deepEqual(limitProblems({ budget: { dailyCapCents: null }, inventory: { totalStock: null } }), []);
    assert.deepEqual(limitProblems({}), []);
  });

  it('ignores counters in a body', () => {
    assert.deepEqual(withoutCounters({ currentDailyImpressions: 5, lastDailyResetDate: null, note: 'x' }), {
      note: 'x',
    });
  });

  it('remarks on caps without a limit', () => {
    assert.deepEqual(capRemarks({}), []);
    assert.deepEqual(capRemarks({ perCustomer: { daily: 0 } }), []);
    for (const caps of [{ perCustomer: null }, { perCustomer: {} }, { perCustomer: { total: null } }]) {
      assert.deepEqual(paths(capRemarks(caps)), ['/frequencyCaps']);
    }
  });

  it('counts metadata in bytes', () => {
    const bytes = (text: string) => Buffer.byteLength(text, 'utf8');
    assert.deepEqual(sizeProblems({ metadata: { a: 'x'.repeat(65_000) } }, bytes), []);
    assert.deepEqual(paths(sizeProblems({ metadata: { a: 'é'.repeat(33_000) } }, bytes)), ['/metadata']);
  });
});
