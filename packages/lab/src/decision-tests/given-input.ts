import {
  type ContactLane,
  type Contacts,
  type DecisionInput,
  type DecisionRequest,
  didYouMean,
  foldContacts,
  foldOutcomes,
  type Json,
  type Plan,
  parseInstant,
  requestDefaults,
  type Snapshot,
  told,
  type ZoneClock,
} from '@arbiter/engine';
import { asJson, type TestContact, type TestEvidence, type TestGiven, type TestRequest } from './decision-test.ts';
import { idNamed, type ReportProblem, type TestNames, unknownName } from './names.ts';
import { pointerStep } from './problems.ts';

/** What tests read besides their own text. */
export interface TestCatalogue {
  readonly snapshot: Snapshot;
  readonly plan: Plan;
  readonly names: TestNames;
}

export interface Clocks {
  readonly clockAt: (zone: string, at: number) => ZoneClock;
  readonly isZone: (name: string) => boolean;
}

/** What a test gives, without what depends on the plan: the counts of contacts and the clocks. */
export interface GivenInput {
  readonly now: number;
  readonly seed: number;
  readonly isKnown: boolean;
  readonly customer: Readonly<Record<string, Json>>;
  readonly segments: readonly string[];
  readonly contacts: Contacts;
  readonly outcomes: readonly { readonly key: string; readonly lane: number; readonly at: number }[];
  readonly evidence: DecisionInput['evidence'];
  readonly request: Omit<DecisionRequest, 'customerId'>;
}

/** Puts ids in place of names. Everything that a test names and the catalogue doesn't know is reported. */
export function readGiven(catalogue: TestCatalogue, given: TestGiven, tell: ReportProblem): GivenInput {
  const { names } = catalogue;
  const { customer, attributes = {}, segments = [], contacts = [], evidence = {}, request = {} } = given;
  const known = (
    values: Readonly<Record<string, unknown>>,
    words: ReadonlySet<string> | null,
    what: string,
    at: string,
  ) => knownValues(values, words, what, `/given/${at}`, tell);
  const segmentNames = segments.flatMap((name, at) => {
    const id = idNamed(names.segments, name, 'the segment', `/given/segments/${at}`, tell);
    return id === null ? [] : id === name ? [name] : [id, name];
  });
  return {
    now: parseInstant(given.now) ?? 0,
    seed: given.seed ?? 0,
    isKnown: customer !== undefined,
    customer: known(customer ?? {}, names.customer, 'customer', 'customer'),
    segments: segmentNames,
    ...readContacts(catalogue, contacts, tell),
    evidence: readEvidence(names, evidence, tell),
    request: {
      ...readRequest(catalogue, request, tell),
      context: known(request.context ?? {}, names.context, 'request.context', 'request/context'),
      attributes: known(attributes, names.attributes, 'attributes', 'attributes'),
    },
  };
}

function knownValues(
  values: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string> | null,
  what: string,
  path: string,
  tell: ReportProblem,
): Record<string, Json> {
  const found: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) {
    if (known === null || known.has(name)) {
      if (value !== null) found[name] = asJson(value);
      continue;
    }
    const reason = what === 'customer' ? 'isn’t provided by any schema' : 'isn’t read by this flow';
    const message = `${what}.${told(name)} ${reason}${didYouMean(name, known)}`;
    tell({ path: `${path}/${pointerStep(name)}`, message });
  }
  return found;
}

function readContacts(
  { snapshot, names }: TestCatalogue,
  contacts: readonly TestContact[],
  tell: ReportProblem,
): Pick<GivenInput, 'contacts' | 'outcomes'> {
  const lanes = new Map<string, number>();
  const found: ContactLane[] = [];
  const log: { lane: number; at: number }[] = [];
  const outcomes: { key: string; lane: number; at: number }[] = [];
  for (const [position, contact] of contacts.entries()) {
    const path = `/given/contacts/${position}`;
    const lane = laneOf(snapshot, names, contact, path, tell);
    if (lane === null) continue;
    const key = JSON.stringify(lane);
    const at = lanes.get(key) ?? found.push(lane) - 1;
    lanes.set(key, at);
    const instant = parseInstant(contact.at) ?? 0;
    log.push({ lane: at, at: instant });
    if (contact.outcome === undefined) continue;
    if (names.outcomes.has(contact.outcome)) outcomes.push({ key: contact.outcome, lane: at, at: instant });
    else tell({ path: `${path}/outcome`, message: unknownName('the outcome type', contact.outcome, names.outcomes) });
  }
  log.sort((a, b) => a.at - b.at);
  const lastAt = found.map((_, lane) => log.findLast((entry) => entry.lane === lane)?.at ?? 0);
  const totals = found.map((_, lane) => log.filter((entry) => entry.lane === lane).length);
  return { contacts: { lanes: found, totals, lastAt, log, keptFrom: 0, reservations: [] }, outcomes };
}

