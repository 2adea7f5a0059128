import Type, { type Static } from 'typebox';
import { Id, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Overlay, OverlayChange } from './overlays.ts';

// What a backtest compares and finds (docs/design/lead.md 2).

/** How a decision's answer changes, from least to most. */
export const diffKinds = [
  'same',
  'reordered',
  'creative_only',
  'gained',
  'lost',
  'replaced',
  'newly_empty',
  'newly_served',
] as const;
export const DiffKind = StringEnum(diffKinds, {
  description:
    '`same`; `reordered`: the same items in another order; `creative_only`: the same offers, shown differently; `gained`: only more offers; `lost`: only fewer; `replaced`: both; `newly_empty`: no items left; `newly_served`: items for the first time.',
});

/** Why a record can't be judged. */
export const notEvaluableReasons = [
  'erased',
  'withheld',
  'input_not_recorded',
  'external_missing',
  'state_missing',
  'plan_missing',
  'record_corrupt',
  'arm_absent',
  'engine_drift',
  'chance_unknown',
] as const;
export type NotEvaluableReason = (typeof notEvaluableReasons)[number];

/** Cells with fewer customers are blank. */
export const fewestCustomers = 10;
/** Samples of each kind. */
export const samplesPerKind = 10;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const blank = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, description: 'Number.' }), {
    description: `${description} Null for fewer than ${fewestCustomers} customers.`,
  });
const share = (description: string, maximum = 1) => Type.Number({ minimum: 0, maximum, description });
const text = (description: string) => Nullable(Type.String(), { description });

export const BacktestLimits = Type.Object(
  {
    maxChangedShare: Type.Optional(share('Largest share of decisions that may change.')),
    maxNewlyEmptyShare: Type.Optional(share('Largest share of decisions that may lose all items.')),
    maxLostShare: Type.Optional(share('Largest share of its items that any offer may lose.')),
    maxItemsDrop: Type.Optional(share('Largest share by which the number of items may drop.')),
    mustKeep: Type.Optional(
      Type.Array(Id('Offer.'), { maxItems: 100, description: 'Offers that may lose none of their items.' }),
    ),
    maxEngineUsP99: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e9,
        description: 'Largest time in the engine, 99th percentile, in microseconds.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Limits that the result must keep. A limit without data fails.' },
);
export type BacktestLimits = Static<typeof BacktestLimits>;

const version = Type.Union(
  [
    StringEnum(['draft'], { description: 'The draft.' }),
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a published version.' }),
  ],
  { description: '`draft`, or the number of a published version.' },
);

const question = {
  version,
  overlay: Type.Optional(Overlay),
  mode: StringEnum(['independent', 'chained'], {
    description:
      '`independent`: decides each record alone, after the contacts that really happened. `chained`: decides each customer’s records in order, and the items of the draft become the contacts.',
  }),
  scope: StringEnum(['flow', 'route'], {
    description:
      '`flow`: decisions of the flow. `route`: decisions of any flow whose requests the routes send to this flow.',
  }),
  maxDecisions: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Maximum number of decisions, oldest first.',
  }),
  sampleShare: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    description: 'Share of customers to judge. All decisions of a customer are in or out.',
  }),
  compareTo: Type.Union(
    [
      StringEnum(['recorded'], { description: 'What was really decided.' }),
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a published version.' }),
    ],
    { description: '`recorded`, or the number of a published version that decides the same records.' },
  ),
  limits: BacktestLimits,
  maxNotEvaluableShare: share(
    'Largest share of records that may be impossible to judge, at most 0.2. Beyond it, the result is refused.',
    0.2,
  ),
  verify: Type.Boolean({ description: 'Whether to repeat every recorded decision and compare, not only every 100th.' }),
};

/** The defaults of a backtest. */
export const backtestDefaults = {
  mode: 'independent',
  scope: 'flow',
  maxDecisions: 100_000,
  sampleShare: 1,
  compareTo: 'recorded',
  maxNotEvaluableShare: 0.05,
  verify: false,
} as const;

const instant = (description: string) =>
  Type.String({
    minLength: 10,
    maxLength: 40,
    description: `${description} An RFC 3339 instant with an offset, or a date, which stands for its first instant in the tenant’s time zone.`,
  });

