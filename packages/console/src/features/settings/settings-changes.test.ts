import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantSettingsAnswer } from '@arbiter/contract/identity/tenant-settings';
import { defaultTenantSettings } from '@arbiter/contract/identity/tenant-settings';
import { settingsTexts } from '../../messages/settings.ts';
import { patchOf, validChanges } from './settings-changes.ts';

const stored: TenantSettingsAnswer = { ...defaultTenantSettings, settingsVersion: 3 };

test('sends only what differs', () => {
  assert.deepEqual(patchOf(stored, {}), {});
  assert.deepEqual(patchOf(stored, { timezone: stored.timezone, enableBudgets: stored.enableBudgets }), {});
  assert.deepEqual(patchOf(stored, { timezone: 'Europe/Paris', enableBudgets: false, holdoutPercentage: 0 }), {
    timezone: 'Europe/Paris',
    enableBudgets: false,
  });
});

test('sends lists and groups whole, and only if they differ', () => {
  const recordReads = { customer: ['tier'], segments: [] };
  assert.deepEqual(patchOf(stored, { neverStore: [], recordReads: { customer: [], segments: [] } }), {});
  assert.deepEqual(patchOf(stored, { neverStore: ['ssn'], recordReads }), { neverStore: ['ssn'], recordReads });
  const aiAnalyzerSettings = { ...stored.aiAnalyzerSettings, llmExplanationsEnabled: true };
  assert.deepEqual(patchOf(stored, { aiAnalyzerSettings }), { aiAnalyzerSettings: { llmExplanationsEnabled: true } });
  assert.deepEqual(validChanges({ neverStore: ['ssn'], recordReads: [], defaultArbitrationProfileId: 'p' }, stored), {
    neverStore: ['ssn'],
    defaultArbitrationProfileId: 'p',
  });
});

test("doesn't send a cleared number", () => {
  assert.deepEqual(patchOf(stored, { mandatoryDailyCap: Number.NaN }), {});
});

test('restores saved changes, except for settings that no longer exist', () => {
  const draft = { timezone: 'Asia/Tokyo', enableBudgets: 'yes', holdoutPercentage: null, gone: true };
  assert.deepEqual(validChanges(draft, stored), { timezone: 'Asia/Tokyo' });
  for (const nothing of [undefined, null, 'x', []]) assert.deepEqual(validChanges(nothing, stored), {});
});

test('the theme of a new tenant is that of the system', () => assert.equal(defaultTenantSettings.theme, 'system'));

test('the switch for approvals says that requests are decided in Approvals', () => {
  assert.match(settingsTexts.helps.approvalWorkflowEnabled, /Approvals/);
});
