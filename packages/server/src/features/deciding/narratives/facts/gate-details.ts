import type { DroppedOffer } from '@arbiter/contract';
import { quoted } from '../../../operations/narration/index.ts';
import { counted, figure, instant, listed } from './say.ts';

/** Comparison operators in words; others are named as they are. */
const operators: Readonly<Record<string, string>> = {
  neq: 'anything but',
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  in: 'one of',
  not_in: 'none of',
  contains: 'a value that contains',
  not_contains: 'a value that does not contain',
  starts_with: 'a value that starts with',
  ends_with: 'a value that ends with',
  exists: 'a value',
  not_exists: 'no value',
  between: 'a value between',
};
const periods: Readonly<Record<string, string>> = {
  daily: 'a day',
  weekly: 'a week',
  monthly: 'a month',
  alltime: 'in total',
  rolling: 'in its window',
};
const causes: Readonly<Record<string, string>> = {
  not_started: 'it has not started',
  ended: 'it has ended',
  day: 'it does not run on that weekday',
  hour: 'it does not run at that hour',
  unreadable: 'its settings cannot be read',
  daily_spend: 'the daily budget is used up',
  lifetime_spend: 'the total budget is used up',
  daily_impressions: 'the daily impressions are used up',
  lifetime_impressions: 'the total impressions are used up',
};
const unreadable = 'its settings cannot be evaluated, which blocks the offer';

type Detail = Readonly<Record<string, unknown>>;
const has = (detail: Detail, ...keys: readonly string[]): boolean => keys.every((key) => Object.hasOwn(detail, key));
const text = (value: unknown): string => String(value ?? '');
const number = (value: unknown): string => (typeof value === 'number' ? figure(value) : 'unknown');

/** Returns a compared value: numbers as they are, texts in quotation marks. */
function compared(value: unknown): string {
  if (value === null || value === undefined) return 'not known';
  if (typeof value === 'number') return figure(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const shown = value.slice(0, 3).map(compared);
    return value.length > 3 ? `${shown.join(', ')} or ${figure(value.length - 3)} more` : listed(shown);
  }
  return quoted(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns why a rule, a policy or a limit blocked the offer, to follow a colon; null if its name says it all. */
export function gateDetail({ stage, reason, detail: given }: DroppedOffer): string | null {
  if (given === null) return null;
  const detail: Detail = { ...given };
  if (has(detail, 'error')) return unreadable;
  if (has(detail, 'cause')) return causes[text(detail.cause)] ?? text(detail.cause);
  if (reason === 'contact_policy' && stage === 'admission') return 'offers ranked ahead used up the limit';
  return (
    comparison(detail, reason === 'contact_policy' ? 'the policy blocks' : 'the rule requires') ??
    ruleDetail(detail) ??
    limitDetail(detail) ??
    historyDetail(detail)
  );
}

/** `verb`: rules require what they compare, policies block it. */
function comparison(detail: Detail, verb: string): string | null {
  if (has(detail, 'metricName', 'operator')) {
    const { metricName, operator, threshold, actual } = detail;
    return `the metric ${quoted(text(metricName))} is ${compared(actual)}, and ${verb} ${wanted(operator, threshold)}`;
  }
  if (!has(detail, 'attribute', 'operator')) return null;
  const { attribute, operator, expected, actual } = detail;
  return `${quoted(text(attribute))} is ${compared(actual)}, and ${verb} ${wanted(operator, expected)}`;
}

function wanted(operator: unknown, value: unknown): string {
  if (operator === 'eq') return compared(value);
  const word = operators[text(operator)] ?? `${quoted(text(operator))} for`;
  return operator === 'exists' || operator === 'not_exists' ? word : `${word} ${compared(value)}`;
}

function ruleDetail(detail: Detail): string | null {
  if (has(detail, 'required')) return 'the customer is not in every segment that it requires';
  if (has(detail, 'minScore'))
    return `the score is ${number(detail.actualScore ?? detail.score)}, and the minimum is ${number(detail.minScore)}`;
  if (has(detail, 'propensity', 'minPropensity')) {
    return `the propensity is ${number(detail.propensity)}, and the minimum is ${number(detail.minPropensity)}`;
  }
  if (!has(detail, 'actualDays')) return null;
  const { attribute, maxDays, minDays, actualDays } = detail;
  if (typeof actualDays !== 'number') return `the age of ${quoted(text(attribute))} is not known`;
  const limits = [
    ...(typeof minDays === 'number' ? [`at least ${figure(minDays)}`] : []),
    ...(typeof maxDays === 'number' ? [`at most ${figure(maxDays)}`] : []),
  ];
  return `${quoted(text(attribute))} is ${counted(actualDays, 'day')} old, and the rule requires ${listed(limits)}`;
}

function limitDetail(detail: Detail): string | null {
  if (has(detail, 'max', 'actual', 'period')) {
    const { max, actual, period } = detail;
    return `${number(actual)} of at most ${counted(Number(max), 'contact')} ${periods[text(period)] ?? 'in its window'}`;
  }
  if (has(detail, 'cooldownHours')) {
    return `the last contact was ${number(detail.hoursSinceLast)} hours before, and the pause is ${number(detail.cooldownHours)} hours`;
  }
  if (has(detail, 'startHour', 'endHour')) {
    const { startHour, endHour, currentHour } = detail;
    const hours = `contacts are allowed from hour ${number(startHour)} to hour ${number(endHour)}`;
    return typeof currentHour === 'number' ? `it was hour ${number(currentHour)}, and ${hours}` : hours;
  }
  if (!has(detail, 'budgetField')) return null;
  const { budgetField, threshold, actual } = detail;
  return `${number(actual)} of at most ${number(threshold)} ${budgetField === 'spend' ? 'units of spend' : 'impressions'}`;
}

function historyDetail(detail: Detail): string | null {
  if (has(detail, 'dncSource')) return 'the customer asked not to be contacted';
  if (has(detail, 'excludeSegments') || has(detail, 'matchedSegment')) return 'the customer is in an excluded segment';
  if (has(detail, 'offerGroup')) return 'another offer of its group was shown';
  if (has(detail, 'suppressForDays')) {
    const { lastOutcome, daysSince, suppressForDays } = detail;
    return `the outcome ${quoted(text(lastOutcome))} was ${counted(Number(daysSince), 'day')} before, and the pause is ${counted(Number(suppressForDays), 'day')}`;
  }
  if (has(detail, 'suppressedUntil'))
    return `its category is suppressed until ${instant(text(detail.suppressedUntil))}`;
  if (has(detail, 'expiresAt')) return `it lasts until ${instant(text(detail.expiresAt))}`;
  return null;
}