export const BacktestRequest = Type.Object(
  {
    version: question.version,
    overlay: question.overlay,
    from: instant('Start of the range, inclusive.'),
    to: instant('End of the range, exclusive.'),
    mode: Type.Optional({ ...question.mode, default: backtestDefaults.mode }),
    scope: Type.Optional({ ...question.scope, default: backtestDefaults.scope }),
    maxDecisions: Type.Optional({ ...question.maxDecisions, default: backtestDefaults.maxDecisions }),
    sampleShare: Type.Optional({ ...question.sampleShare, default: backtestDefaults.sampleShare }),
    compareTo: Type.Optional({ ...question.compareTo, default: backtestDefaults.compareTo }),
    limits: Type.Optional(BacktestLimits),
    maxNotEvaluableShare: Type.Optional({
      ...question.maxNotEvaluableShare,
      default: backtestDefaults.maxNotEvaluableShare,
    }),
    verify: Type.Optional({ ...question.verify, default: backtestDefaults.verify }),
  },
  {
    description: 'What to compare.',
    examples: [{ version: 'draft', from: '2026-11-20', to: '2026-11-27', limits: { maxNewlyEmptyShare: 0.01 } }],
  },
);
export type BacktestRequest = Static<typeof BacktestRequest>;

const { kind, key } = OverlayChange.properties;

export const BacktestSpec = Type.Object(
  {
    ...question,
    overlay: Type.Optional(
      Type.Array(Type.Object({ kind, key }, { description: 'A changed object.' }), {
        description: 'Objects that the overlay changes. Its patches are in the audit log.',
      }),
    ),
    from: Timestamp('Start of the range, inclusive.'),
    to: Timestamp('End of the range, exclusive.'),
  },
  { description: 'A backtest, with its defaults.' },
);
export type BacktestSpec = Static<typeof BacktestSpec>;

const OfferChange = Type.Object(
  {
    offerId: Id('Offer.'),
    count: blank('Items.'),
    customers: blank('Customers.'),
  },
  { description: 'An offer.' },
);

const Cell = {
  decisions: blank('Decisions.'),
  changed: blank('Decisions whose answer changes.'),
  itemsBefore: blank('Items before.'),
  itemsAfter: blank('Items after.'),
};

const SampleItem = Type.Object(
  {
    offerId: Id('Offer.'),
    creativeId: text('Creative, or null.'),
    channelId: text('Channel, or null.'),
    placementId: text('Placement, or null.'),
  },
  { description: 'An item.' },
);

export const BacktestSample = Type.Object(
  {
    kind: DiffKind,
    decisionId: Id('Recorded decision. Read it with `GET /decisions/{id}`.'),
    requestId: Id('Same as `decisionId`.'),
    before: Type.Array(SampleItem, { description: 'Items before, in order.' }),
    after: Type.Array(SampleItem, { description: 'Items after, in order.' }),
  },
  { description: 'A changed decision.' },
);
export type BacktestSample = Static<typeof BacktestSample>;

const BeforeAfter = (what: string) =>
  Type.Object(
    { before: Type.Number({ description: 'Before.' }), after: Type.Number({ description: 'After.' }) },
    { description: what },
  );

const ByKind = Type.Unsafe<Record<(typeof diffKinds)[number], number>>(
  Type.Object(Object.fromEntries(diffKinds.map((kind) => [kind, count('Decisions.')])), {
    description: 'Decisions by kind of change.',
  }),
);

const NotEvaluable = Type.Unsafe<Partial<Record<NotEvaluableReason, number>>>(
  Type.Object(Object.fromEntries(notEvaluableReasons.map((reason) => [reason, Type.Optional(count('Records.'))])), {
    description: 'Records that can’t be judged, by reason.',
  }),
);

export const backtestReasons = ['selection', 'engine_drift', 'no_decisions', 'limit_failed'] as const;

