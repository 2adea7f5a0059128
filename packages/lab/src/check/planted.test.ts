import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compile,
  decide,
  type FlowNode,
  type Json,
  type Snapshot,
  type SnapshotPolicy,
  type SnapshotRule,
} from '@arbiter/engine';
import { type Chance, chanceOf, randomWorld, utcClock } from '../../../engine/src/why-not/test-world.ts';
import { checkCatalogue } from './check.ts';
import { type Finding, type FindingCode, findingCodes } from './findings.ts';
import type { CheckInput, Subject } from './subject.ts';
import { inputFor } from './witness.ts';

/** Catalogues without a fault, each with one planted fault of every code. */

const now = Date.UTC(2026, 2, 10, 12);
const runs = process.env.TEST_FORM === 'long' ? 10 : 2;

const node = (id: string, type: string, config: FlowNode['config'] = {}): FlowNode => ({ id, type, config });
const gates = [
  node('inventory', 'inventory'),
  node('creatives', 'match_creatives'),
  node('qualify', 'qualify'),
  node('policy', 'contact_policy'),
];
const delivery = [
  node('score', 'score', { method: 'priority_weighted' }),
  node('rank', 'rank', { method: 'topN', topN: 50 }),
  node('response', 'response'),
];

function cleanWorld(chance: Chance): Snapshot {
  const { snapshot } = randomWorld(chance, 6);
  const offers = snapshot.offers.map((offer) => ({
    ...offer,
    schedule: null,
    eligibility: null,
    emergencyExcluded: false,
    priority: 50 + chance.int(0, 40),
  }));
  return {
    ...snapshot,
    offers,
    rules: [rule('Adults', { attribute: 'customer.age', operator: 'gte', value: chance.int(16, 25) }, offers[0]!.id)],
    policies: [policy('Daily cap', 'frequency_cap', { maxPerDay: chance.int(1, 3) })],
    flow: flowOf(snapshot, [...gates, ...delivery]),
  };
}

const flowOf = ({ flow }: Snapshot, nodes: readonly FlowNode[]): Snapshot['flow'] => ({
  ...flow,
  config: { version: 2, nodes, flowConfig: {} },
});

const scopeOf = (offer: string | null) => [
  offer === null ? { scope: 'global', scopeId: null } : { scope: 'offer', scopeId: offer },
];

function rule(
  name: string,
  config: SnapshotRule['config'],
  offer: string | null = null,
  ruleType = 'attribute_condition',
): SnapshotRule {
  return {
    id: name,
    name,
    ruleType,
    config,
    scopes: scopeOf(offer),
    priority: 50,
    stage: 'eligibility',
    createdAt: name.length,
  };
}

function policy(
  name: string,
  ruleType: string,
  config: SnapshotPolicy['config'],
  offer: string | null = null,
): SnapshotPolicy {
  return { id: name, name, ruleType, config, scopes: scopeOf(offer), priority: 50, createdAt: name.length };
}

interface Planted {
  readonly snapshot: Snapshot;
  readonly more?: Partial<CheckInput>;
  /** Names of the gates that the core must have. */
  readonly core?: readonly string[];
}

const withRules = (snapshot: Snapshot, ...rules: SnapshotRule[]): Snapshot => ({
  ...snapshot,
  rules: [...snapshot.rules, ...rules],
});
const withPolicies = (snapshot: Snapshot, ...policies: SnapshotPolicy[]): Snapshot => ({
  ...snapshot,
  policies: [...snapshot.policies, ...policies],
});
const withNodes = (snapshot: Snapshot, ...nodes: FlowNode[]): Snapshot => ({
  ...snapshot,
  flow: flowOf(snapshot, [...gates.slice(0, 2), ...nodes, ...gates.slice(2), ...delivery]),
});
const withOffer = (snapshot: Snapshot, change: Partial<Snapshot['offers'][number]>): Snapshot => ({
  ...snapshot,
  offers: snapshot.offers.map((offer, at) => (at === 1 ? { ...offer, ...change } : offer)),
});
const condition = (field: string, operator: string, value: Json): { readonly [key: string]: Json } => ({
  field,
  operator,
  value,
});

