import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { QualificationRuleType } from '../catalogue/qualification-rules.ts';
import { Nullable, StringEnum } from '../core/schemas.ts';

// What the rules of a decision said of its offers, by rule type (docs/design/api-decisioning.md 11).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });
const numberOrNull = (description: string) => Nullable(Type.Number(), { description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const flag = (description: string) => Type.Boolean({ description });
const withheld = 'null if it is never stored';

const compared = {
  attribute: text('Path of the compared value, such as `customer.age`.'),
  operator: text('Comparison operator, such as `gte`.'),
  expected: Type.Unknown({ description: `Value the rule asks for; ${withheld}.` }),
  actual: Type.Unknown({ description: `Value found; null if missing, and ${withheld}.` }),
};

/** Details of the rule types that can be evaluated. */
export const ruleDetails = {
  attribute_condition: Type.Object(compared, { description: 'The comparison that failed.' }),
  offer_attribute: Type.Object(compared, { description: 'The comparison that failed.' }),
  segment_required: Type.Object(
    {
      required: texts('Segments the rule requires, by ID or name.'),
      actual: texts('Required segments the customer is in.'),
    },
    { description: 'Required and actual segments.' },
  ),
  propensity_threshold: Type.Object(
    {
      model: textOrNull('Key of the model; null if the flow scores without one.'),
      minScore: number('Minimum score, 0 to 1.'),
      actualScore: numberOrNull('Score of the offer, 0 to 1, or null.'),
    },
    { description: 'The score and its minimum.' },
  ),
  recency_check: Type.Object(
    {
      attribute: text('Path of the date, such as `customer.last_visit`.'),
      maxDays: numberOrNull('Maximum age in days; null if there is no maximum.'),
      minDays: numberOrNull('Minimum age in days; null if there is no minimum.'),
      actualDays: Nullable(Type.Integer(), {
        description: 'Age in days; null if the value is missing, not a date or never stored.',
      }),
    },
    { description: 'Age of a date and its limits.' },
  ),
  metric_condition: Type.Object(
    {
      metricId: text('Metric that is compared.'),
      metricName: text('Name of the metric.'),
      operator: text('Comparison operator, such as `gte`.'),
      threshold: number('Number the value is compared with.'),
      actual: numberOrNull("The customer's value; null if missing."),
    },
    { description: 'The metric and the value it requires.' },
  ),
} satisfies Record<QualificationRuleType, TObject>;

export const RuleError = Type.Object(
  { error: Type.Literal('rule_error', { description: "The rule's configuration can't be evaluated, so it fails." }) },
  { description: "A rule that can't be evaluated." },
);

const ofEligibility = <P extends TProperties>(key: string, more: P) =>
  Type.Object(
    {
      source: Type.Literal('eligibility', { description: "The offer's own eligibility." }),
      key: Type.Literal(key, { description: 'Part of the eligibility that fails.' }),
      ...more,
    },
    { description: 'Part of the eligibility that fails.' },
  );

/** Details of an offer's own eligibility, by the part that fails. */
export const EligibilityDetail = Type.Union(
  [
    ofEligibility('requiredSegments', {
      required: texts('Segments the offer requires, by ID or name.'),
      missing: texts('Required segments the customer is not in.'),
    }),
    ofEligibility('excludedSegments', { matchedSegment: textOrNull('Excluded segment the customer is in.') }),
    ofEligibility('propensityThreshold', {
      minScore: number('Minimum propensity, 0 to 1.'),
      actualScore: number('Propensity of the offer, 0 to 1.'),
    }),
    Type.Object(
      {
        source: Type.Literal('eligibility', { description: "The offer's own eligibility." }),
        key: Type.Literal('conditions', { description: 'Part of the eligibility that fails.' }),
      },
      { description: 'Part of the eligibility that fails.' },
    ),
    Type.Object(
      {
        source: Type.Literal('eligibility', { description: "The offer's own eligibility." }),
        key: text('Part of the eligibility that cannot be read.'),
        error: Type.Literal('rule_error', { description: "The eligibility can't be evaluated, so it fails." }),
      },
      { description: "Eligibility that can't be evaluated." },
    ),
  ],
  { description: 'What failed, by part of the eligibility.' },
);

export type EligibilityDetail = Static<typeof EligibilityDetail>;

/** Details of every rule type, where the row does not say which it is. */
export const RuleDetail = Type.Union(
  [
    ruleDetails.attribute_condition,
    ruleDetails.segment_required,
    ruleDetails.propensity_threshold,
    ruleDetails.recency_check,
    ruleDetails.metric_condition,
    EligibilityDetail,
    RuleError,
  ],
  { description: 'Compared values, by rule type.' },
);
export type RuleDetail = Static<typeof RuleDetail>;

const ruleRow = {
  offerId: text('Offer.'),
  passed: flag('True if the rule passes.'),
  reason: textOrNull('Why the rule fails, as text; null if it passes.'),
  stage: StringEnum(['eligibility', 'fit', 'match'], {
    description: 'Stage of the rule. A failed match rule only lowers the score.',
  }),
  status: StringEnum(['passed', 'failed', 'skipped'], { description: 'Result of the rule.' }),
  penalty: numberOrNull('Factor applied to the score by a failed match rule; null otherwise.'),
};

const ruleResult = <T extends keyof typeof ruleDetails>(ruleType: T) =>
  Type.Object(
    {
      ...ruleRow,
      ruleId: text('ID of the rule.'),
      ruleName: text('Name of the rule.'),
      ruleType: Type.Literal(ruleType, { description: 'Type of the rule.' }),
      detail: Nullable(Type.Union([ruleDetails[ruleType], RuleError]), {
        description: 'Compared values; null if the rule passes.',
      }),
    },
    { description: `Result of a rule of the type \`${ruleType}\`.` },
  );

/** Result of one rule, or of an offer's own eligibility, for one offer. */
export const RuleResult = Type.Union(
  [
    Type.Object(
      {
        ...ruleRow,
        ruleId: Type.Null({ description: 'Always null: the eligibility is part of the offer.' }),
        ruleName: Type.Null({ description: 'Always null.' }),
        ruleType: Type.Null({ description: 'Always null.' }),
        detail: EligibilityDetail,
      },
      { description: "Result of the offer's own eligibility." },
    ),
    ruleResult('attribute_condition'),
    ruleResult('offer_attribute'),
    ruleResult('segment_required'),
    ruleResult('propensity_threshold'),
    ruleResult('recency_check'),
    ruleResult('metric_condition'),
  ],
  { description: 'Result of a rule for one offer, by rule type.' },
);
export type RuleResult = Static<typeof RuleResult>;
