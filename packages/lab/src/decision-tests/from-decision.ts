import type { ContactLane, Decision, DecisionInput, Json, Plan, WindowSpec } from '@arbiter/engine';
import type { TestContact, TestEvidence, TestExpectations, TestGiven, TestRequest } from './decision-test.ts';

export interface DecisionToTest {
  readonly plan: Plan;
  readonly input: DecisionInput;
  readonly decision: Pick<Decision, 'items' | 'emptyReason'>;
  /** Key or name of a record of the catalogue; null: it no longer has one. */
  readonly nameOf: (id: string) => string | null;
}

export interface TestOfDecision {
  readonly given: TestGiven;
  readonly expect: TestExpectations;
  /** Names of values that weren't copied, and kinds of state that a test can't have. */
  readonly leftOut: readonly string[];
}

/** Contacts that a test may have. */
const maxContacts = 500;
const maxNames = 200;

/**
 * Returns a test that expects a decision again. Values of the customer, the attributes and the context are copied only with
 * `copiesValues`. Contacts are made up so that every window of the plan counts what the decision counted.
 */
export function testOfDecision(recorded: DecisionToTest, copiesValues: boolean): TestOfDecision {
  const { plan, input, nameOf } = recorded;
  const leftOut: string[] = [];
  const copied = (values: Readonly<Record<string, Json>>, prefix: string): Record<string, Json> => {
    if (copiesValues) return { ...values };
    leftOut.push(...Object.keys(values).map((name) => `${prefix}.${name}`));
    return {};
  };
  const { request } = input;
  const customer = copied(customerValues(plan, input), 'customer');
  const attributes = copied(only(request.attributes, plan.reads.attributes), 'attributes');
  const context = copied(only(request.context, plan.reads.context ?? Object.keys(request.context)), 'request.context');
  const contacts = contactsOf(recorded);
  if (contacts === null) leftOut.push('contacts');
  const readSegments = new Set([...plan.reads.segments, ...plan.reads.interests]);
  const segments = new Set(
    [...input.segments, ...request.segments].flatMap(
      (segment) => nameOf(segment) ?? (readSegments.has(segment) ? [segment] : []),
    ),
  );
  const evidence = evidenceOf(recorded);
  leftOut.push(...stateLeftOut(input));
  const shownRequest = { ...requestOf(recorded), ...(isEmpty(context) ? {} : { context }) };
  return {
    given: {
      now: new Date(input.now).toISOString(),
      ...(input.known ? { customer } : {}),
      ...(isEmpty(attributes) ? {} : { attributes }),
      ...(segments.size === 0 ? {} : { segments: [...segments].slice(0, maxNames) }),
      ...(contacts === null || contacts.length === 0 ? {} : { contacts }),
      ...(evidence === null ? {} : { evidence }),
      ...(isEmpty(shownRequest) ? {} : { request: shownRequest }),
    },
    expect: expectationsOf(recorded),
    leftOut,
  };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const only = (values: Readonly<Record<string, Json>>, names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]!]] : [])));

/** What the plan reads of the profile and of the rows of enrich nodes. */
function customerValues({ profileFields, enrichSources }: Plan, { profile, enriched }: DecisionInput) {
  const rows = enrichSources.map(({ nodeId, position, prefix }) =>
    Object.fromEntries(
      Object.entries(enriched[nodeId]?.[position] ?? {}).map(([column, value]) => [prefix + column, value]),
    ),
  );
  return only(Object.assign({}, profile, ...rows), profileFields);
}

/** Kinds of state that took part in the decision and that no test can give. */
function stateLeftOut({ outcomes, suppressions, soldOut, volumes, external, modelStates, experiments }: DecisionInput) {
  const some = {
    outcomes,
    suppressions,
    stock: soldOut,
    volumes,
    webhooks: external,
    models: modelStates,
    experiments,
  };
  return Object.entries(some).flatMap(([name, state]) => (state === undefined || isEmpty(state) ? [] : [name]));
}