/** The names of what each finding is about: what was planted, or what it affects. */
const subjects: Readonly<Record<FindingCode, string>> = {
  never_eligible: 'Offer 1',
  gates_exclude: 'Offer 1',
  no_creative: 'Offer 1',
  no_channel: 'Offer 1',
  no_placement: 'Offer 1',
  content_unpublished: 'offer-001',
  schedule_over: 'Offer 1',
  schedule_empty: 'Offer 1',
  budget_zero: 'Offer 1',
  stock_zero: 'Offer 1',
  condition_always_false: 'never',
  condition_always_true: 'filter',
  condition_shadowed: 'Later rule',
  rule_duplicate: 'Copy of adults',
  node_unreachable: 'qualify',
  branch_dead: 'gate',
  call_flow_closed: 'call',
  empty_after: 'filter',
  cap_never_binds: 'Weekly',
  cap_always_binds: 'Zero',
  policy_lifted_always: 'Daily cap',
  policy_no_target: 'Astray',
  exclusion_of_one: 'Alone',
  outranked: 'Offer 1',
  unknown_value: 'Typo',
  mandatory_conflict: 'Offer 1',
  coupling_always_empty: 'side',
  explore_no_effect: 'rank',
  segment_empty: 'Nobody',
  metric_unset: 'Metric',
};

