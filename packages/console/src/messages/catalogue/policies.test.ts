import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactPolicyTypes } from '@arbiter/contract/deciding/contact-policy-parts';
import { cannotAct, policySentence, policyTypeNames, windowOf } from './policies.ts';

test('has a name and a sentence for each type, also for an empty config', () => {
  for (const type of contactPolicyTypes) {
    assert.ok(policyTypeNames[type], type);
    assert.ok(policySentence(type, {}).length > 10, type);
  }
});

test('writes the numbers of the config in sentences', () => {
  assert.equal(policySentence('frequency_cap', { maxPerDay: 3, maxPerWeek: 10 }), 'At most 3 per day and 10 per week');
  assert.equal(
    policySentence('frequency_cap', { maxPerDay: 0, windows: [{ max: 2, hours: 12 }], per: 'offer' }),
    'At most 0 per day and 2 in 12 h, counted per offer',
  );
  assert.equal(policySentence('cooldown', { cooldownHours: 24 }), '24 hours between contacts');
  assert.equal(
    policySentence('time_window', { startHour: 8, endHour: 21, daysOfWeek: [1, 2], timezone: 'Europe/Berlin' }),
    'Only 08:00 to 21:00, Mon and Tue, Europe/Berlin',
  );
  assert.equal(
    policySentence('outcome_based', { afterOutcome: ['complaint', 'unsubscribe'], suppressForDays: 90 }),
    'After complaint or unsubscribe, no contact for 90 days',
  );
  assert.equal(
    policySentence('cross_channel_cap', { maxTotal: 5, periodType: 'weekly' }),
    'At most 5 per week across all channels',
  );
  assert.equal(
    policySentence('do_not_contact', { condition: { field: 'opted_out', operator: 'eq', value: true } }),
    'Never contact customers whose opted_out is yes',
  );
});

test('warns of a cap without a limit, not of a cap of 0', () => {
  assert.equal(cannotAct('frequency_cap', {}), true);
  assert.equal(cannotAct('frequency_cap', { maxPerDay: 0 }), false);
  assert.equal(cannotAct('frequency_cap', { windows: [{ max: 1, days: 7 }] }), false);
  assert.equal(cannotAct('cooldown', {}), false);
});

test('opens a window without days on all days', () => {
  assert.deepEqual(windowOf('time_window', { startHour: 8 }), { from: 8, to: 24, days: [0, 1, 2, 3, 4, 5, 6] });
  assert.equal(windowOf('cooldown', {}), null);
});
