import Type, { type Static, type TSchema } from 'typebox';
import { Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { PolicyBlockDetail } from './decision-policies.ts';
import { RuleDetail } from './decision-rules.ts';

// Offers that a decision dropped, by reason (docs/design/api-decisioning.md 11).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const row = {
  offerId: text('Offer.'),
  offerName: text('Name of the offer.'),
  stage: text('Stage that dropped it, such as `qualify`. `<flow key>/<stage>` inside a called flow.'),
  nodeId: textOrNull('ID of the node; null for a stage that is not part of the flow.'),
  ruleId: textOrNull('Rule that dropped it, or null.'),
  policyId: textOrNull('Policy that dropped it, or null.'),
};

const dropped = <R extends string, D extends TSchema>(reason: R, detail: D) =>
  Type.Object(
    { ...row, reason: Type.Literal(reason, { description: 'Why it was dropped.' }), detail },
    { description: `An offer dropped for the reason \`${reason}\`.` },
  );

const causes = <const C extends readonly [string, ...string[]]>(values: C, description: string) =>
  Type.Object({ cause: StringEnum(values, { description }) }, { description: 'What closed the offer.' });

/** Suppression in force for an offer. */
export const suppression = {
  scope: StringEnum(['global', 'category', 'offer'], { description: 'What is suppressed for the customer.' }),
  reason: text('Reason from the suppression.'),
  expiresAt: Timestamp('When the suppression ends.'),
};

/** Details by reason, for the reasons that have some of their own. */
export const dropDetails = {
  schedule: causes(
    ['not_started', 'ended', 'day', 'hour', 'unreadable'],
    '`not_started`, `ended`: outside its dates. `day`, `hour`: not at this time. `unreadable`: the schedule is invalid.',
  ),
  budget: causes(
    ['daily_spend', 'lifetime_spend', 'daily_impressions', 'lifetime_impressions', 'unreadable'],
    'Budget that is used up. `unreadable`: the budget is invalid.',
  ),
  offer_frequency_cap: Type.Union(
    [
      Type.Object(
        {
          reason: text('Why the cap drops the offer, as text.'),
          source: Type.Literal('offer', { description: "The offer's own cap." }),
          period: StringEnum(['daily', 'weekly', 'monthly', 'alltime'], { description: 'Window of the cap.' }),
          max: count('Maximum contacts in the window.'),
          actual: count('Contacts counted in the window.'),
        },
        { description: 'The cap that is reached.' },
      ),
      Type.Object(
        {
          source: Type.Literal('offer', { description: "The offer's own cap." }),
          cause: Type.Literal('unreadable', { description: 'The cap is invalid.' }),
        },
        { description: 'An invalid cap.' },
      ),
    ],
    { description: 'The cap that drops the offer.' },
  ),
  min_propensity: Type.Object(
    {
      propensity: number('Propensity of the offer, 0 to 1, unrounded.'),
      minPropensity: number('Minimum propensity of the score node, 0 to 1.'),
    },
    { description: 'The propensity and its minimum.' },
  ),
  min_score: Type.Object(
    { score: number('Score of the offer, unrounded.'), minScore: number('Minimum score of the score node.') },
    { description: 'The score and its minimum.' },
  ),
  call_flow: Type.Object(
    {
      flowKey: text('Key of the called flow.'),
      mode: text('How the result of the call is used, such as `replace`.'),
    },
    { description: 'The call that dropped it.' },
  ),
  sub_flow_unavailable: Type.Object(
    { flowKey: textOrNull('Key of the called flow.') },
    { description: "The call that can't run." },
  ),
};

/** An offer that did not reach the response. */
export const DroppedOffer = Type.Union(
  [
    dropped('qualification', RuleDetail),
    dropped('contact_policy', PolicyBlockDetail),
    dropped(
      'suppressed',
      Type.Object(
        { ...suppression, scopeId: text('ID of the category or offer; `all` for global.') },
        { description: 'The suppression.' },
      ),
    ),
    dropped('schedule', dropDetails.schedule),
    dropped('budget', dropDetails.budget),
    dropped('offer_frequency_cap', dropDetails.offer_frequency_cap),
    dropped('min_propensity', dropDetails.min_propensity),
    dropped('min_score', dropDetails.min_score),
    dropped('call_flow', dropDetails.call_flow),
    dropped('sub_flow_unavailable', dropDetails.sub_flow_unavailable),
    Type.Object(
      {
        ...row,
        reason: StringEnum(
          [
            'excluded',
            'emergency_excluded',
            'stock',
            'no_creative',
            'creative_constraint',
            'placement_targeting',
            'enrich',
            'filter',
            'conditional',
            'extension_point',
            'mandatory_cap',
            'coupling',
            'quota',
            'cut',
          ],
          { description: 'Why it was dropped.' },
        ),
        detail: Type.Null({ description: 'Always null, because the reason is complete.' }),
      },
      { description: 'An offer dropped for a reason without details.' },
    ),
  ],
  { description: 'A dropped offer, by reason.' },
);
export type DroppedOffer = Static<typeof DroppedOffer>;
