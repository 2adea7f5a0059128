import type { ContactPolicyType } from '@arbiter/contract/catalogue/contact-policies';
import type { QualificationRuleType } from '@arbiter/contract/catalogue/qualification-rules';
import { gateTexts } from '../../messages/gates.ts';
import { isObject, type JsonObject, listOf, numberOf, textOf, textsOf } from './reading.ts';

/** Requirement and result of a gate. */
export interface GateStory {
  /** What lets the offer pass. */
  readonly required: string;
  /** The actual value; null if the gate has none (most passed gates). */
  readonly actual: string | null;
  /** True if the value is missing, which isn't the same as 0. */
  readonly isMissing: boolean;
  readonly figure: Figure;
}

/** Data of the gate's chart. */
export type Figure =
  | { readonly kind: 'none' }
  /** A number and its bounds. */
  | {
      readonly kind: 'ruler';
      readonly value: number | null;
      readonly least: number | null;
      readonly most: number | null;
    }
  /** Segments and memberships. `mustHave` false: must not be a member. */
  | {
      readonly kind: 'set';
      readonly wanted: readonly string[];
      readonly have: readonly string[];
      readonly mustHave: boolean;
    }
  /** Used and allowed. */
  | { readonly kind: 'counter'; readonly used: number; readonly max: number }
  /** Elapsed part of a period. */
  | { readonly kind: 'timer'; readonly elapsed: number; readonly length: number; readonly unit: 'hours' | 'days' }
  /** Open hours and the hour of the decision; null if withheld. */
  | {
      readonly kind: 'clock';
      readonly start: number;
      readonly end: number;
      readonly days: readonly number[];
      readonly hour: number | null;
      readonly day: number | null;
    };

/** Formatters for numbers, instants and IDs. */
export interface Writers {
  readonly number: (value: number) => string;
  readonly instant: (value: string) => string;
  /** Returns the name of an offer, or its ID if unknown. */
  readonly offer: (id: string) => string;
  /** Returns the name of a segment. Rules name segments by ID or name. */
  readonly segment: (idOrName: string) => string;
}

type Teller = (detail: JsonObject, write: Writers) => GateStory;

const t = gateTexts;
const none = { kind: 'none' } as const;

const story = (required: string, actual: string | null, figure: Figure = none, isMissing = false): GateStory => ({
  required,
  actual,
  isMissing,
  figure,
});

/** Formats a JSON value, without quotes around strings. */
export function valueText(value: unknown, write: Pick<Writers, 'number'>): string {
  if (value === null || value === undefined) return t.missing;
  if (typeof value === 'number') return write.number(value);
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (Array.isArray(value)) return value.map((entry) => valueText(entry, write)).join(', ');
  return JSON.stringify(value);
}

const namesText = (names: readonly string[]): string => (names.length === 0 ? t.nothing : names.join(', '));

/** Formats the requirement of a condition. */
function conditionText(operator: string, expected: unknown, write: Writers): string {
  const words = t.operators[operator];
  const value =
    operator === 'between' && Array.isArray(expected) && expected.length === 2
      ? t.and(valueText(expected[0], write), valueText(expected[1], write))
      : expected === null || expected === undefined
        ? ''
        : valueText(expected, write);
  return words === undefined ? t.otherOperator(operator, value) : words(value);
}

function conditionFigure(operator: string, expected: unknown, actual: unknown): Figure {
  const value = numberOf(actual);
  const bound = numberOf(expected);
  if (operator === 'between' && Array.isArray(expected)) {
    const [least, most] = [numberOf(expected[0]), numberOf(expected[1])];
    return least === null || most === null ? none : { kind: 'ruler', value, least, most };
  }
  if (bound !== null && (operator === 'gt' || operator === 'gte'))
    return { kind: 'ruler', value, least: bound, most: null };
  if (bound !== null && (operator === 'lt' || operator === 'lte'))
    return { kind: 'ruler', value, least: null, most: bound };
  if ((operator === 'in' || operator === 'not_in') && Array.isArray(expected)) {
    const wanted = expected.map(String);
    const have = (Array.isArray(actual) ? actual : [actual]).filter((entry) => entry !== null).map(String);
    return { kind: 'set', wanted, have, mustHave: operator === 'in' };
  }
  return none;
}

const condition =
  (subject: (attribute: string) => string): Teller =>
  (detail, write) => {
    const attribute = subject(textOf(detail.attribute) ?? '');
    const operator = textOf(detail.operator) ?? '';
    const { expected, actual = null } = detail;
    const isMissing = actual === null;
    return story(
      `${attribute} ${conditionText(operator, expected, write)}`,
      isMissing ? t.missing : valueText(actual, write),
      conditionFigure(operator, expected, actual),
      isMissing,
    );
  };

const metric =
  (refuses: boolean): Teller =>
  (detail, write) => {
    const name = textOf(detail.metricName) ?? textOf(detail.metricId) ?? 'metric';
    const operator = textOf(detail.operator) ?? 'gte';
    const threshold = detail.threshold ?? detail.expected ?? 0;
    const actual = numberOf(detail.actual);
    const wanted = conditionText(operator, threshold, write);
    return story(
      refuses ? t.notMetric(name, wanted) : `${name} ${wanted}`,
      actual === null ? t.missing : write.number(actual),
      refuses ? none : conditionFigure(operator, threshold, actual),
      actual === null,
    );
  };

