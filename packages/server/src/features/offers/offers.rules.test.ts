import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  governanceAfter,
  governanceChanged,
  governanceOf,
  governanceProblems,
  scheduleProblems,
  sizeProblems,
  unavailableProblems,
} from './offers.rules.ts';

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
  it('asks for all three fields', () => {
    const after = governanceAfter(governanceOf(null), { mandatory: true });
    assert.deepEqual(paths(governanceProblems(after, now)), [
      '/mandatoryReason',
      '/mandatoryExpiresAt',
      '/mandatoryApprovedBy',
    ]);
  });

  it('takes an expiry in the future only', () => {
    const at = (mandatoryExpiresAt: string) =>
      governanceProblems(governanceAfter(governanceOf(null), { ...mandatory, mandatoryExpiresAt }), now);
    assert.deepEqual(at('2026-11-20T12:00:00.001Z'), []);
    assert.deepEqual(paths(at('2026-11-20T12:00:00.000Z')), ['/mandatoryExpiresAt']);
    assert.deepEqual(paths(at('2026-11-20T11:00:00+00:00')), ['/mandatoryExpiresAt']);
  });

  it('a blank reason is none', () => {
    const after = governanceAfter(governanceOf(null), { ...mandatory, mandatoryReason: '  ' });
    assert.deepEqual(paths(governanceProblems(after, now)), ['/mandatoryReason']);
  });

  it('sees no change in what is stored, whatever its spelling', () => {
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
  const known = (zone: string) => (zone === 'Europe/Berlin' ? null : 'is no zone');
  const check = (schedule: Parameters<typeof scheduleProblems>[0]) => paths(scheduleProblems(schedule, known));

  it('takes days and instants', () => {
    assert.deepEqual(check({}), []);
    assert.deepEqual(check({ startDate: '2026-11-01', endDate: '2026-11-01', timezone: 'Europe/Berlin' }), []);
    assert.deepEqual(check({ startDate: '2026-11-01T10:00:00Z', endDate: '2026-11-01T12:00:00+02:00' }), []);
    assert.deepEqual(check({ startDate: null, endDate: null }), []);
  });

  it('refuses what is no date', () => {
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

  it('refuses an end before the start and an unknown zone', () => {
    assert.deepEqual(check({ startDate: '2026-11-02', endDate: '2026-11-01' }), ['/schedule/endDate']);
    assert.deepEqual(check({ startDate: '2026-11-01T10:00:00Z', endDate: '2026-11-01T09:59:59Z' }), [
      '/schedule/endDate',
    ]);
    assert.deepEqual(check({ timezone: 'Mars/Olympus' }), ['/schedule/timezone']);
  });
});

describe('other fields of an offer', () => {
  it('refuses limits that nothing enforces yet', () => {
    assert.deepEqual(
      paths(unavailableProblems({ budget: { dailyCapCents: 1 }, inventory: {}, frequencyCaps: { a: 1 } })),
      ['/budget', '/frequencyCaps'],
    );
  });

  it('counts metadata in bytes', () => {
    const bytes = (text: string) => Buffer.byteLength(text, 'utf8');
    assert.deepEqual(sizeProblems({ metadata: { a: 'x'.repeat(65_000) } }, bytes), []);
    assert.deepEqual(paths(sizeProblems({ metadata: { a: 'é'.repeat(33_000) } }, bytes)), ['/metadata']);
  });
});