const plants: Readonly<Record<FindingCode, (snapshot: Snapshot, chance: Chance) => Planted>> = {
  never_eligible: (s) => ({
    snapshot: withOffer(s, {
      eligibility: { conditions: [condition('customer.age', 'gt', 60), condition('customer.age', 'lt', 20)] },
    }),
    core: ['Offer 1'],
  }),
  gates_exclude: (s, chance) => {
    const at = chance.int(20, 60);
    const offer = s.offers[1]!.id;
    const kinds: Planted[] = [
      {
        snapshot: withRules(
          s,
          rule('Old', { attribute: 'customer.age', operator: 'gt', value: at }, offer),
          rule('Young', { attribute: 'customer.age', operator: 'lte', value: at }, offer),
        ),
        core: ['Old', 'Young'],
      },
      {
        snapshot: withPolicies(
          withRules(s, rule('Gold only', { attribute: 'customer.tier', operator: 'eq', value: 'gold' }, offer)),
          policy('No gold', 'do_not_contact', { condition: condition('customer.tier', 'eq', 'gold') }, offer),
        ),
        core: ['Gold only', 'No gold'],
      },
      {
        snapshot: withPolicies(
          withRules(s, rule('Club', { requiredSegments: ['club'] }, offer, 'segment_required')),
          policy('No club', 'segment_exclusion', { excludeSegments: ['club'] }, offer),
        ),
        core: ['Club', 'No club'],
      },
      {
        snapshot: withPolicies(
          withOffer(s, { schedule: { startHour: 8, endHour: 10 } }),
          policy('Evenings', 'time_window', { startHour: 18, endHour: 20 }, offer),
        ),
        core: ['Offer 1', 'Evenings'],
      },
    ];
    return chance.pick(kinds);
  },
  no_creative: (s) => ({
    snapshot: { ...s, creatives: s.creatives.filter(({ offerId }) => offerId !== s.offers[1]!.id) },
  }),
  no_channel: (s) => ({
    snapshot: { ...s, creatives: s.creatives.map((row, at) => (at === 1 ? { ...row, channelId: 'gone' } : row)) },
  }),
  no_placement: (s) => ({
    snapshot: { ...s, creatives: s.creatives.map((row, at) => (at === 1 ? { ...row, placementId: 'gone' } : row)) },
  }),
  content_unpublished: (s) => ({
    snapshot: { ...s, creatives: s.creatives.map((row, at) => (at === 1 ? { ...row, contentItemId: 'draft' } : row)) },
  }),
  schedule_over: (s, chance) => ({
    snapshot: withOffer(s, { schedule: { endDate: `20${chance.int(10, 25)}-06-01` } }),
    core: ['Offer 1'],
  }),
  schedule_empty: (s, chance) => ({
    snapshot: withOffer(s, {
      schedule: chance.pick<{ readonly [key: string]: Json }>([
        { startDate: '2027-05-01', endDate: '2027-04-01' },
        { startDate: '2027-01-04', endDate: '2027-01-05', daysOfWeek: [6] },
      ]),
    }),
    core: ['Offer 1'],
  }),
  budget_zero: (s) => ({
    snapshot: withOffer(s, { budget: { lifetimeMaxImpressions: 0 } }),
    core: ['Offer 1'],
  }),
  stock_zero: (s) => ({
    snapshot: withOffer(s, { tracksStock: true }),
    more: { soldOut: [s.offers[1]!.id] },
    core: ['Offer 1'],
  }),
  condition_always_false: (s) => ({
    snapshot: withNodes(
      s,
      node('never', 'conditional', {
        conditions: [condition('customer.age', 'gt', 90), condition('customer.age', 'lt', 10)],
      }),
    ),
  }),
  condition_always_true: (s, chance) => {
    const at = chance.int(20, 40);
    return {
      snapshot: withNodes(
        s,
        node('filter', 'filter', {
          conditions: [condition('customer.age', 'gte', at), condition('customer.age', 'gte', at - 5)],
        }),
      ),
    };
  },
  condition_shadowed: (s) => ({
    snapshot: withRules(
      s,
      rule('Later rule', { attribute: 'customer.age', operator: 'gte', value: 10 }, s.offers[0]!.id),
    ),
    core: ['Adults'],
  }),
  rule_duplicate: (s) => ({
    snapshot: withRules(s, { ...s.rules[0]!, id: 'copy', name: 'Copy of adults' }),
    core: ['Adults'],
  }),
  node_unreachable: (s) => ({
    snapshot: withNodes(
      s,
      node('gate', 'conditional', { conditions: [], onTrue: { action: 'skip_to', nodeId: 'policy' } }),
    ),
  }),
  branch_dead: (s) => ({
    snapshot: withNodes(
      s,
      node('gate', 'conditional', {
        conditions: [condition('customer.age', 'gt', 90), condition('customer.age', 'lt', 10)],
        onTrue: { action: 'drop_all' },
      }),
    ),
  }),
  call_flow_closed: (s) => ({ snapshot: withNodes(s, node('call', 'call_flow', { flowKey: 'absent' })) }),
  empty_after: (s) => ({
    snapshot: withNodes(s, node('filter', 'filter', { conditions: [condition('offer.name', 'eq', 'No such offer')] })),
  }),
  cap_never_binds: (s, chance) => ({
    snapshot: withPolicies(
      { ...s, policies: [] },
      policy('Daily', 'frequency_cap', { maxPerDay: 1 }),
      policy('Weekly', 'frequency_cap', { maxPerWeek: chance.int(8, 20) }),
    ),
  }),
  cap_always_binds: (s) => ({
    snapshot: withPolicies(s, policy('Zero', 'frequency_cap', { maxPerWeek: 0 }, s.offers[1]!.id)),
  }),
  policy_lifted_always: (s) => ({ snapshot: withPolicies(s, policy('Everything goes', 'allow_override', {})) }),
  policy_no_target: (s) => ({ snapshot: withPolicies(s, policy('Astray', 'cooldown', { cooldownHours: 4 }, 'gone')) }),
  exclusion_of_one: (s) => ({
    snapshot: withPolicies(
      s,
      policy('Alone', 'mutual_exclusion', { excludeOfferIds: [s.offers[1]!.id] }, s.offers[1]!.id),
    ),
  }),
  outranked: (s) => ({
    snapshot: {
      ...withOffer(s, { priority: 1 }),
      rules: [],
      policies: [],
      flow: flowOf(s, [...gates, delivery[0]!, node('rank', 'rank', { method: 'topN', topN: 2 }), delivery[2]!]),
    },
  }),
  unknown_value: (s) => ({
    snapshot: withRules(
      s,
      rule('Typo', { attribute: 'customer.tier', operator: 'eq', value: 'gild' }, s.offers[1]!.id),
    ),
    more: { knownTexts: new Map([['tier', ['gold', 'silver']]]) },
  }),
  mandatory_conflict: (s) => ({
    snapshot: withPolicies(withOffer(s, { mandatory: true }), policy('Opt-out', 'do_not_contact', {}, s.offers[1]!.id)),
  }),
  coupling_always_empty: (s) => {
    const place = (id: string) => ({ id, channelId: 'web', name: id, key: id, slotType: id, maxSlots: 1 });
    const creatives = s.creatives.map((row) => ({ ...row, placementId: 'top' }));
    const channels = s.channels.map((channel) => ({ ...channel, couplingMode: 'atomic' as const }));
    const group = node('group', 'group', { placements: [{ placementId: 'top' }, { placementId: 'side' }] });
    return {
      snapshot: {
        ...s,
        channels,
        creatives,
        placements: [place('top'), place('side')],
        flow: flowOf(s, [...gates, delivery[0]!, group, delivery[2]!]),
      },
    };
  },
  explore_no_effect: (s) => ({
    snapshot: {
      ...s,
      flow: flowOf(s, [
        ...gates,
        delivery[0]!,
        node('rank', 'rank', { method: 'explore_exploit', explorationRate: 0 }),
        delivery[2]!,
      ]),
    },
  }),
  segment_empty: (s) => ({
    snapshot: withRules(s, rule('Nobody', { requiredSegments: ['ghosts'] }, s.offers[1]!.id, 'segment_required')),
    more: { emptySegments: new Map([['ghosts', 'Ghosts']]) },
  }),
  metric_unset: (s) => ({
    snapshot: withRules(
      s,
      rule('Metric', { metricId: 'absent', operator: 'gte', threshold: 1 }, s.offers[1]!.id, 'metric_condition'),
    ),
  }),
};

