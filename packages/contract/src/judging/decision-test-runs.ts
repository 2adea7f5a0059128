import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { Id, IdText, Nullable, StringEnum } from '../core/schemas.ts';
import { CheckedVersion } from './checks.ts';
import { DecisionTestExpect, DecisionTestGiven } from './decision-test-parts.ts';
import { Overlay } from './overlays.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const named = (description: string) => Nullable(Type.String({ description: 'Name.' }), { description });

const Item = Type.Object(
  {
    offer: Type.String({ description: 'Name of the offer.' }),
    creative: named('Name of the creative, or null.'),
    channel: named('Key of the channel, or null.'),
    placement: named('Name of the placement, or null.'),
    probability: Type.Number({ description: 'Selection probability, 0 to 1.' }),
  },
  { description: 'An item of the answer.' },
);

const Difference = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into the test: `/expect/includes/0`.' }),
    message: Type.String({ description: 'What was expected, and what happened.' }),
  },
  { description: 'A difference.' },
);

export const DecisionTestResult = Type.Object(
  {
    testId: Id('The test.'),
    name: Type.String({ description: 'Its name.' }),
    status: StringEnum(['passed', 'failed', 'error'], {
      description:
        "`failed`: the answer differs from what is expected. `error`: the test can't run, for example because it names an offer that doesn't exist.",
    }),
    differences: Type.Array(Difference, {
      description: 'Expectations that were not met; with `error`, what is wrong with the test.',
    }),
    items: Type.Array(Item, { description: 'The answer; empty with `error`.' }),
    emptyReason: named('Why the answer is empty, or null.'),
  },
  { description: 'The result of one test.' },
);
export type DecisionTestResult = Static<typeof DecisionTestResult>;

export const DecisionTestRun = Type.Object(
  {
    flowId: Id('The flow that was tested.'),
    version: Nullable(Type.Integer(), { description: 'Its version, or null for the draft.' }),
    passed: count('Tests that passed.'),
    failed: count('Tests that failed.'),
    errors: count("Tests that can't run."),
    results: Type.Array(DecisionTestResult, { description: 'One result per test, by name.' }),
    durationMs: Type.Number({ description: 'Duration in milliseconds.' }),
  },
  { description: 'Results of the tests of one flow.' },
);
export type DecisionTestRun = Static<typeof DecisionTestRun>;

export const DecisionTestDraft = Type.Object(
  {
    test: Type.Object(
      {
        decisionFlowId: Id('Flow that made the decision.'),
        name: Type.String({ description: 'Suggested name.' }),
        given: DecisionTestGiven,
        expect: DecisionTestExpect,
      },
      { description: 'Body for `POST /decision-tests`.' },
    ),
    leftOut: Type.Array(Type.String({ description: 'Name.' }), {
      description:
        "Values that were not copied, such as `customer.age`, and state of the decision that a test can't have, such as `models`. Fill in the values before you store the test.",
    }),
  },
  { description: 'A test that expects a decision again.' },
);
export type DecisionTestDraft = Static<typeof DecisionTestDraft>;

/** Tests that a flow may have. */
export const maxDecisionTests = 2000;

export const decisionTestRunOperations = {
  draft: operation({
    id: 'decisionTests.draft',
    method: 'POST',
    path: '/api/v1/decisions/{id}/decision-test',
    summary: 'Make a test of a decision',
    description:
      'Returns a test that expects the same offers again, and stores nothing. Contacts are made up so that they count as much as those of the customer. Values of the customer, attributes and context are only copied with `copyValues`, because tests are kept when the customer is erased. The access is audited.',
    tag: 'Decision tests',
    auth: 'credential',
    role: 'editor',
    loadClass: 'crud',
    transaction: 'tenant',
    audit: [{ action: 'read_decision_inputs', entityType: 'decision' }],
    params: Type.Object(
      { id: IdText('Recommendation ID, request ID, or trace ID.') },
      { description: 'The decision.' },
    ),
    body: Type.Object(
      {
        copyValues: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'True: copy what the decision read of the customer, the attributes and the context. Check first that nobody can be recognized by it.',
          }),
        ),
      },
      { description: 'What to copy.', examples: [{ copyValues: true }] },
    ),
    responses: { 200: { description: 'The test.', schema: DecisionTestDraft } },
    errors: ['not_found', 'inputs_unavailable', 'record_corrupt', 'not_configured'],
  }),
  run: operation({
    id: 'decisionTests.run',
    method: 'POST',
    path: '/api/v1/decision-tests/run',
    summary: 'Run decision tests',
    description:
      "Makes the decision of each test with a version of its flow, optionally with changes to the catalogue, and compares the answer with what is expected. Stores nothing, reads no customers and calls no webhooks: they count as failed, learning models as untrained, and stock and budgets as unused. Random draws depend on the test's `seed` alone.",
    tag: 'Decision tests',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'heavy',
    stopsWithCaller: true,
    rateLimits: [{ limit: 60, windowSeconds: 60, per: 'tenant', bucket: 'decision-tests' }],
    audit: [],
    transaction: 'own',
    body: Type.Object(
      {
        flowId: Type.Optional(IdText('Key or ID of the flow. Default: the default flow.')),
        version: Type.Optional(CheckedVersion),
        overlay: Type.Optional(Overlay),
        testIds: Type.Optional(
          Type.Array(Id('Test.'), {
            minItems: 1,
            maxItems: maxDecisionTests,
            description: 'Run only these tests of the flow. Default: all.',
          }),
        ),
      },
      {
        description: 'What to run.',
        examples: [{ flowId: 'base', version: 'draft', testIds: [exampleId('decisionTest')] }],
      },
    ),
    responses: { 200: { description: 'The results.', schema: DecisionTestRun } },
    errors: [
      'validation_failed',
      'not_found',
      'reference_not_found',
      'flow_not_published',
      'pipeline_invalid',
      'scoring_not_configured',
      'overlay_invalid',
    ],
  }),
};
