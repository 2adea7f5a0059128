import type { PolicyResult } from '@arbiter/contract/deciding/decision-policies';
import { operatorText } from '../../../messages/catalogue/conditions.ts';
import { gateTexts as t } from '../../../messages/decisions/gates.ts';
import { type GateStory, namesText, story, type Writers } from './gate-story.ts';

/** Policy types that can be evaluated. */
export type EvaluatedPolicy = PolicyResult['ruleType'];

/** Compared values of a policy type. */
type PolicyDetailOf<T extends EvaluatedPolicy> = Exclude<
  NonNullable<Extract<PolicyResult, { ruleType: T }>['detail']>,
  { error: string }
>;

type CapDetail = PolicyDetailOf<'frequency_cap'> | PolicyDetailOf<'offer_category_cap'>;

/** One per policy type: a type without one doesn't compile. */
export const policyStories: {
  readonly [T in EvaluatedPolicy]: (detail: PolicyDetailOf<T>, write: Writers) => GateStory;
} = {
  frequency_cap: (detail, write) => capStory(detail, null, write),
  customer_total_cap: (detail, write) => capStory(detail, null, write),
  cross_channel_cap: (detail, write) => capStory(detail, t.acrossChannels(write.number(detail.channels.length)), write),
  offer_category_cap: (detail, write) => capStory(detail, t.ofCategory(detail.targetCategory), write),
  cooldown({ cooldownHours: length, hoursSinceLast: elapsed }, write) {
    return story(t.cooldown(write.number(length)), t.hours(write.number(elapsed)), {
      kind: 'timer',
      elapsed,
      length,
      unit: 'hours',
    });
  },
  budget_exhausted({ budgetField, threshold: max, actual: used }, write) {
    return story(t.budget(budgetField, write.number(max)), t.budgetUsed(budgetField, write.number(used)), {
      kind: 'counter',
      used,
      max,
    });
  },
  outcome_based({ afterOutcome, suppressForDays: length, daysSince: elapsed, lastOutcome }, write) {
    return story(
      t.outcome(afterOutcome.join(' or '), write.number(length)),
      t.outcomeWas(lastOutcome, write.number(elapsed)),
      { kind: 'timer', elapsed, length, unit: 'days' },
    );
  },
  segment_exclusion({ excludeSegments, matchedSegment }, write) {
    const excluded = excludeSegments.map(write.segment);
    const matched = matchedSegment === null ? null : write.segment(matchedSegment);
    return story(t.noSegments(namesText(excluded)), matched === null ? null : t.isMember(matched), {
      kind: 'set',
      wanted: excluded,
      have: matched === null ? [] : [matched],
      mustHave: false,
    });
  },
  time_window({ startHour: start, endHour: end, currentHour: hour, currentDay: day, allowedDays, timezone }, write) {
    const isWhole = allowedDays.length === 0 || new Set(allowedDays).size === 7;
    const week = isWhole ? t.everyDay : allowedDays.map((at) => t.shortWeekdays[at] ?? '').join(', ');
    return story(
      t.window(t.hour(write.number(start)), t.hour(write.number(end)), week, timezone),
      hour === null || day === null ? t.hidden : t.windowNow(t.weekdays[day] ?? '', t.hour(write.number(hour))),
      { kind: 'clock', start, end, days: allowedDays, hour, day },
    );
  },
  mutual_exclusion({ conflictingOfferId: id }, write) {
    return story(t.exclusion, id === null ? null : t.excludedBy(write.offer(id)));
  },
  allow_override({ overridden = [], policyReason }, write) {
    const lifted = t.lifted(write.number(overridden.length));
    return story(t.override, `${t.overrideReason(policyReason)}; ${lifted}`);
  },
  category_suppression({ suppressionDays: length, daysSince: elapsed, suppressedUntil }, write) {
    const actual = [t.lastContactAgo(write.number(elapsed)), t.until(write.instant(suppressedUntil))].join(', ');
    return story(t.categoryPause(write.number(length)), actual, { kind: 'timer', elapsed, length, unit: 'days' });
  },
  do_not_contact({ policyReason, dncSource }) {
    return story(t.noContact, policyReason ?? t.doNotContact(dncSource));
  },
  metric_condition({ metricName, operator, threshold, actual }, write) {
    return story(
      t.metricNot(metricName, operatorText(operator, write.number(threshold))),
      actual === null ? null : write.number(actual),
    );
  },
};

function capStory(detail: CapDetail, scope: string | null, write: Writers): GateStory {
  const { max, actual: used } = detail;
  const period = [periodText(detail, write), scope].filter((part) => part !== null).join(' ');
  return story(t.upTo(write.number(max), period), t.contacts(write.number(used), period), {
    kind: 'counter',
    used,
    max,
  });
}

/** Formats the counting period: `today`, `in the last 7 days`. */
function periodText(detail: CapDetail, write: Writers): string {
  if ('windowDays' in detail && detail.windowDays !== undefined) return t.rollingDays(write.number(detail.windowDays));
  if ('windowHours' in detail && detail.windowHours !== undefined)
    return t.rollingHours(write.number(detail.windowHours));
  return t.periods[detail.period] ?? detail.period;
}
