import Type, { type Static, type TObject } from 'typebox';
import { type QualificationRuleType, qualificationRuleTypes } from '../catalogue/qualification-rules.ts';
import { Nullable, StringEnum } from '../core/schemas.ts';
import { type ContactPolicyType, contactPolicyTypes } from './contact-policy-parts.ts';
import { dropDetails } from './decision-drops.ts';
import { PolicyError, policyDetails } from './decision-policies.ts';
import { EligibilityDetail, RuleError, ruleDetails } from './decision-rules.ts';

// The gates that an offer goes through, by type (docs/design/api-decisioning.md 12).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });

const final = Type.Optional(
  Type.Literal(true, { description: 'True if no change is suggested for the gate; otherwise absent.' }),
);
const penalty = Type.Optional(number('Factor by which a failed match rule lowered the score; otherwise absent.'));
const overriddenBy = Type.Optional(text('ID of the policy that lifts the block; otherwise absent.'));

const repeatedReason = Type.Optional(text('The reason again, if earlier items use up the limit; otherwise absent.'));

const place = {
  stage: text('Type of the node that has the gate, or a stage of the engine, such as `suppression` or `admission`.'),
  nodeId: textOrNull('ID of the node; null for a stage that is not part of the flow.'),
  status: StringEnum(['passed', 'blocked', 'skipped'], { description: 'Result for the offer.' }),
};
const reason = textOrNull('Why it rejected the offer, as text.');

const ruleGate = <T extends keyof typeof ruleDetails>(ruleType: T) =>
  Type.Object(
    {
      ...place,
      id: text('ID of the rule.'),
      name: text('Name of the rule.'),
      ruleType: Type.Literal(ruleType, { description: 'Type of the rule.' }),
      reason,
      detail: Nullable(
        Type.Union([
          Type.Object(
            { ...ruleDetails[ruleType].properties, final, penalty },
            { description: 'Values that were compared.' },
          ),
          Type.Object({ ...RuleError.properties, penalty }, { description: "A rule that can't be evaluated." }),
        ]),
        { description: 'Values that were compared; null if the rule passes.' },
      ),
    },
    { description: `A rule of the type \`${ruleType}\`.` },
  );

const policyGate = <T extends keyof typeof policyDetails>(ruleType: T) => {
  const details: TObject<(typeof policyDetails)[T]['properties']> = policyDetails[ruleType];
  return Type.Object(
    {
      ...place,
      id: text('ID of the policy.'),
      name: text('Name of the policy.'),
      ruleType: Type.Literal(ruleType, { description: 'Type of the policy.' }),
      reason,
      detail: Nullable(
        Type.Union([
          Type.Object(
            { reason: repeatedReason, ...details.properties, final, overriddenBy },
            { description: 'Values that were compared.' },
          ),
          Type.Object(
            { reason: repeatedReason, ...PolicyError.properties, final, overriddenBy },
            { description: "A policy that can't be evaluated." },
          ),
        ]),
        { description: 'Values that were compared; null if the policy passes or is skipped.' },
      ),
    },
    { description: `A contact policy of the type \`${ruleType}\`.` },
  );
};

/** Details of gates that are neither a rule nor a policy. */
const otherDetails = [
  EligibilityDetail,
  dropDetails.schedule,
  dropDetails.budget,
  dropDetails.offer_frequency_cap,
  dropDetails.min_propensity,
  dropDetails.min_score,
  dropDetails.call_flow,
  dropDetails.sub_flow_unavailable,
  Type.Object(
    {
      scope: StringEnum(['global', 'category', 'offer'], { description: 'What is suppressed for the customer.' }),
      scopeId: text('ID of the category or offer; `all` for global.'),
      reason: text('Reason from the suppression.'),
      expiresAt: number('When the suppression ends, in milliseconds since 1970.'),
    },
    { description: 'The suppression.' },
  ),
  Type.Object(
    { status: text('Status of the offer, or `deleted`.'), final },
    { description: 'An offer that is not active.' },
  ),
  Type.Object(
    { final: Type.Literal(true, { description: 'True: no change is suggested for the gate.' }) },
    { description: 'An offer that is stopped everywhere.' },
  ),
];

const OtherGate = Type.Object(
  {
    ...place,
    id: textOrNull('ID of the policy behind a suppression; null for other gates.'),
    name: textOrNull(
      'The cause, such as `schedule`, `stock` or `emergency_excluded`; `eligibility` for the eligibility of the offer. Null for a stage that passed the offer.',
    ),
    ruleType: Type.Null({ description: 'Always null.' }),
    reason,
    detail: Nullable(Type.Union(otherDetails), { description: 'Values that were compared, by cause, or null.' }),
  },
  { description: 'A gate that is neither a rule nor a policy.' },
);

/** A gate that the offer went through: a rule, a contact policy, or another part of the flow. */
export const WhyNotGate = Type.Unsafe<WhyNotGate>(
  Type.Union(
    [
      ...qualificationRuleTypes.map((type) => ruleGate(type)),
      ...contactPolicyTypes.map((type) => policyGate(type)),
      OtherGate,
    ],
    { description: 'A gate the offer went through. All gates are checked, not only the first one that rejects.' },
  ),
);
export type WhyNotGate =
  | { [T in QualificationRuleType]: Static<ReturnType<typeof ruleGate<T>>> }[QualificationRuleType]
  | { [T in ContactPolicyType]: Static<ReturnType<typeof policyGate<T>>> }[ContactPolicyType]
  | Static<typeof OtherGate>;
