import type { QualificationRuleType, QualificationStage } from '@arbiter/contract/catalogue/qualification-rules';
import type { AnyRuleConfig } from '@arbiter/contract/core/config-types.generated';
import { catalogueTitles as titles } from './catalogue-titles.ts';
import { listText, operatorText } from './conditions.ts';

export const ruleTypeNames: Readonly<Record<QualificationRuleType, string>> = {
  segment_required: 'Segment',
  attribute_condition: 'Attribute',
  propensity_threshold: 'Propensity',
  recency_check: 'Recency',
  metric_condition: 'Metric',
  offer_attribute: 'Offer',
};

const stageTexts: Readonly<Record<QualificationStage, string>> = {
  eligibility: 'drops the offer',
  fit: 'drops the offer',
  match: 'lowers the score',
  ranking: 'stored but not applied',
};

const sentences: Readonly<
  Record<QualificationRuleType, (config: AnyRuleConfig, nameOf: (segment: string) => string) => string>
> = {
  segment_required(config, nameOf) {
    const names = config.requiredSegments ?? [];
    return names.length === 0 ? 'No segment set: everyone passes' : `Member of ${listText(names.map(nameOf))}`;
  },
  attribute_condition: (config) => `${config.attribute || '?'} ${operatorText(config.operator, config.value)}`,
  propensity_threshold(config) {
    const model = config.modelKey || config.model || '';
    return `Propensity${model === '' ? '' : ` from ${model}`} at least ${config.minScore ?? 0}`;
  },
  recency_check(config) {
    const { minDays: least = null, maxDays: most = null } = config;
    const limits = [least === null ? null : `at least ${least}`, most === null ? null : `at most ${most}`];
    return `${config.attribute || '?'} ${listText(limits.filter((part) => part !== null))} days ago`;
  },
  metric_condition: (config) => `Metric ${operatorText(config.operator ?? 'gte', config.threshold ?? 0)}`,
  offer_attribute(config) {
    const path = config.valueFrom || null;
    const requirement =
      path === null ? operatorText(config.operator, config.value) : operatorText(config.operator, path);
    return `Offer's ${config.attribute || '?'} ${requirement}`;
  },
};

/** Describes a rule in one sentence. `nameOf` returns the name of a segment by its ID. */
export function ruleSentence(
  type: QualificationRuleType,
  config: AnyRuleConfig,
  nameOf: (segment: string) => string = (segment) => segment,
): string {
  const missing = config.onMissing === 'pass' ? ', or no value' : '';
  return `${sentences[type](config, nameOf)}${missing}`;
}

/** Returns what happens to an offer whose customer doesn't meet the rule. */
export function consequence(stage: QualificationStage, config: AnyRuleConfig): string {
  if (stage !== 'match') return stageTexts[stage];
  return `multiplies the score by ${config.penalty ?? 0.5}`;
}

export const ruleTexts = {
  rules: titles.rules,
  rule: titles.rule,
  lead: 'Decide whether an offer fits a customer. Eligibility and fit rules drop the offer; match rules lower its score.',
  asks: 'Condition',
  stage: 'Stage',
  otherwise: 'If not met',
  appliesTo: 'Applies to',
  allDecisions: 'Decisions blocked by this rule',
  settings: 'Settings',
  empty: 'No qualification rules yet',
  emptyText: 'Without one, every offer fits every customer.',
} as const;
