import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

// A decision in words (docs/design/api-decisioning.md 17).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });

export const narrativeModes = ['regulator', 'agent', 'customer'] as const;
export type NarrativeMode = (typeof narrativeModes)[number];

export const AgentNarrative = Type.Object(
  {
    schema: Type.Literal('arbiter.narrative.1', { description: 'Version of this form.' }),
    decisionId: text('ID of the decision.'),
    decidedAt: Timestamp('When the decision was made.'),
    flow: Type.Object(
      {
        key: text('Key of the flow.'),
        version: Nullable(Type.Integer(), { description: 'Published version; null for a draft.' }),
      },
      { description: 'Flow that ran.' },
    ),
    outcome: Type.Object(
      {
        count: Type.Integer({ minimum: 0, description: 'Number of offers in the response.' }),
        top: Nullable(
          Type.Object({
            offerId: text('Offer.'),
            offerName: textOrNull('Name of the offer; null if it was deleted.'),
            score: Type.Number({ description: 'Score, 6 decimals.' }),
          }),
          { description: 'First offer of the response; null for none.' },
        ),
      },
      { description: 'What was decided.' },
    ),
    reasons: Type.Array(
      Type.Object({
        factId: text('Fact that the text states.'),
        code: text('Kind of the fact, such as `component`.'),
        text: text('The reason, as a sentence.'),
      }),
      { description: 'Why the first offer won, at most 8.' },
    ),
    blocked: Type.Array(
      Type.Object({
        offerId: text('Offer.'),
        offerName: text('Name of the offer.'),
        gate: text('What blocked it, such as `qualification` or `policy`.'),
        id: textOrNull('Rule or policy that blocked it; null for other gates.'),
        reason: text('Why it was blocked.'),
      }),
      { description: 'Offers that were blocked, at most 10, those blocked by rules and policies first.' },
    ),
    caveats: Type.Array(
      Type.Object({ factId: text('Fact that the text states.'), text: text('The caveat, as a sentence.') }),
      { description: 'What is special about the decision, such as a holdout or degraded scoring.' },
    ),
  },
  { description: 'The decision in the form that agents read.' },
);
export type AgentNarrative = Static<typeof AgentNarrative>;

export const NarrativeAnswer = Type.Object(
  {
    narrative: Type.Union([Type.String({ description: 'Prose, for `regulator` and `customer`.' }), AgentNarrative], {
      description: 'Prose, or an object for the mode `agent`.',
    }),
    mode: StringEnum(narrativeModes, { description: 'Mode of the narrative.' }),
    model: text('Model that wrote it, or `template-v1`.'),
    cached: Type.Boolean({ description: 'True if it was written by an earlier call.' }),
    fallback: Type.Boolean({
      description: "True if the model's text failed a check, or the model failed, so the template wrote this.",
    }),
    checkFailures: Type.Array(Type.String(), {
      description: 'Why the text of the model was not used; empty unless `fallback`.',
    }),
    tokens: Type.Object(
      {
        input: Type.Integer({ minimum: 0, description: 'Tokens sent to the model.' }),
        output: Type.Integer({ minimum: 0, description: 'Tokens that the model wrote.' }),
      },
      { description: 'Use of the model; 0 for the template.' },
    ),
    createdAt: Timestamp('When the narrative was written.'),
  },
  {
    description: 'The narrative.',
    examples: [
      {
        narrative:
          'Out of the offers that were available for you at that time, we placed “Gold Card” first. You meet its conditions. It suits this channel and your interests. It is your own choice whether you take it up, and we learn from it.',
        mode: 'customer',
        model: 'template-v1',
        cached: false,
        fallback: false,
        checkFailures: [],
        tokens: { input: 0, output: 0 },
        createdAt: '2026-11-20T09:30:00.000Z',
      },
    ],
  },
);
export type NarrativeAnswer = Static<typeof NarrativeAnswer>;

export const narrativeOperations = {
  write: operation({
    id: 'decisions.narrative',
    method: 'POST',
    path: '/api/v1/decisions/{id}/narrative',
    tag: 'Decisions',
    summary: 'Describe a decision in words',
    description:
      'Needs a stored trace, and the setting `aiAnalyzerSettings.llmExplanationsEnabled`. Every sentence states facts of the trace ' +
      'and the record. A template writes it, or the language model of the server, whose sentences are checked against the facts; ' +
      'if one fails, the template writes all of it. Narratives are cached for 7 days.',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'heavy',
    stopsWithCaller: true,
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'tenant' }],
    params: Type.Object(
      { id: IdText('Request ID, recommendation ID or trace ID.') },
      { description: 'Decision to describe.' },
    ),
    body: Type.Object(
      {
        mode: Type.Optional(
          StringEnum(narrativeModes, {
            description:
              'Reader. `regulator`: at most 400 words, audited. `agent`: an object. `customer`: 30 to 60 words without numbers. Default `regulator`.',
          }),
        ),
        noCache: Type.Optional(
          Type.Boolean({ description: 'Write it again even if it is cached. The new text is cached. Default false.' }),
        ),
      },
      { description: 'Reader of the narrative.', examples: [{ mode: 'customer' }] },
    ),
    responses: { 200: { description: 'The narrative.', schema: NarrativeAnswer } },
    errors: ['explanations_not_enabled', 'not_found', 'not_configured', 'record_corrupt'],
    // In the mode `regulator`.
    audit: [{ action: 'generate_narrative', entityType: 'decision_trace' }],
    transaction: 'own',
  }),
};
