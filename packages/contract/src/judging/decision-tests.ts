import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, IdFilter, Name, Nullable, sentAsItIs, Timestamp } from '../core/schemas.ts';
import { DecisionTestExpect, DecisionTestGiven } from './decision-test-parts.ts';

const writable = {
  name: Name('Name. Unique among the tests of the flow that are not deleted.', 200),
  description: Type.String({ maxLength: 1000, description: 'What the test is for. Default empty.' }),
  given: DecisionTestGiven,
  expect: DecisionTestExpect,
};

/** A decision that a flow must make for a fictional customer. */
export const DecisionTest = Type.Object(
  {
    id: Id('ID of the test.'),
    tenantId: Id('Tenant.'),
    decisionFlowId: Id("Flow that is tested. Can't be changed."),
    ...writable,
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A decision test.' },
);
export type DecisionTest = Static<typeof DecisionTest>;

const changes = Type.Partial(Type.Object(writable)).properties;

/** Today's noon doesn't matter to the examples, but the day must not move. */
const exampleNow = '2026-12-01T12:00:00Z';

export const DecisionTestCreate = Type.Object(
  {
    decisionFlowId: Id('Flow to test.'),
    name: writable.name,
    description: changes.description,
    given: DecisionTestGiven,
    expect: DecisionTestExpect,
  },
  {
    description:
      'A new decision test. Names are resolved when the test runs, so they can refer to records that you create later.',
    examples: [
      {
        decisionFlowId: exampleId('decisionFlow'),
        name: 'Minors get no loan',
        given: { now: exampleNow, customer: { age: 17 }, request: { channel: 'web', limit: 3 } },
        expect: { includes: ['Savings account'], excludes: [{ offer: 'Loan', by: 'Adults only' }] },
      },
    ],
  },
);
export type DecisionTestCreate = Static<typeof DecisionTestCreate>;

const decisionTestDraft: Draft<DecisionTestCreate> = ({ id, name, marker }) => ({
  decisionFlowId: id('decisionFlow'),
  name: name('Test'),
  description: `Test of ${marker}`,
  given: { now: exampleNow, request: { limit: 3 } },
  expect: { excludes: [{ offer: 'Loan' }] },
});

/** Decision tests, described once. */
export const decisionTestResource = resource({
  entityType: 'decisionTest',
  name: 'decisionTests',
  path: 'decision-tests',
  tag: 'Decision tests',
  noun: 'decision test',
  nouns: 'decision tests',
  writeRole: 'editor',
  softDelete: true,
  record: DecisionTest,
  create: DecisionTestCreate,
  draft: decisionTestDraft,
  changes,
  fixed: { decisionFlowId: Type.String({ description: sentAsItIs }) },
  page: { usual: 50, maximum: 200 },
  order: newestFirst,
  search: ['name'],
  searchOrder: 150,
  filters: { decisionFlowId: Type.Optional(IdFilter('Flow to filter by.')) },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: { decisionFlowId: { to: 'decisionFlow', onDelete: 'cascade' } },
  removal: deleted,
  errors: { create: ['limit_reached'] },
  files: { parent: 'decisionFlowId', folder: 'tests' },
});

export const decisionTestOperations = recordOperations(decisionTestResource);
