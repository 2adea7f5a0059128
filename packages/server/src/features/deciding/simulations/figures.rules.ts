import { type SimulationDiff, type SimulationFigures, simulationTopOffers } from '@arbiter/contract';
import { compareText, type Decision, type Plan, round6 } from '@arbiter/engine';

/** Results of a flow for a sample, while counting. */
export interface Tally {
  readonly plan: Plan;
  customers: number;
  withOffers: number;
  items: number;
  scores: number;
  /** Items by offer, by channel and by category; '' for none. */
  readonly offers: Map<string, number>;
  readonly channels: Map<string, number>;
  readonly categories: Map<string, number>;
}

export const newTally = (plan: Plan): Tally => ({
  plan,
  customers: 0,
  withOffers: 0,
  items: 0,
  scores: 0,
  offers: new Map(),
  channels: new Map(),
  categories: new Map(),
});

/** Counts what one customer gets. */
export function countDecision(tally: Tally, { items }: Pick<Decision, 'items'>): void {
  tally.customers += 1;
  if (items.length > 0) tally.withOffers += 1;
  for (const { offerId, channelId, score } of items) {
    tally.items += 1;
    tally.scores += score;
    raise(tally.offers, offerId);
    raise(tally.channels, channelId ?? '');
    raise(tally.categories, tally.plan.names.offer(offerId)?.categoryId ?? '');
  }
}

function raise(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

/** Highest first, ties by id. */
const ordered = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, left], [b, right]) => right - left || compareText(a, b));

const orNull = (id: string): string | null => (id === '' ? null : id);

/** The figures as they are answered (docs/design/api-settled.md 114). */
export function figuresOf(tally: Tally): SimulationFigures {
  const { plan, items } = tally;
  const { names, flow } = plan;
  const share = (count: number): number => round6(count / items);
  return {
    decisionFlowKey: flow.key,
    version: flow.version,
    sampledCustomers: tally.customers,
    customersWithOffers: tally.withOffers,
    offersDelivered: items,
    averageScore: items === 0 ? null : round6(tally.scores / items),
    topOffers: ordered(tally.offers)
      .slice(0, simulationTopOffers)
      .map(([offerId, count]) => ({
        offerId,
        offerName: names.offer(offerId)?.name ?? '',
        count,
        share: share(count),
      })),
    byChannel: ordered(tally.channels).map(([id, count]) => ({
      channelId: orNull(id),
      channelName: names.channel(id)?.name ?? null,
      count,
      share: share(count),
    })),
    byCategory: ordered(tally.categories).map(([id, count]) => ({
      categoryId: orNull(id),
      categoryName: names.category(id)?.name ?? null,
      count,
      share: share(count),
    })),
  };
}

/** Differences between two flows, while counting. */
export interface FlowDifferences {
  customers: number;
  readonly gained: Map<string, number>;
  readonly lost: Map<string, number>;
}

export const newChanges = (): FlowDifferences => ({ customers: 0, gained: new Map(), lost: new Map() });

/** Counts what one customer gets from one flow and not from the other. */
export function countChanges(changes: FlowDifferences, own: readonly string[], other: readonly string[]): void {
  if (own.length !== other.length || own.some((id, at) => other[at] !== id)) changes.customers += 1;
  for (const id of new Set(own)) if (!other.includes(id)) raise(changes.gained, id);
  for (const id of new Set(other)) if (!own.includes(id)) raise(changes.lost, id);
}

export function diffOf(changes: FlowDifferences, plan: Plan, otherPlan: Plan): SimulationDiff {
  const rows = (counts: ReadonlyMap<string, number>, { names }: Plan) =>
    ordered(counts).map(([offerId, count]) => ({ offerId, offerName: names.offer(offerId)?.name ?? '', count }));
  return {
    changedCustomers: changes.customers,
    gained: rows(changes.gained, plan),
    lost: rows(changes.lost, otherPlan),
  };
}