/** One per rule type: a type without one doesn't compile. */
export const ruleStories: Readonly<Record<QualificationRuleType, Teller>> = {
  segment_required(detail, write) {
    const wanted = textsOf(detail.required).map(write.segment);
    const have = textsOf(detail.actual).map(write.segment);
    const isNone = have.length === 0;
    return story(t.allSegments(namesText(wanted)), isNone ? t.memberOfNone : t.memberOf(namesText(have)), {
      kind: 'set',
      wanted,
      have,
      mustHave: true,
    });
  },
  attribute_condition: condition((attribute) => attribute),
  offer_attribute: condition(t.ofOffer),
  metric_condition: metric(false),
  propensity_threshold(detail, write) {
    const least = numberOf(detail.minScore);
    const value = numberOf(detail.actualScore);
    return story(
      `${t.propensity(textOf(detail.model))} ${t.operators.gte?.(least === null ? '' : write.number(least)) ?? ''}`,
      value === null ? t.noPropensity : write.number(value),
      { kind: 'ruler', value, least, most: null },
      value === null,
    );
  },
  recency_check(detail, write) {
    const [least, most] = [numberOf(detail.minDays), numberOf(detail.maxDays)];
    const value = numberOf(detail.actualDays);
    const wanted =
      least !== null && most !== null
        ? t.ageBetween(write.number(least), write.number(most))
        : least !== null
          ? t.ageAtLeast(write.number(least))
          : t.ageAtMost(write.number(most ?? 0));
    return story(
      `${textOf(detail.attribute) ?? ''} ${wanted}`,
      value === null ? t.missing : t.ago(write.number(value)),
      { kind: 'ruler', value, least, most },
      value === null,
    );
  },
};

/** Formats the counting period: `today`, `in the last 7 days`. */
function periodText(detail: JsonObject, write: Writers): string {
  const [windowDays, windowHours] = [numberOf(detail.windowDays), numberOf(detail.windowHours)];
  if (windowDays !== null) return t.rollingDays(write.number(windowDays));
  if (windowHours !== null) return t.rollingHours(write.number(windowHours));
  const period = textOf(detail.period) ?? '';
  return t.periods[period] ?? period;
}

const cap =
  (of: (detail: JsonObject, write: Writers) => string | null): Teller =>
  (detail, write) => {
    const [max, used] = [numberOf(detail.max), numberOf(detail.actual)];
    const period = [periodText(detail, write), of(detail, write)].filter((part) => part !== null).join(' ');
    return story(
      t.upTo(max === null ? '?' : write.number(max), period),
      used === null ? null : t.contacts(write.number(used), period),
      max === null || used === null ? none : { kind: 'counter', used, max },
    );
  };