function requestOf({ plan, input: { request }, nameOf }: DecisionToTest): TestRequest {
  const { channel, channelId, placement, placements, limit, locale, currency, excludeOffers } = request;
  const named = (channelId === null ? null : nameOf(channelId)) ?? channel;
  const slots = placements?.map(({ placementId, limit: slotLimit }) => {
    const { key, name, channelId: own } = plan.names.placement(placementId) ?? { key: undefined, name: placementId };
    const channelName = own === undefined ? null : nameOf(own);
    return {
      placement: key ?? name,
      ...(channelName === null ? {} : { channel: channelName }),
      ...(slotLimit === null ? {} : { limit: slotLimit }),
    };
  });
  const excluded = excludeOffers.flatMap((id) => nameOf(id) ?? []);
  return {
    ...(named === null ? {} : { channel: named }),
    ...(placement === null ? {} : { placement: plan.names.placement(placement)?.key ?? placement }),
    ...(slots === undefined ? {} : { placements: slots }),
    ...(limit === null ? {} : { limit }),
    ...(locale === null ? {} : { locale }),
    ...(currency === null ? {} : { currency }),
    ...(excluded.length === 0 ? {} : { excludeOffers: excluded.slice(0, maxNames) }),
  };
}

function evidenceOf({ plan, input: { evidence }, nameOf }: DecisionToTest): TestEvidence | null {
  if (!plan.reads.evidenceRanks) return null;
  const counted = (ids: readonly string[], countsOf: (id: string) => readonly [number, number]) =>
    Object.fromEntries(
      ids
        .flatMap((id) => {
          const [positives, negatives] = countsOf(id);
          const name = nameOf(id);
          return name === null || positives + negatives === 0 ? [] : [[name, [positives, negatives]] as const];
        })
        .slice(0, maxNames),
    );
  const { offers } = plan.program;
  const categories = [...new Set(offers.flatMap(({ row }) => [row.categoryId ?? [], row.subCategoryId ?? []].flat()))];
  return {
    offers: counted(
      offers.map(({ id }) => id),
      evidence.offer,
    ),
    categories: counted(categories, evidence.category),
    total: [...evidence.global],
  };
}

function expectationsOf({ decision: { items, emptyReason }, nameOf }: DecisionToTest): TestExpectations {
  const names = [...new Set(items.flatMap(({ offerId }) => nameOf(offerId) ?? []))];
  return {
    count: items.length,
    ...(names.length > 1 ? { order: names } : names.length === 1 ? { includes: names } : {}),
    ...(emptyReason === null ? {} : { emptyReason }),
  };
}

/** Contacts with the counts of the decision. Null: too many, or with an offer that is gone. */
function contactsOf({ plan, input, nameOf }: DecisionToTest): TestContact[] | null {
  const { lanes, lastAt, counts } = input.contacts;
  const windows = plan.windows
    .map((window, at) => ({ from: startOf(window, input, plan.timezone), counts: counts[at]! }))
    .toSorted((a, b) => b.from - a.from);
  const found: TestContact[] = [];
  for (const [lane, parts] of lanes.entries()) {
    const named = laneNames(parts, plan, nameOf);
    if (named === null) return null;
    for (const at of instantsOf(
      windows.map(({ from, counts: own }) => ({ from, count: own[lane]! })),
      lastAt[lane]!,
    )) {
      if (found.push({ ...named, at: new Date(at).toISOString() }) > maxContacts) return null;
    }
  }
  return found.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

function laneNames({ offerId, creativeId, channelId }: ContactLane, plan: Plan, nameOf: DecisionToTest['nameOf']) {
  const offer = nameOf(offerId);
  if (offer === null) return null;
  const channel = channelId === null ? null : nameOf(channelId);
  const creative = creativeId === null ? undefined : plan.names.creative(creativeId)?.name;
  return {
    offer,
    ...(channel === null ? {} : { channel }),
    ...(creative === undefined ? {} : { creative }),
  };
}

/** Instants that every window counts as it should: the latest one where it was, the others just before the narrower window. */
function instantsOf(windows: readonly { readonly from: number; readonly count: number }[], lastAt: number): number[] {
  const instants: number[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const { from, count } of windows) {
    const at = instants.length === 0 ? lastAt : before - 1;
    while (instants.length < count) instants.push(at);
    before = from;
  }
  return instants.length === 0 ? [lastAt] : instants;
}

/** Start of a window, epoch ms. */
function startOf(window: WindowSpec, { now, zones }: DecisionInput, timezone: string): number {
  const clock = zones[timezone]!;
  switch (window.kind) {
    case 'day':
      return clock.dayStart;
    case 'week':
      return clock.weekStart;
    case 'month':
      return clock.monthStart;
    case 'days30':
      return clock.days30Start;
    case 'rolling':
      return now - window.ms + 1;
    case 'alltime':
      return Number.NEGATIVE_INFINITY;
  }
}