const check = (snapshot: Snapshot, more: Partial<CheckInput> = {}) =>
  checkCatalogue({ snapshot, plan: compile(snapshot), now, clockAt: utcClock, ...more });

/** The catalogue without some gates, taken out by hand. */
function without(snapshot: Snapshot, gone: readonly Subject[]): Snapshot {
  const away = (type: Subject['type']) => new Set(gone.filter((each) => each.type === type).map(({ id }) => id));
  const [rules, policies] = [away('qualificationRule'), away('contactPolicy')];
  const parts = new Set(gone.filter(({ type }) => type === 'offer').map(({ id, path }) => `${id} ${path}`));
  const opened = [
    ['/eligibility', ['eligibility', null]],
    ['/schedule', ['schedule', null]],
    ['/budget', ['budget', {}]],
    ['/stock', ['tracksStock', false]],
  ] as const;
  return {
    ...snapshot,
    rules: snapshot.rules.filter(({ id }) => !rules.has(id)),
    policies: snapshot.policies.filter(({ id }) => !policies.has(id)),
    offers: snapshot.offers.map((offer) => ({
      ...offer,
      ...Object.fromEntries(opened.filter(([path]) => parts.has(`${offer.id} ${path}`)).map(([, part]) => part)),
    })),
  };
}

/** Asserts that the offer is returned to the witness of each repair once its gates are gone. Returns the number of repairs. */
function assertRepairs(snapshot: Snapshot, { subject, repairs }: Finding): number {
  for (const { without: gone, witness } of repairs) {
    const repaired = without(snapshot, gone);
    const plan = compile(repaired);
    const request = {
      customerId: 'witness-0',
      excludeOffers: repaired.offers.flatMap(({ id }) => (id === subject.id ? [] : [id])),
    };
    const { items } = decide(
      plan,
      inputFor({ snapshot: repaired, plan, now, clockAt: utcClock }, plan, witness, request),
    );
    assert.deepEqual(
      items.map(({ offerId }) => offerId),
      [subject.id],
      `without ${gone.map(({ name, path }) => `${name}${path}`).join(' and ')}`,
    );
  }
  return repairs.length;
}

/** Codes whose gates can be taken out. */
const repairable: readonly FindingCode[] = [
  'never_eligible',
  'gates_exclude',
  'schedule_over',
  'schedule_empty',
  'budget_zero',
  'stock_zero',
];

const told = ({ code, subject, message }: Finding): string => `${code} ${subject.type} ${subject.name}: ${message}`;

test('leaves catalogues without a fault unflagged', () => {
  for (let seed = 1; seed <= runs * 15; seed++) {
    const { findings, contradictions } = check(cleanWorld(chanceOf(seed)));
    assert.deepEqual(findings.filter(({ severity }) => severity !== 'info').map(told), [], `seed ${seed}`);
    assert.equal(contradictions, 0);
  }
});

for (const code of Object.keys(findingCodes) as FindingCode[]) {
  test(`finds a planted ${code} with its gates, and repairs that hold`, () => {
    for (let seed = 1; seed <= runs; seed++) {
      const chance = chanceOf(seed * 7919);
      const { snapshot, more, core } = plants[code](cleanWorld(chance), chance);
      const { findings, contradictions } = check(snapshot, more);
      const found = findings.find((one) => one.code === code && one.subject.name === subjects[code]);
      assert.ok(found, `seed ${seed}: ${findings.map(told).join('\n')}`);
      assert.equal(contradictions, 0);
      if (core !== undefined) assert.deepEqual(found.core.map(({ name }) => name).toSorted(), [...core].toSorted());
      const isRepaired = assertRepairs(snapshot, found) > 0;
      assert.equal(isRepaired, repairable.includes(code));
    }
  });
}
