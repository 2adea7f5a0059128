import { type ReachEstimateRequest, reachTypes } from '@arbiter/contract/deciding/estimates';

type Config = Readonly<Record<string, unknown>>;

/** The request that estimates a rule's reach, or the reason it can't be made. */
export type ReachQuestion =
  | { readonly kind: 'ask'; readonly body: ReachEstimateRequest }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'never'; readonly reason: 'propensity_threshold' | 'offer_attribute' | 'attribute' | 'minDays' };

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The column of a customer's attribute; null for an attribute of the request, the offer or the channel. */
function columnOf(attribute: string): string | null {
  if (attribute.startsWith('customer.')) return attribute.slice('customer.'.length);
  return /^(request|offer|channel)\./.test(attribute) ? null : attribute;
}

/** Returns the estimate that fits a rule's type and config. */
export function reachQuestion(ruleType: unknown, config: Config): ReachQuestion {
  if (ruleType === 'propensity_threshold' || ruleType === 'offer_attribute') return { kind: 'never', reason: ruleType };
  const type = reachTypes.find((each) => each === ruleType);
  if (type === undefined) return { kind: 'incomplete' };
  const onMissing = config.onMissing === 'pass' ? ({ onMissing: 'pass' } as const) : {};
  if (type === 'segment_required') {
    const segments: unknown = config.requiredSegments;
    const isEmpty = !Array.isArray(segments) || segments.length === 0;
    return isEmpty ? { kind: 'incomplete' } : { kind: 'ask', body: { ruleType: type, value: segments } };
  }
  if (type === 'metric_condition') {
    const field = text(config.metricId);
    if (field === '') return { kind: 'incomplete' };
    const operator = text(config.operator) || 'gte';
    return { kind: 'ask', body: { ruleType: type, field, operator, value: config.threshold ?? 0, ...onMissing } };
  }
  const attribute = text(config.attribute);
  if (attribute === '') return { kind: 'incomplete' };
  const field = columnOf(attribute);
  if (field === null) return { kind: 'never', reason: 'attribute' };
  if (type === 'recency_check') {
    if (typeof config.minDays === 'number') return { kind: 'never', reason: 'minDays' };
    if (typeof config.maxDays !== 'number') return { kind: 'incomplete' };
    return { kind: 'ask', body: { ruleType: type, field, value: config.maxDays, ...onMissing } };
  }
  const operator = text(config.operator);
  const needsValue = operator !== 'exists' && operator !== 'not_exists';
  if (operator === '' || (needsValue && (config.value === undefined || config.value === ''))) {
    return { kind: 'incomplete' };
  }
  const value = needsValue ? { value: config.value } : {};
  return { kind: 'ask', body: { ruleType: type, field, operator, ...value, ...onMissing } };
}
