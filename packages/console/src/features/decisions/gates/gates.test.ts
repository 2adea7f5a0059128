import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualificationRuleTypes } from '@arbiter/contract/catalogue/qualification-rules';
import { contactPolicyTypes } from '@arbiter/contract/deciding/contact-policy-parts';
import { policyDetails } from '@arbiter/contract/deciding/decision-policies';
import { gateTypeNames } from '../../../messages/decisions/gates.ts';
import { type Figure, valueText, type Writers } from './gate-story.ts';
import { policyStories } from './policy-stories.ts';
import { ruleStories } from './rule-stories.ts';
import { type GateReport, storyOf } from './story-of.ts';

const write: Writers = {
  number: String,
  instant: (text) => `<${text}>`,
  offer: (id) => `offer ${id}`,
  segment: (key) => (key === 's1' ? 'gold' : key),
};
/** Story of a gate as the API sends it. */
const storyFor = (ruleType: string | null, detail: object | null, reason: string | null = null) =>
  storyOf({ ruleType, detail, reason } as GateReport, write);

interface Case {
  readonly detail: object;
  readonly required: string;
  readonly actual: string | null;
  readonly figure: Figure['kind'];
}

const rules: Readonly<Record<string, Case>> = {
  segment_required: {
    detail: { required: ['s1', 'app'], actual: ['app'] },
    required: 'member of gold, app',
    actual: 'member of app',
    figure: 'set',
  },
  attribute_condition: {
    detail: { attribute: 'days_since_visit', operator: 'gte', expected: 21, actual: 4 },
    required: 'days_since_visit at least 21',
    actual: '4',
    figure: 'ruler',
  },
  propensity_threshold: {
    detail: { model: 'gbm', minScore: 0.3, actualScore: 0.12 },
    required: 'propensity from gbm at least 0.3',
    actual: '0.12',
    figure: 'ruler',
  },
  recency_check: {
    detail: { attribute: 'last_visit', maxDays: 30, minDays: null, actualDays: 41 },
    required: 'last_visit at most 30 days ago',
    actual: '41 days ago',
    figure: 'ruler',
  },
  offer_attribute: {
    detail: { attribute: 'margin', operator: 'between', expected: [1, 2], actual: 5 },
    required: 'offer margin between 1 and 2',
    actual: '5',
    figure: 'ruler',
  },
  metric_condition: {
    detail: { metricId: 'm', metricName: 'visits', operator: 'gte', threshold: 3, actual: 2 },
    required: 'visits at least 3',
    actual: '2',
    figure: 'none',
  },
};

const policies: Readonly<Record<string, Case>> = {
  frequency_cap: {
    detail: { period: 'daily', max: 3, actual: 3 },
    required: 'up to 3 contacts today',
    actual: '3 contacts today',
    figure: 'counter',
  },
  cooldown: {
    detail: { cooldownHours: 24, hoursSinceLast: 5.2 },
    required: '24 hours since the last contact',
    actual: '5.2 hours',
    figure: 'timer',
  },
  budget_exhausted: {
    detail: { budgetField: 'impressions', threshold: 500, actual: 500 },
    required: 'impressions below 500 across all customers',
    actual: 'impressions 500',
    figure: 'counter',
  },
  outcome_based: {
    detail: { afterOutcome: ['dismiss'], suppressForDays: 7, daysSince: 2, lastOutcome: 'dismiss' },
    required: 'no dismiss within 7 days',
    actual: 'dismiss 2 days ago',
    figure: 'timer',
  },
  segment_exclusion: {
    detail: { excludeSegments: ['staff'], matchedSegment: 'staff' },
    required: 'not a member of staff',
    actual: 'member of staff',
    figure: 'set',
  },
  time_window: {
    detail: {
      allowedDays: [1, 2],
      currentDay: 0,
      startHour: 8,
      endHour: 20,
      currentHour: 22,
      timezone: 'Europe/Berlin',
    },
    required: '08:00 to 20:00, Mon, Tue (Europe/Berlin)',
    actual: 'Sunday, 22:00',
    figure: 'clock',
  },
  mutual_exclusion: {
    detail: { offerGroup: ['x', 'y'], conflictingOfferId: 'x' },
    required: 'no other offer from its group',
    actual: 'offer x ranked higher',
    figure: 'none',
  },
  cross_channel_cap: {
    detail: { period: 'weekly', max: 3, actual: 4, channels: ['a', 'b'] },
    required: 'up to 3 contacts this week across 2 channels',
    actual: '4 contacts this week across 2 channels',
    figure: 'counter',
  },
  customer_total_cap: {
    detail: { period: 'rolling', max: 1, actual: 1, windowDays: 7 },
    required: 'up to 1 contact in the last 7 days',
    actual: '1 contact in the last 7 days',
    figure: 'counter',
  },
  offer_category_cap: {
    detail: { period: 'alltime', max: 2, actual: 2, targetCategory: 'Retention' },
    required: 'up to 2 contacts in total for Retention',
    actual: '2 contacts in total for Retention',
    figure: 'counter',
  },
  allow_override: {
    detail: { policyReason: 'service', overridden: ['p1', 'p2'] },
    required: 'overrides other policies',
    actual: 'service; overrode 2 policies',
    figure: 'none',
  },
  category_suppression: {
    detail: { categoryId: 'c', suppressionDays: 30, daysSince: 4, suppressedUntil: 'T' },
    required: 'no contact in this category within 30 days',
    actual: 'last contact 4 days ago, allowed again <T>',
    figure: 'timer',
  },
  do_not_contact: {
    detail: { dncSource: 'crm', reason: 'asked', policyReason: null },
    required: 'contact allowed',
    actual: 'do not contact (crm)',
    figure: 'none',
  },
  metric_condition: {
    detail: { metricId: 'm', metricName: 'Contacts 30d', operator: 'gte', threshold: 10, actual: 12 },
    required: 'Contacts 30d not at least 10',
    actual: '12',
    figure: 'none',
  },
};

