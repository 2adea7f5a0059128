import type { Snapshot, SnapshotCreative, SnapshotOffer, SnapshotOfferCategory } from '../plan/snapshot.ts';

/** A snapshot without its lists, but with the ranking profiles of the flow, which are few. */
export type PlanHead = Pick<
  Snapshot,
  'format' | 'semantics' | 'tenant' | 'flow' | 'models' | 'experiments' | 'rankingProfiles' | 'metrics' | 'subFlows'
>;

/** Lists of a snapshot, or parts of them. */
export type PieceLists = Partial<Omit<Snapshot, keyof PlanHead>>;

/** Returns the snapshot of a head and its pieces. Sorts offers and creatives by id, because records store positions. */
export function joinPieces(
  { format, semantics, tenant, flow, models, experiments, rankingProfiles, metrics, subFlows }: PlanHead,
  parts: readonly PieceLists[],
): Snapshot {
  const join = <Row>(list: (part: PieceLists) => readonly Row[] | undefined): Row[] =>
    parts.flatMap((part) => list(part) ?? []);
  const byId = <Row extends SnapshotOffer | SnapshotCreative | SnapshotOfferCategory>(rows: Row[]): Row[] =>
    rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  const inactivePlacements = join((part) => part.inactivePlacements);
  const contentItems = join((part) => part.contentItems);
  const joins = join((part) => part.joins);
  const withOthers = parts.some(({ otherOffers }) => otherOffers !== undefined);
  return {
    format,
    semantics,
    tenant,
    flow,
    ...(subFlows === undefined ? {} : { subFlows }),
    ...(models === undefined ? {} : { models }),
    ...(experiments === undefined ? {} : { experiments }),
    channels: join((part) => part.channels),
    placements: join((part) => part.placements),
    ...(inactivePlacements.length === 0 ? {} : { inactivePlacements }),
    categories: join((part) => part.categories),
    subCategories: join((part) => part.subCategories),
    offers: byId(join((part) => part.offers)),
    ...(withOthers ? { otherOffers: byId(join((part) => part.otherOffers)) } : {}),
    creatives: byId(join((part) => part.creatives)),
    ...(contentItems.length === 0 ? {} : { contentItems }),
    rules: join((part) => part.rules),
    policies: join((part) => part.policies),
    schemas: join((part) => part.schemas),
    ...(joins.length === 0 ? {} : { joins }),
    ...(rankingProfiles === undefined ? {} : { rankingProfiles }),
    ...(metrics === undefined ? {} : { metrics }),
  };
}