/** One per policy type: a type without one doesn't compile. */
export const policyStories: Readonly<Record<ContactPolicyType, Teller>> = {
  frequency_cap: cap(() => null),
  customer_total_cap: cap(() => null),
  cross_channel_cap: cap((detail, write) => t.acrossChannels(write.number(listOf(detail.channels).length))),
  offer_category_cap: cap((detail) => t.ofCategory(textOf(detail.targetCategory) ?? '')),
  cooldown(detail, write) {
    const [length, elapsed] = [numberOf(detail.cooldownHours), numberOf(detail.hoursSinceLast)];
    return story(
      t.cooldown(length === null ? '?' : write.number(length)),
      elapsed === null ? null : t.hours(write.number(elapsed)),
      length === null || elapsed === null ? none : { kind: 'timer', elapsed, length, unit: 'hours' },
    );
  },
  budget_exhausted(detail, write) {
    const field = textOf(detail.budgetField) ?? '';
    const [max, used] = [numberOf(detail.threshold), numberOf(detail.actual)];
    return story(
      t.budget(field, max === null ? '?' : write.number(max)),
      used === null ? null : t.budgetUsed(field, write.number(used)),
      max === null || used === null ? none : { kind: 'counter', used, max },
    );
  },
  outcome_based(detail, write) {
    const { afterOutcome } = detail;
    const outcomes = typeof afterOutcome === 'string' ? [afterOutcome] : textsOf(afterOutcome);
    const [length, elapsed] = [numberOf(detail.suppressForDays), numberOf(detail.daysSince)];
    return story(
      t.outcome(outcomes.join(' or '), length === null ? '?' : write.number(length)),
      elapsed === null ? null : t.outcomeWas(textOf(detail.lastOutcome) ?? '', write.number(elapsed)),
      length === null || elapsed === null ? none : { kind: 'timer', elapsed, length, unit: 'days' },
    );
  },
  segment_exclusion(detail, write) {
    const excluded = textsOf(detail.excludeSegments).map(write.segment);
    const found = textOf(detail.matchedSegment);
    const matched = found === null ? null : write.segment(found);
    return story(t.noSegments(namesText(excluded)), matched === null ? null : t.isMember(matched), {
      kind: 'set',
      wanted: excluded,
      have: matched === null ? [] : [matched],
      mustHave: false,
    });
  },
  time_window(detail, write) {
    const [start, end] = [numberOf(detail.startHour) ?? 0, numberOf(detail.endHour) ?? 24];
    const [hour, day] = [numberOf(detail.currentHour), numberOf(detail.currentDay)];
    const days = listOf(detail.allowedDays).filter((entry): entry is number => typeof entry === 'number');
    const isWhole = days.length === 0 || new Set(days).size === 7;
    const week = isWhole ? t.everyDay : days.map((at) => t.shortWeekdays[at] ?? '').join(', ');
    return story(
      t.window(t.hour(write.number(start)), t.hour(write.number(end)), week, textOf(detail.timezone)),
      hour === null || day === null ? t.hidden : t.windowNow(t.weekdays[day] ?? '', t.hour(write.number(hour))),
      { kind: 'clock', start, end, days, hour, day },
    );
  },
  mutual_exclusion(detail, write) {
    const id = textOf(detail.conflictingOfferId);
    return story(t.exclusion, id === null ? null : t.excludedBy(write.offer(id)));
  },
  allow_override(detail, write) {
    const lifted = listOf(detail.overridden).length;
    return story(t.override, `${t.overrideReason(textOf(detail.policyReason))}; ${t.lifted(write.number(lifted))}`);
  },
  category_suppression(detail, write) {
    const [length, elapsed] = [numberOf(detail.suppressionDays), numberOf(detail.daysSince)];
    const until = textOf(detail.suppressedUntil);
    const since = elapsed === null ? null : t.lastContactAgo(write.number(elapsed));
    return story(
      t.categoryPause(length === null ? '?' : write.number(length)),
      [since, until === null ? null : t.until(write.instant(until))].filter((part) => part !== null).join(', ') || null,
      length === null || elapsed === null ? none : { kind: 'timer', elapsed, length, unit: 'days' },
    );
  },
  do_not_contact(detail) {
    return story(t.noContact, textOf(detail.policyReason) ?? t.doNotContact(textOf(detail.dncSource)));
  },
  metric_condition: metric(true),
};

/** Gate of the offer's own eligibility, which has no rule. */
function eligibilityStory(detail: JsonObject, write: Writers): GateStory {
  const key = textOf(detail.key) ?? '';
  if (key === 'requiredSegments') {
    const [wanted, missing] = [textsOf(detail.required), textsOf(detail.missing)];
    const have = wanted.filter((name) => !missing.includes(name));
    return story(
      t.eligibility.requiredSegments(namesText(wanted)),
      have.length === 0 ? t.memberOfNone : t.memberOf(namesText(have)),
      { kind: 'set', wanted, have, mustHave: true },
    );
  }
  if (key === 'excludedSegments') {
    const matched = textOf(detail.matchedSegment) ?? '';
    return story(t.eligibility.excludedSegments(matched), t.isMember(matched));
  }
  if (key === 'propensityThreshold') {
    const [least, value] = [numberOf(detail.minScore), numberOf(detail.actualScore)];
    return story(
      t.eligibility.propensityThreshold(least === null ? '?' : write.number(least)),
      value === null ? t.noPropensity : write.number(value),
      { kind: 'ruler', value, least, most: null },
      value === null,
    );
  }
  return story(t.eligibility.conditions, t.doesNotHold);
}

const hasType = <K extends string>(stories: Readonly<Record<K, Teller>>, type: string): type is K =>
  Object.hasOwn(stories, type);

/** The part of a rule or policy in a trace that its story needs. */
export interface GateReport {
  readonly kind: 'rule' | 'policy';
  readonly ruleType: string | null;
  readonly detail: unknown;
  readonly reason?: string | null;
}

/**
 * Returns requirement and result of a gate. `kind` distinguishes metric rules from metric policies, which are inverse. Returns
 * null for gates without details: passed gates, or unknown types.
 */
export function storyOf(gate: GateReport, write: Writers): GateStory | null {
  const story = storyOfDetail(gate, write);
  // The server omits never stored values and says so in the reason: unlike a missing value, it existed.
  const isWithheld = story?.isMissing === true && gate.reason?.endsWith(' is withheld') === true;
  return isWithheld ? { ...story, actual: t.hidden, isMissing: false } : story;
}

function storyOfDetail(gate: GateReport, write: Writers): GateStory | null {
  const detail = isObject(gate.detail) ? gate.detail : null;
  if (detail === null || Object.keys(detail).every((name) => name === 'final' || name === 'penalty')) return null;
  if (typeof detail.error === 'string') return story(t.cannotEvaluate, detail.error);
  if (detail.source === 'eligibility') return eligibilityStory(detail, write);
  const type = gate.ruleType ?? '';
  if (gate.kind === 'rule') return hasType(ruleStories, type) ? ruleStories[type](detail, write) : null;
  return hasType(policyStories, type) ? policyStories[type](detail, write) : null;
}