/** Returns a value that fits a schema, with null wherever it may be, or nowhere. */
function exampleOf(schema: object, isNull: boolean): unknown {
  const get = (key: string): unknown => Reflect.get(schema, key);
  const inner = (key: string): [string, object][] => Object.entries(Object(get(key)));
  const members = inner('anyOf').map(([, member]) => member);
  const isNullType = (member: object): boolean => Reflect.get(member, 'type') === 'null';
  if (isNull && members.some(isNullType)) return null;
  const [member] = members.filter((one) => !isNullType(one));
  if (member !== undefined) return exampleOf(member, isNull);
  if (get('const') !== undefined) return get('const');
  const [word] = inner('enum');
  if (word !== undefined) return word[1];
  if (get('type') === 'array') return [exampleOf(Object(get('items')), isNull)];
  if (get('type') === 'object')
    return Object.fromEntries(inner('properties').map(([key, property]) => [key, exampleOf(property, isNull)]));
  if (get('type') === 'string') return 'text';
  return Number(get('minimum') ?? 0) + 2;
}

test('every policy type has a story for any values of its details', () => {
  for (const type of contactPolicyTypes) {
    for (const isNull of [false, true]) {
      const { required = '', actual } = storyFor(type, Object(exampleOf(policyDetails[type], isNull))) ?? {};
      assert.match(required, /[a-z]/, type);
      assert.doesNotMatch(`${required} ${actual ?? ''}`, /undefined|null|NaN|\[object/, type);
    }
  }
});

test('every rule and policy type has a story, and every type has a name', () => {
  assert.deepEqual(Object.keys(ruleStories).sort(), qualificationRuleTypes.toSorted());
  assert.deepEqual(Object.keys(policyStories).sort(), contactPolicyTypes.toSorted());
  for (const type of [...qualificationRuleTypes, ...contactPolicyTypes]) assert.ok(gateTypeNames[type], type);
});

test('each gate shows what it requires and what it found', () => {
  for (const [type, { detail, required, actual, figure }] of Object.entries({ ...rules, ...policies })) {
    const story = storyFor(type, detail);
    assert.deepEqual(
      [story?.required, story?.actual, story?.figure.kind, story?.isMissing],
      [required, actual, figure, false],
      type,
    );
  }
});

test('shows a missing value as missing, not as 0', () => {
  const window = { allowedDays: [], startHour: 8, endHour: 20, timezone: null };
  const story = storyFor('attribute_condition', { attribute: 'age', operator: 'gte', expected: 18, actual: null });
  assert.deepEqual([story?.actual, story?.isMissing], ['missing', true]);
  assert.deepEqual(story?.figure, { kind: 'ruler', value: null, least: 18, most: null });
  assert.equal(
    storyFor('recency_check', { attribute: 'd', maxDays: 3, minDays: null, actualDays: null })?.isMissing,
    true,
  );
  assert.equal(
    storyFor('propensity_threshold', { model: null, minScore: 0.2, actualScore: null })?.actual,
    'no propensity',
  );
  const hidden = { attribute: 'age', operator: 'gte', expected: 18, actual: null };
  const withheld = storyFor('attribute_condition', hidden, 'age is withheld');
  assert.deepEqual(
    [withheld?.actual, withheld?.isMissing],
    ['withheld', false],
    'a value that is never stored did exist',
  );
  assert.equal(storyFor('time_window', { ...window, currentHour: null, currentDay: null })?.actual, 'withheld');
});

test('operators read as conditions, and unknown ones are shown as they are', () => {
  const requiredBy = (operator: string, expected?: unknown) =>
    storyFor('attribute_condition', { attribute: 'tier', operator, expected, actual: 'basic' })?.required;
  assert.equal(requiredBy('in', ['gold', 'black']), 'tier one of gold, black');
  assert.equal(requiredBy('exists'), 'tier has a value');
  assert.equal(requiredBy('within_last_days', 1), 'tier within the last 1 day');
  assert.equal(requiredBy('resembles', 'gold'), 'tier resembles gold');
});

test("the offer's own eligibility has a story for each key", () => {
  const eligibility = (key: string, more: object = {}) => storyFor(null, { source: 'eligibility', key, ...more });
  assert.equal(eligibility('requiredSegments', { required: ['a', 'b'], missing: ['b'] })?.actual, 'member of a');
  assert.equal(eligibility('excludedSegments', { matchedSegment: 'staff' })?.required, 'not a member of staff');
  assert.equal(eligibility('propensityThreshold', { minScore: 0.5, actualScore: 0.1 })?.actual, '0.1');
  assert.equal(eligibility('conditions')?.actual, 'not met');
});

test('a gate without details has no story; one that failed to evaluate says so', () => {
  assert.equal(storyFor('attribute_condition', null), null);
  assert.equal(storyFor(null, { final: true }), null);
  assert.equal(storyFor('of tomorrow', { max: 3 }), null);
  assert.equal(storyFor('cooldown', { error: 'policy_error' })?.required, "couldn't be evaluated, so it blocks");
});

test('formats values as they are', () => {
  assert.equal(valueText([1, 'a', true, null], write), '1, a, yes, missing');
  assert.equal(valueText({ a: 1 }, write), '{"a":1}');
});
