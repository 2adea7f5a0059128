import type { EligibilityDetail, RuleResult } from '@arbiter/contract/deciding/decision-rules';
import { gateTexts as t } from '../../../messages/decisions/gates.ts';
import { type Figure, type GateStory, namesText, noFigure, story, valueText, type Writers } from './gate-story.ts';

/** Rule types that can be evaluated. */
export type EvaluatedRule = NonNullable<RuleResult['ruleType']>;

/** Compared values of a rule type. */
type RuleDetailOf<T extends EvaluatedRule> = Exclude<
  NonNullable<Extract<RuleResult, { ruleType: T }>['detail']>,
  { error: string }
>;

/** One per rule type: a type without one doesn't compile. */
export const ruleStories: {
  readonly [T in EvaluatedRule]: (detail: RuleDetailOf<T>, write: Writers) => GateStory;
} = {
  segment_required(detail, write) {
    const wanted = detail.required.map(write.segment);
    const have = detail.actual.map(write.segment);
    const actual = have.length === 0 ? t.memberOfNone : t.memberOf(namesText(have));
    return story(t.allSegments(namesText(wanted)), actual, { kind: 'set', wanted, have, mustHave: true });
  },
  attribute_condition: (detail, write) => comparisonStory(detail.attribute, detail, write),
  offer_attribute: (detail, write) => comparisonStory(t.ofOffer(detail.attribute), detail, write),
  propensity_threshold({ model, minScore, actualScore }, write) {
    return story(
      `${t.propensity(model)} ${conditionText('gte', minScore, write)}`,
      actualScore === null ? t.noPropensity : write.number(actualScore),
      { kind: 'ruler', value: actualScore, least: minScore, most: null },
      actualScore === null,
    );
  },
  recency_check({ attribute, minDays, maxDays, actualDays }, write) {
    const wanted =
      minDays !== null && maxDays !== null
        ? t.ageBetween(write.number(minDays), write.number(maxDays))
        : minDays !== null
          ? t.ageAtLeast(write.number(minDays))
          : t.ageAtMost(write.number(maxDays ?? 0));
    return story(
      `${attribute} ${wanted}`,
      actualDays === null ? t.missing : t.ago(write.number(actualDays)),
      { kind: 'ruler', value: actualDays, least: minDays, most: maxDays },
      actualDays === null,
    );
  },
  metric_condition({ metricName, operator, threshold, actual }, write) {
    return story(
      `${metricName} ${conditionText(operator, threshold, write)}`,
      actual === null ? t.missing : write.number(actual),
      noFigure,
      actual === null,
    );
  },
};

/** Whether a gate's type is a rule type, not a policy type. */
export const isRuleType = (type: string): type is EvaluatedRule => Object.hasOwn(ruleStories, type);

/** Story of the offer's own eligibility, which has no rule. */
export function eligibilityStory(detail: EligibilityDetail, write: Writers): GateStory {
  if ('required' in detail) {
    const { required: wanted, missing } = detail;
    const have = wanted.filter((name) => !missing.includes(name));
    return story(
      t.eligibility.requiredSegments(namesText(wanted)),
      have.length === 0 ? t.memberOfNone : t.memberOf(namesText(have)),
      { kind: 'set', wanted, have, mustHave: true },
    );
  }
  if ('matchedSegment' in detail) {
    const matched = detail.matchedSegment ?? '';
    return story(t.eligibility.excludedSegments(matched), t.isMember(matched));
  }
  if ('minScore' in detail) {
    const { minScore: least, actualScore: value } = detail;
    return story(t.eligibility.propensityThreshold(write.number(least)), write.number(value), {
      kind: 'ruler',
      value,
      least,
      most: null,
    });
  }
  return story(t.eligibility.conditions, t.doesNotHold);
}

type Comparison = RuleDetailOf<'attribute_condition'>;

function comparisonStory(subject: string, { operator, expected, actual }: Comparison, write: Writers): GateStory {
  const isMissing = actual === null;
  return story(
    `${subject} ${conditionText(operator, expected, write)}`,
    isMissing ? t.missing : valueText(actual, write),
    conditionFigure(operator, expected, actual),
    isMissing,
  );
}

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
  const value = numberOrNull(actual);
  const bound = numberOrNull(expected);
  if (operator === 'between' && Array.isArray(expected)) {
    const [least, most] = [numberOrNull(expected[0]), numberOrNull(expected[1])];
    return least === null || most === null ? noFigure : { kind: 'ruler', value, least, most };
  }
  if (bound !== null && (operator === 'gt' || operator === 'gte'))
    return { kind: 'ruler', value, least: bound, most: null };
  if (bound !== null && (operator === 'lt' || operator === 'lte'))
    return { kind: 'ruler', value, least: null, most: bound };
  if ((operator === 'in' || operator === 'not_in') && Array.isArray(expected)) {
    const have = (Array.isArray(actual) ? actual : [actual]).filter((entry) => entry !== null).map(String);
    return { kind: 'set', wanted: expected.map(String), have, mustHave: operator === 'in' };
  }
  return noFigure;
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
