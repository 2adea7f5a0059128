import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { CustomerId, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { RecommendRequest } from './recommendation.ts';
import { whyNotAnswerExample, whyNotExample } from './why-not-examples.ts';
import { WhyNotGate } from './why-not-gates.ts';

// Why an offer is not in a customer's answer, and what would put it there (docs/design/api-decisioning.md 12).

const text = (description: string) => Type.String({ description });
const Json = (description: string) => Type.Unknown({ description });

const FlipChange = Type.Object(
  {
    path: text('`customer.<column>`, `attributes.<name>`, `segments`, `offer.priority` or `score`.'),
    from: Json('Current value, or null.'),
    to: Json('Value that would pass.'),
    any: Type.Optional(Type.Boolean({ description: 'True: any value would pass; `to` is an example.' })),
  },
  { description: 'One change.' },
);

const Flip = Type.Object(
  {
    kind: StringEnum(['attribute', 'time', 'priority', 'score'], {
      description:
        '`attribute`: other values or memberships. `time`: waiting. `priority`, `score`: the smallest value that is enough.',
    }),
    changes: Type.Array(FlipChange, {
      description: 'Changes to make together; none can be left out. Empty for `time`.',
    }),
    at: Nullable(Timestamp(''), {
      description: 'For `time`: when the offer would be returned. One second earlier it would not.',
    }),
    verified: Type.Literal(true, { description: 'True: the decision was repeated with the change to confirm it.' }),
    resultRank: Type.Integer({ description: 'Rank the offer would have.' }),
  },
  { description: 'A smallest change that would get the offer returned.' },
);

export const WhyNotAnswer = Type.Object(
  {
    customerId: text('The customer.'),
    offerId: text('ID of the offer.'),
    offerName: text('Name of the offer.'),
    verdict: StringEnum(['eligible', 'blocked'], { description: '`eligible`: it passed every gate and was ranked.' }),
    selected: Type.Boolean({ description: 'True if the offer is returned.' }),
    summary: text('The same as a sentence.'),
    evaluatedAt: Timestamp('Time used for the decision.'),
    exploration: StringEnum(['greedy', 'recorded'], {
      description: '`greedy`: nothing was left to chance. `recorded`: the seed of the record was used.',
    }),
    rank: Nullable(Type.Integer(), {
      description: 'Rank in the response, or its position by score among the ranked offers; null if blocked.',
    }),
    score: Nullable(Type.Number(), { description: 'Score, 6 decimals; null if it was not scored.' }),
    cutoffScore: Nullable(Type.Number(), {
      description: 'Score of the last item returned, 6 decimals; null if more items would fit.',
    }),
    gates: Type.Array(WhyNotGate, { description: 'Gates the offer went through, in order.' }),
    flips: Type.Array(Flip, {
      description: 'At most 10. Changes of values come first, smaller sets before larger ones.',
    }),
    search: Type.Object(
      {
        executions: Type.Integer({ description: 'Decisions made to find them.' }),
        limit: Type.Integer({ description: 'Maximum number of decisions.' }),
        truncated: Type.Boolean({
          description: 'True: the search ended early, so more flips may exist.',
        }),
      },
      { description: 'Figures of the search.' },
    ),
  },
  { description: "Why the offer is or isn't returned.", examples: [whyNotAnswerExample] },
);
export type WhyNotAnswer = Static<typeof WhyNotAnswer>;

const decisionId = Type.Optional(
  IdText(
    "Recorded decision of the customer to explain (id of the decision, its request or its trace), with its plan, inputs and seed. Can't be combined with other request fields.",
  ),
);

const {
  customerId: _customer,
  sessionId: _session,
  requestId: _request,
  require: _require,
  dryRun: _dryRun,
  debug: _debug,
  ...question
} = RecommendRequest.properties;

/** A body of recommend, with the customer in the path. */
export const WhyNotRequest = Type.Object(
  { ...question, now: Type.Optional(Timestamp('Time to decide at, from 2000 to 2100. Default: now.')) },
  { description: 'The recommend request to explain.', examples: [whyNotExample] },
);
export type WhyNotRequest = Static<typeof WhyNotRequest>;

const common = {
  path: '/api/v1/customers/{customerId}/why-not/{offerId}',
  tag: 'Decisions',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  stopsWithCaller: true,
  rateLimits: [{ limit: 300, windowSeconds: 60, per: 'tenant', bucket: 'why-not' }],
  params: Type.Object(
    { customerId: CustomerId('Your own ID of the customer.'), offerId: IdText('ID of the offer.') },
    { description: 'Customer and offer.' },
  ),
  responses: { 200: { description: 'The explanation.', schema: WhyNotAnswer } },
  audit: [{ action: 'read', entityType: 'whyNot' }],
  transaction: 'own',
} as const;

const description =
  'Runs the real decision without storing anything. Reports every gate the offer goes through. A flip ' +
  'is a smallest change that would get the offer returned; each was confirmed by repeating the ' +
  'decision. An unknown customer has an empty profile. ';

export const whyNotOperations = {
  ask: operation({
    ...common,
    id: 'customers.whyNot',
    method: 'GET',
    summary: "Explain why a customer isn't shown an offer",
    description: `${description}Use \`POST\` to send a whole request instead.`,
    query: Type.Object(
      {
        channel: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Channel type.' })),
        channelId: Type.Optional(IdText('ID of one channel.')),
        placement: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            description: 'Placement ID, otherwise key, name or slot type.',
          }),
        ),
        flowId: Type.Optional(IdText('Key or ID of the flow. Default: the one that recommend uses.')),
        limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Maximum items, at most 50. Default 5.' })),
        decisionId,
      },
      { description: 'The request or the recorded decision to explain.' },
    ),
    errors: [
      'validation_failed',
      'not_found',
      'reference_not_found',
      'flow_not_published',
      'inputs_unavailable',
      'record_corrupt',
      'not_configured',
    ],
  }),
  askWith: operation({
    ...common,
    id: 'customers.whyNotWith',
    method: 'POST',
    summary: "Explain why a customer isn't shown an offer, for a whole request",
    description: `${description}Takes the body of recommend, so that attributes, segments and context are considered.`,
    body: WhyNotRequest,
    errors: ['validation_failed', 'not_found', 'reference_not_found', 'flow_not_published', 'not_configured'],
  }),
};
