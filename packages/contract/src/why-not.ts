import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { CustomerId, IdText, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { RecommendRequest } from './recommendation.ts';
import { whyNotAnswerExample, whyNotExample } from './why-not-examples.ts';

// Why an offer is not in a customer's answer, and what would put it there (docs/design/api-decisioning.md 12).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const Json = (description: string) => Type.Unknown({ description });

const Gate = Type.Object(
  {
    stage: text(
      "Type of the node that asked it, or a stage of the engine's own, such as `suppression` or `admission`.",
    ),
    nodeId: textOrNull('Node of the flow; null for a stage that the flow does not write down.'),
    status: StringEnum(['passed', 'blocked', 'skipped'], { description: 'What it said of the offer.' }),
    id: textOrNull('Rule or policy; null for a gate that is neither.'),
    name: textOrNull('Name of the rule or policy, or the cause (`schedule`, `stock`, `emergency_excluded`, ...).'),
    ruleType: textOrNull('Type of the rule or policy.'),
    reason: textOrNull('Why it refused, in words.'),
    detail: Json(
      'The values that were compared, by type. `final: true`: nothing is suggested against it. `penalty`: a match rule that failed, and lowered the score.',
    ),
  },
  { description: 'A gate that the offer met. All of them are asked, not only the first that refuses.' },
);

const FlipChange = Type.Object(
  {
    path: text('`customer.<column>`, `attributes.<name>`, `segments`, `offer.priority` or `score`.'),
    from: Json('Value now; null where there is none.'),
    to: Json('Value that would do.'),
    any: Type.Optional(Type.Boolean({ description: 'True: any value would do; `to` is an example.' })),
  },
  { description: 'One change.' },
);

const Flip = Type.Object(
  {
    kind: StringEnum(['attribute', 'time', 'priority', 'score'], {
      description:
        '`attribute`: other values or memberships. `time`: waiting. `priority`, `score`: the smallest of the offer that is enough.',
    }),
    changes: Type.Array(FlipChange, {
      description: 'To be made together; none of them can be left out. Empty for `time`.',
    }),
    at: Nullable(Timestamp(''), {
      description: 'Of `time`: the instant at which the offer is in the answer, and a second before which it is not.',
    }),
    verified: Type.Literal(true, { description: 'Decided again with the change before it was reported.' }),
    resultRank: Type.Integer({ description: 'Rank that the offer then has.' }),
  },
  { description: 'A smallest change that puts the offer into the answer.' },
);

export const WhyNotAnswer = Type.Object(
  {
    customerId: text('The customer.'),
    offerId: text('The offer.'),
    offerName: text('Its name.'),
    verdict: StringEnum(['eligible', 'blocked'], { description: '`eligible`: it passed every gate and was ranked.' }),
    selected: Type.Boolean({ description: 'True when the answer has it.' }),
    summary: text('The same in a sentence.'),
    evaluatedAt: Timestamp("The decision's clock."),
    exploration: StringEnum(['greedy', 'recorded'], {
      description: '`greedy`: nothing was left to chance. `recorded`: the seed of the record decided.',
    }),
    rank: Nullable(Type.Integer(), {
      description: 'Its rank in the answer, or else its place by score among the ranked; null when blocked.',
    }),
    score: Nullable(Type.Number(), { description: 'Its score, 6 decimals; null when it was not scored.' }),
    cutoffScore: Nullable(Type.Number(), {
      description: 'Score of the last item of the answer, 6 decimals; null while the answer has room.',
    }),
    gates: Type.Array(Gate, { description: 'The gates that it met, in order.' }),
    flips: Type.Array(Flip, { description: 'At most 10; those of values first, smaller sets before larger.' }),
    search: Type.Object(
      {
        executions: Type.Integer({ description: 'Decisions that were made to find them.' }),
        limit: Type.Integer({ description: 'Most that may be made.' }),
        truncated: Type.Boolean({
          description: 'True: it ended before everything was tried, so more flips may exist.',
        }),
      },
      { description: 'The search.' },
    ),
  },
  { description: 'Why the offer is, or is not, in the answer.', examples: [whyNotAnswerExample] },
);
export type WhyNotAnswer = Static<typeof WhyNotAnswer>;

const decisionId = Type.Optional(
  IdText(
    'Asks of this recorded decision of the customer (id of the decision, its request or its trace), not of now: its plan, inputs and seed. Stands alone.',
  ),
);

const {
  customerId: _customer,
  sessionId: _session,
  requestId: _request,
  require: _require,
  dryRun: _dryRun,
  debug: _debug,
  ...asked
} = RecommendRequest.properties;

/** A body of recommend, whose customer stands in the path. */
export const WhyNotRequest = Type.Object(
  { ...asked, now: Type.Optional(Timestamp('Instant to decide at, from 2000 to 2100; default now.')) },
  { description: 'What would be asked of recommend.', examples: [whyNotExample] },
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
    { customerId: CustomerId("The tenant's own id of the customer."), offerId: IdText('The offer.') },
    { description: 'Who, and which offer.' },
  ),
  responses: { 200: { description: 'The answer.', schema: WhyNotAnswer } },
  audit: [{ action: 'read', entityType: 'whyNot' }],
  transaction: 'own',
} as const;

const description =
  'Runs the real decision and stores nothing. Every gate that the offer meets is told. A flip is a smallest change that puts ' +
  'the offer into the answer: each was decided again before it is shown. A customer who is not known has an empty profile. ';

export const whyNotOperations = {
  ask: operation({
    ...common,
    id: 'customers.whyNot',
    method: 'GET',
    summary: 'Ask why a customer is not shown an offer',
    description: `${description}\`POST\` takes a whole request instead.`,
    query: Type.Object(
      {
        channel: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Channel type.' })),
        channelId: Type.Optional(IdText('Id of one channel.')),
        placement: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            description: 'Placement id, else key, else name, else slot type.',
          }),
        ),
        flowId: Type.Optional(IdText('Key or id of the flow; default: the one that recommend takes.')),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Items in the answer, at most 50; left out: 5.' }),
        ),
        decisionId,
      },
      { description: 'What would be asked of recommend, or which decision was made.' },
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
    summary: 'Ask why a customer would not be shown an offer, given a whole request',
    description: `${description}Takes the body of recommend, so that attributes, segments and context count.`,
    body: WhyNotRequest,
    errors: ['validation_failed', 'not_found', 'reference_not_found', 'flow_not_published', 'not_configured'],
  }),
};