/** Without a creative, the contact showed the offer's only one on the channel. */
function laneOf(
  snapshot: Snapshot,
  names: TestNames,
  { offer, channel, creative }: TestContact,
  path: string,
  tell: ReportProblem,
): ContactLane | null {
  const offerId = idNamed(names.offers, offer, 'the offer', `${path}/offer`, tell);
  const channelId =
    channel === undefined ? null : idNamed(names.channels, channel, 'the channel', `${path}/channel`, tell);
  if (offerId === null || (channel !== undefined && channelId === null)) return null;
  const own = snapshot.creatives.filter(
    (each) => each.offerId === offerId && (channelId ?? each.channelId) === each.channelId,
  );
  const shown =
    creative === undefined ? (own.length === 1 ? own[0]!.id : null) : own.find(({ name }) => name === creative)?.id;
  if (shown === undefined) {
    const known = own.map(({ name }) => name);
    tell({ path: `${path}/creative`, message: unknownName('the creative', creative ?? '', known) });
    return null;
  }
  return { offerId, creativeId: shown, channelId, campaignId: null };
}

function readEvidence(
  names: TestNames,
  { offers = {}, categories = {}, total = [] }: TestEvidence,
  tell: ReportProblem,
) {
  const pairOf = ([positives = 0, negatives = 0]: readonly number[]) => [positives, negatives] as const;
  const pairs = (
    given: Readonly<Record<string, readonly number[]>>,
    known: ReadonlyMap<string, string>,
    what: string,
    at: string,
  ) =>
    new Map(
      Object.entries(given).flatMap(([name, counts]) => {
        const id = idNamed(known, name, what, `/given/evidence/${at}/${pointerStep(name)}`, tell);
        return id === null ? [] : [[id, pairOf(counts)] as const];
      }),
    );
  const byOffer = pairs(offers, names.offers, 'the offer', 'offers');
  const byCategory = pairs(categories, names.categories, 'the category', 'categories');
  return {
    number: 0,
    offer: (id: string) => byOffer.get(id) ?? noCounts,
    category: (id: string) => byCategory.get(id) ?? noCounts,
    global: pairOf(total),
  };
}

const noCounts = [0, 0] as const;

function readRequest(
  { snapshot, names }: TestCatalogue,
  request: TestRequest,
  tell: ReportProblem,
): Omit<GivenInput['request'], 'context' | 'attributes'> {
  const { placements, excludeOffers = [] } = request;
  const path = '/given/request';
  const excluded = excludeOffers.flatMap(
    (name, at) => idNamed(names.offers, name, 'the offer', `${path}/excludeOffers/${at}`, tell) ?? [],
  );
  return {
    ...requestDefaults,
    requestId: '00000000-0000-7000-8000-000000000000',
    ...readChannel({ snapshot, names }, request.channel, tell),
    placement: readPlacement(snapshot, request.placement, tell),
    placements:
      placements?.flatMap((each, at) => {
        const known = new Map(
          [...snapshot.placements, ...(snapshot.inactivePlacements ?? [])]
            .filter(({ channelId }) => each.channel === undefined || names.channels.get(each.channel) === channelId)
            .flatMap((placement) => placementWords(placement).map((word) => [word, placement.id] as const))
            .toReversed(),
        );
        const id = idNamed(known, each.placement, 'the placement', `${path}/placements/${at}/placement`, tell);
        return id === null ? [] : [{ placementId: id, limit: each.limit ?? null }];
      }) ?? null,
    limit: request.limit ?? null,
    locale: request.locale ?? null,
    currency: request.currency ?? null,
    excludeOffers: excluded,
  };
}

