import Type, { type Static } from 'typebox';
import { Id, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Overlay, OverlayChange } from './overlays.ts';

// The request and result of a backtest (docs/design/lead.md 2).

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
    '`same`: nothing changes. `reordered`: the same items in a different order. `creative_only`: the same offers, shown differently. `gained`: offers are added, none removed. `lost`: offers are removed, none added. `replaced`: offers are added and removed. `newly_empty`: the answer becomes empty. `newly_served`: an empty answer gets items.',
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

/** Counts of fewer customers are null. */
export const fewestCustomers = 10;
/** Maximum samples of each kind. */
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
    maxChangedShare: Type.Optional(share('Maximum share of decisions that change.')),
    maxNewlyEmptyShare: Type.Optional(share('Maximum share of decisions that lose all items.')),
    maxLostShare: Type.Optional(share('Maximum share of its items that any offer loses.')),
    maxItemsDrop: Type.Optional(share('Maximum drop in the number of items, as a share.')),
    mustKeep: Type.Optional(
      Type.Array(Id('Offer.'), { maxItems: 100, description: 'Offers that must keep all their items.' }),
    ),
    maxEngineUsP99: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e9,
        description: 'Maximum for the 99th percentile of the time in the engine, in microseconds.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Limits for the result. A limit without data fails.' },
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
      "`independent`: decides each record on its own, with the contacts that actually happened. `chained`: decides each customer's records in order, with the draft's own items as contacts.",
  }),
  scope: StringEnum(['flow', 'route'], {
    description:
      '`flow`: decisions made by this flow. `route`: decisions made by any flow, if the routes send their requests to this one.',
  }),
  maxDecisions: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Maximum number of decisions, oldest first.',
  }),
  sampleShare: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    description: "Share of customers to judge. A customer's decisions are all included or all left out.",
  }),
  compareTo: Type.Union(
    [
      StringEnum(['recorded'], { description: 'The recorded answers.' }),
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a published version.' }),
    ],
    {
      description:
        'What to compare with: `recorded` for the recorded answers, or the number of a published version to decide the same records with.',
    },
  ),
  limits: BacktestLimits,
  maxNotEvaluableShare: share(
    "Maximum share of records that can't be judged, at most 0.2. Above it, the verdict is `refused`.",
    0.2,
  ),
  verify: Type.Boolean({
    description:
      'Whether to replay every recorded decision instead of every 100th, to check that the engine reproduces it.',
  }),
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
    description: `${description} An RFC 3339 timestamp with an offset, or a date for the start of that day in the tenant's time zone.`,
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
        description: 'Objects that the overlay changes. The patches are in the audit log.',
      }),
    ),
    from: Timestamp('Start of the range, inclusive.'),
    to: Timestamp('End of the range, exclusive.'),
  },
  { description: 'The request, with defaults filled in.' },
);
export type BacktestSpec = Static<typeof BacktestSpec>;

const OfferChange = Type.Object(
  {
    offerId: Id('Offer.'),
    count: blank('Number of items.'),
    customers: blank('Number of customers.'),
  },
  { description: 'An offer.' },
);

const Cell = {
  decisions: blank('Decisions.'),
  changed: blank('Decisions whose answers change.'),
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
    description: "Records that can't be judged, by reason.",
  }),
);

export const backtestReasons = ['selection', 'engine_drift', 'no_decisions', 'limit_failed'] as const;

