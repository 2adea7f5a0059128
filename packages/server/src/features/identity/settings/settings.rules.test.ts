import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultTenantSettings, type TenantSettingsPatch } from '@arbiter/contract';
import { mergeOverrides, patchProblems, readPatch, settingsOf, withoutAlias } from './settings.rules.ts';

const apply = (...patches: TenantSettingsPatch[]) =>
  settingsOf(
    patches.reduce<Readonly<Record<string, unknown>>>((at, patch) => mergeOverrides(at, withoutAlias(patch)), {}),
  );

test('without overrides the defaults of docs/design/api-access.md 6 apply', () => {
  assert.deepEqual(apply(), defaultTenantSettings);
});

test('merges a patch deeply, null resets, lists are replaced', () => {
  const first: TenantSettingsPatch = {
    decisionTraceEnabled: true,
    neverStore: ['age'],
    aiAnalyzerSettings: { llmExplanationsEnabled: true },
  };
  const changed = apply(first, {
    neverStore: ['income', 'city'],
    holdoutPercentage: 2.5,
    aiAnalyzerSettings: { ml: {} },
  });
  assert.equal(changed.decisionTraceEnabled, true);
  assert.deepEqual(changed.neverStore, ['income', 'city']);
  assert.equal(changed.aiAnalyzerSettings.llmExplanationsEnabled, true);
  assert.equal(changed.aiAnalyzerSettings.arbitration.goalSeekEnabled, false);
  assert.deepEqual(
    apply(first, { decisionTraceEnabled: null, neverStore: null, aiAnalyzerSettings: null }),
    defaultTenantSettings,
  );
});

test('fourEyesEnabled has one value under two names', () => {
  for (const patch of [{ fourEyesEnabled: true }, { aiAnalyzerSettings: { governance: { fourEyesEnabled: true } } }]) {
    const settings = apply(patch);
    assert.deepEqual([settings.fourEyesEnabled, settings.aiAnalyzerSettings.governance.fourEyesEnabled], [true, true]);
  }
  assert.equal(apply({ fourEyesEnabled: true }, { aiAnalyzerSettings: { governance: null } }).fourEyesEnabled, false);
  const torn = { fourEyesEnabled: true, aiAnalyzerSettings: { governance: { fourEyesEnabled: false } } };
  assert.deepEqual(
    patchProblems(torn).map(({ path }) => path),
    ['/aiAnalyzerSettings/governance/fourEyesEnabled'],
  );
});

const refused: readonly [path: string, patch: unknown][] = [
  ['/nonsense', { nonsense: 1 }],
  ['/aiAnalyzerSettings/extra', { aiAnalyzerSettings: { extra: true } }],
  ['/decisionTraceEnabled', { decisionTraceEnabled: 'true' }],
  ['/decisionTraceSampleRate', { decisionTraceSampleRate: 1.1 }],
  ['/maxOffersPerDecision', { maxOffersPerDecision: 51 }],
  ['/timezone', { timezone: 'Mars/Olympus' }],
  ['/timezone', { timezone: '+02:00' }],
  ['/locale', { locale: 'x' }],
  ['/locale', { locale: 'not_a_tag' }],
  ['/currency', { currency: 'QQQ' }],
  ['/neverStore', { neverStore: 'age' }],
  ['/consentRequired', { consentRequired: true }],
  ['/fairnessPolicy', { fairnessPolicy: {} }],
  ['/allowedIpRanges', { allowedIpRanges: [] }],
  [
    '/aiAnalyzerSettings/arbitration/goalSeekEnabled',
    { aiAnalyzerSettings: { arbitration: { goalSeekEnabled: true } } },
  ],
  ['', []],
];

for (const [path, patch] of refused) {
  test(`rejected at ${path || 'the root'}: ${JSON.stringify(patch)}`, () => {
    const read = readPatch(patch);
    assert.ok('problems' in read);
    assert.ok(
      read.problems.some((problem) => problem.path === path),
      JSON.stringify(read.problems),
    );
  });
}

test('rejects a fairness policy with the reason', () => {
  const read = readPatch({ fairnessPolicy: { attributes: ['gender'] } });
  assert.deepEqual('problems' in read && read.problems, [
    { path: '/fairnessPolicy', message: 'is not available yet; leave it null' },
  ]);
});

test('reserved keys accept only their default', () => {
  assert.ok(
    'patch' in readPatch({ consentRequired: false, fairnessPolicy: null, timezone: 'Europe/Paris', locale: 'de-CH' }),
  );
});