const placementWords = (placement: { readonly name: string; readonly key?: string }): string[] =>
  placement.key === undefined ? [placement.name] : [placement.name, placement.key];

/** A channel by its name, or all channels of a type. */
function readChannel(
  { snapshot, names }: Pick<TestCatalogue, 'snapshot' | 'names'>,
  name: string | undefined,
  tell: ReportProblem,
) {
  if (name === undefined) return { channel: null, channelId: null };
  const named = names.channels.get(name);
  if (named !== undefined) return { channel: null, channelId: named };
  const types = snapshot.channels.map(({ channelType }) => channelType);
  if (!types.includes(name)) {
    const known = [...names.channels.keys(), ...types];
    tell({ path: '/given/request/channel', message: unknownName('the channel', name, known) });
  }
  return { channel: name, channelId: null };
}

function readPlacement(snapshot: Snapshot, name: string | undefined, tell: ReportProblem): string | null {
  if (name === undefined) return null;
  const known = [
    ...snapshot.placements.flatMap((placement) => [...placementWords(placement), placement.slotType]),
    ...(snapshot.inactivePlacements ?? []).map((placement) => placement.name),
  ];
  if (!known.includes(name)) {
    tell({ path: '/given/request/placement', message: unknownName('the placement', name, known) });
  }
  return name;
}

/** Returns what a plan reads of it. `number`: which of the fictional customers it is. */
export function inputOf(
  plan: Plan,
  names: TestNames,
  clocks: Clocks,
  given: GivenInput,
  number: number,
): DecisionInput {
  const { now, seed, customer, contacts, outcomes, segments, evidence, isKnown } = given;
  const zones = zonesOf(plan, clocks, customer, now);
  return {
    now,
    seed: seed.toString(16).padStart(32, '0'),
    zones,
    request: { ...given.request, customerId: `test-customer-${seed}-${number}` },
    known: isKnown,
    profile: customer,
    enriched: enrichedBy(plan, names, customer),
    segments,
    contacts: foldContacts(contacts, plan.windows, now, zones[plan.timezone]!, {
      longestCooldownMs: plan.longestCooldownMs,
    }),
    ...(plan.outcomeReads === null ? {} : { outcomes: foldOutcomes(contacts.lanes, outcomes, plan.outcomeReads, now) }),
    suppressions: [],
    soldOut: [],
    ...(plan.volumes === null
      ? {}
      : { volumes: plan.volumes.counted.map(({ scope, scopeId }) => ({ scope, scopeId, ...unused })) }),
    evidence,
    objectiveCounts: { number: 0, offer: () => noObjectives, impressions7: 0 },
  };
}

const unused = { impressions: 0, spentCents: 0, dayImpressions: 0, daySpentCents: 0 };
const noObjectives = { impressions: 0, positives: 0, converts: 0, impressions7: 0 };

function zonesOf(plan: Plan, { clockAt, isZone }: Clocks, customer: GivenInput['customer'], now: number) {
  const zones: Record<string, ZoneClock> = {};
  for (const zone of plan.zones) zones[zone] = clockAt(zone, now);
  for (const field of plan.zoneFields) {
    const zone = customer[field];
    if (typeof zone === 'string' && zones[zone] === undefined && isZone(zone)) zones[zone] = clockAt(zone, now);
  }
  return zones;
}

/** A source has a row when the customer has a value of one of its columns. */
function enrichedBy(plan: Plan, { columns }: TestNames, customer: GivenInput['customer']): DecisionInput['enriched'] {
  const byNode = Object.groupBy(plan.enrichSources, ({ nodeId }) => nodeId);
  const rowOf = ({ schemaId, prefix }: Plan['enrichSources'][number]) => {
    const names = (columns.get(schemaId) ?? []).filter((column) => Object.hasOwn(customer, prefix + column));
    return names.length === 0 ? null : Object.fromEntries(names.map((column) => [column, customer[prefix + column]!]));
  };
  return Object.fromEntries(Object.entries(byNode).map(([node, sources]) => [node, (sources ?? []).map(rowOf)]));
}