export const BacktestResult = Type.Object(
  {
    verdict: StringEnum(['ok', 'failed', 'refused'], {
      description:
        "`ok`: every limit passes. `failed`: a limit is exceeded. `refused`: the records can't answer the question.",
    }),
    reasons: Type.Array(StringEnum(backtestReasons, { description: 'Reason.' }), {
      description:
        "Why the verdict isn't `ok`: `selection` (too many records can't be judged), `engine_drift` (the engine doesn't reproduce the records), `no_decisions`, `limit_failed`.",
    }),
    decisions: count('Decisions compared.'),
    customers: count('Customers these decisions were made for.'),
    same: count('Decisions with the same answer.'),
    changed: count('Decisions with a different answer.'),
    changedShare: Type.Number({ description: '`changed` divided by `decisions`, to 6 decimals.' }),
    unchanged: count('Same as `same`.'),
    byKind: ByKind,
    otherReason: count('Decisions that stay empty for a different reason. They count as unchanged.'),
    otherScores: count('Decisions with the same items but different scores. They count as unchanged.'),
    notEvaluable: NotEvaluable,
    notReplayable: count('Sum of `notEvaluable`.'),
    notRecorded: Type.Array(Type.String(), {
      description:
        'Values that the draft reads but the records lack, at most 50. To record them from now on, add them to the setting `recordReads`.',
    }),
    drift: Type.Object(
      {
        checked: count('Recorded decisions replayed.'),
        mismatches: count('Of these, decisions with a different result.'),
      },
      { description: 'Whether this engine still reproduces the records.' },
    ),
    gained: Type.Array(OfferChange, { description: 'Offers that gain items, largest gain first.' }),
    lost: Type.Array(OfferChange, { description: 'Offers that lose items, largest loss first.' }),
    moved: Type.Array(
      Type.Object(
        { from: Id('Offer before.'), to: Id('Offer after.'), count: blank('Number of positions.') },
        { description: 'An offer replaced by another.' },
      ),
      { description: 'Offers replaced by others at the same position, the 50 most frequent.' },
    ),
    newlyEmpty: Type.Array(
      Type.Object(
        {
          stage: text('Stage that removed the last candidate.'),
          reason: Type.String({ description: 'Why the answer is empty.' }),
          count: blank('Number of decisions.'),
        },
        { description: 'A reason.' },
      ),
      { description: 'Why answers become empty, most frequent first.' },
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
      description: 'Results for the segments that the records name.',
    }),
    capsHit: Type.Array(
      Type.Object(
        {
          policyId: Id('Contact policy.'),
          before: blank('Candidates blocked before.'),
          after: blank('Candidates blocked after.'),
          blockedContacts: blank('Items shown before that are blocked after.'),
        },
        { description: 'A policy.' },
      ),
      { description: 'Contact policies that block more or fewer candidates, among the changed decisions.' },
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
      { description: 'Gates that drop more or fewer candidates, among the changed decisions, at most 200.' },
    ),
    items: BeforeAfter('Items delivered.'),
    expected: Type.Object(
      {
        positives: BeforeAfter('Sum of the propensities of all items.'),
        value: BeforeAfter('Sum of propensity times impact of all items.'),
      },
      { description: 'What the model predicts. To estimate what the draft earns, evaluate it.' },
    ),
    load: Type.Object(
      {
        engineUsP50: Nullable(Type.Number(), { description: 'Median.' }),
        engineUsP99: Nullable(Type.Number(), { description: '99th percentile.' }),
      },
      {
        description:
          'Time that the draft takes in the engine, in microseconds; null without decisions. Differs between runs.',
      },
    ),
    samples: Type.Array(BacktestSample, { description: `Changed decisions, at most ${samplesPerKind} of each kind.` }),
    limits: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the limit.' }),
          offerId: text('Offer that exceeds it, or null.'),
          value: Nullable(Type.Number(), { description: 'Measured value; null without data.' }),
          bound: Type.Number({ description: 'Allowed value.' }),
          passed: Type.Boolean({ description: 'Whether the limit passes.' }),
        },
        { description: 'A limit.' },
      ),
      { description: 'The requested limits.' },
    ),
    limitations: Type.Array(Type.String(), { description: "What the result doesn't cover, in sentences." }),
  },
  { description: 'Result of a backtest.' },
);
export type BacktestResult = Static<typeof BacktestResult>;