export const BacktestResult = Type.Object(
  {
    verdict: StringEnum(['ok', 'failed', 'refused'], {
      description: '`ok`; `failed`: a limit is broken; `refused`: the records can’t answer the question.',
    }),
    reasons: Type.Array(StringEnum(backtestReasons, { description: 'Reason.' }), {
      description:
        'Why it isn’t `ok`: `selection` (too many records can’t be judged), `engine_drift` (records can’t be reproduced), `no_decisions`, `limit_failed`.',
    }),
    decisions: count('Decisions compared.'),
    customers: count('Customers of these decisions.'),
    same: count('Decisions with the same answer.'),
    changed: count('Decisions with another answer.'),
    changedShare: Type.Number({ description: '`changed` per decision, 6 decimals.' }),
    unchanged: count('Same as `same`.'),
    byKind: ByKind,
    otherReason: count('Decisions that stay empty for another reason. They count as the same.'),
    otherScores: count('Decisions with the same items and other scores. They count as the same.'),
    notEvaluable: NotEvaluable,
    notReplayable: count('Sum of `notEvaluable`.'),
    notRecorded: Type.Array(Type.String(), {
      description:
        'Values that the draft reads and the records lack, at most 50. Add them to the setting `recordReads`.',
    }),
    drift: Type.Object(
      { checked: count('Recorded decisions repeated.'), mismatches: count('Of these, with another result.') },
      { description: 'Check that this engine still reproduces the records.' },
    ),
    gained: Type.Array(OfferChange, { description: 'Offers with items that they did not have, most first.' }),
    lost: Type.Array(OfferChange, { description: 'Offers without items that they had, most first.' }),
    moved: Type.Array(
      Type.Object(
        { from: Id('Offer before.'), to: Id('Offer after.'), count: blank('Places.') },
        { description: 'An offer in place of another.' },
      ),
      { description: 'Offers in place of others at the same position, the 50 most frequent.' },
    ),
    newlyEmpty: Type.Array(
      Type.Object(
        {
          stage: text('Stage that removed the last candidate.'),
          reason: Type.String({ description: 'Reason of the empty answer.' }),
          count: blank('Decisions.'),
        },
        { description: 'A reason.' },
      ),
      { description: 'Why answers become empty, most first.' },
    ),
    byChannel: Type.Array(
      Type.Object(
        {
          channelId: text('Channel; null for items without one.'),
          itemsBefore: Cell.itemsBefore,
          itemsAfter: Cell.itemsAfter,
        },
        { description: 'A channel.' },
      ),
      { description: 'Items by channel.' },
    ),
    byPlacement: Type.Array(
      Type.Object(
        {
          placementId: text('Placement; null for items without one.'),
          itemsBefore: Cell.itemsBefore,
          itemsAfter: Cell.itemsAfter,
        },
        { description: 'A placement.' },
      ),
      { description: 'Items by placement.' },
    ),
    bySegment: Type.Array(Type.Object({ segmentId: Id('Segment.'), ...Cell }, { description: 'A segment.' }), {
      description: 'By segment that the records name.',
    }),
    capsHit: Type.Array(
      Type.Object(
        {
          policyId: Id('Contact policy.'),
          before: blank('Candidates that it blocked before.'),
          after: blank('Candidates that it blocks after.'),
          blockedContacts: blank('Items of the answers before that it blocks after.'),
        },
        { description: 'A policy.' },
      ),
      { description: 'Contact policies that block more or less, over the changed decisions.' },
    ),
    gates: Type.Array(
      Type.Object(
        {
          stage: Type.String({ description: 'Stage of the flow.' }),
          reason: Type.String({ description: 'Reason for dropping a candidate.' }),
          nodeId: text('Node.'),
          ruleId: text('Qualification rule.'),
          policyId: text('Contact policy.'),
          droppedBefore: blank('Candidates dropped before.'),
          droppedAfter: blank('Candidates dropped after.'),
        },
        { description: 'A gate.' },
      ),
      { description: 'Gates that drop more or fewer candidates, over the changed decisions, at most 200.' },
    ),
    items: BeforeAfter('Items delivered.'),
    expected: Type.Object(
      {
        positives: BeforeAfter('Sum of the propensities of all items.'),
        value: BeforeAfter('Sum of propensity times impact of all items.'),
      },
      { description: 'What the model of the engine expects. Not measured: evaluate the draft for that.' },
    ),
    load: Type.Object(
      {
        engineUsP50: Nullable(Type.Number(), { description: 'Median.' }),
        engineUsP99: Nullable(Type.Number(), { description: '99th percentile.' }),
      },
      { description: 'Time of the draft in the engine, microseconds; null without decisions. Differs between runs.' },
    ),
    samples: Type.Array(BacktestSample, { description: `Changed decisions, at most ${samplesPerKind} of each kind.` }),
    limits: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Limit.' }),
          offerId: text('Offer that breaks it, or null.'),
          value: Nullable(Type.Number(), { description: 'Value found; null without data.' }),
          bound: Type.Number({ description: 'Value allowed.' }),
          passed: Type.Boolean({ description: 'Whether it is kept.' }),
        },
        { description: 'A limit.' },
      ),
      { description: 'The requested limits.' },
    ),
    limitations: Type.Array(Type.String(), { description: 'What the result can’t tell, as sentences.' }),
  },
  { description: 'Result of a backtest.' },
);
export type BacktestResult = Static<typeof BacktestResult>;
