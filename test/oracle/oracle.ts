import type { Json } from '@arbiter/engine';
import type { Work } from './candidate.ts';
import { share } from './chance.ts';
import { type Personal, personalOf, propertiesOf } from './compute.ts';
import { runList } from './lists.ts';
import { findTarget } from './target.ts';
import { walk } from './walk.ts';
import { wayOf } from './way.ts';
import { contactEvents, type World } from './world.ts';

export interface ExpectedItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly placementId: string | null;
  readonly mandatory: boolean;
  readonly score: number;
  /** Null: counted in repetitions. */
  readonly probability: number | null;
  readonly isEstimated: boolean;
  readonly source: string | null;
  readonly personal: Personal;
}

export interface Expected {
  readonly items: readonly ExpectedItem[];
  readonly properties: Readonly<Record<string, Json>>;
  /** Flows that were called and ran. */
  readonly ran: readonly string[];
  /** Every acceptable reason for dropping an offer. */
  readonly reasons: ReadonlyMap<string, ReadonlySet<string>>;
  /** Two candidates stood so close that the last bit of a score decides. */
  readonly isClose: boolean;
  /** Placements could have been filled in several ways that are worth the same. */
  readonly isTied: boolean;
}

/** Returns the required decision (docs/design/decisioning.md 1, docs/design/api-decisioning.md 8 to 10). */
export function expected(world: World): Expected {
  const { snapshot, input } = world;
  const reasons = new Map<string, Set<string>>();
  const { holdoutPercentage } = snapshot.tenant;
  const group = snapshot.flow.config.nodes.find(({ type, enabled }) => type === 'group' && enabled !== false);
  const target = findTarget(world, group?.config ?? null);
  const work: Work = {
    ...world,
    now: input.now,
    zone: snapshot.tenant.timezone,
    events: contactEvents(world),
    segments: new Set([...input.segments, ...input.request.segments]),
    customer: input.profile,
    isHoldout: share(`holdout:${input.request.customerId}`) * 100 < holdoutPercentage,
    taken: [],
    target: target ?? { channels: null, eligible: null, slots: null, requested: null },
    draws: new Map(),
    failed: new Set(),
  };
  const { steps, ran } = wayOf(work);
  const last = steps.filter(({ phase }) => phase === 3);
  if (target === null)
    return { items: [], properties: propertiesOf(work, last), ran: [], reasons, isClose: false, isTied: false };
  const { candidates, others } = runList(work, steps, true);
  const walked = walk(work, candidates, steps);
  for (const { offer, reasons: own } of [...candidates, ...others]) {
    const all = reasons.get(offer.id) ?? new Set();
    for (const reason of own) all.add(reason);
    reasons.set(offer.id, all);
  }
  const items = walked.items.map((item, at) => ({
    offerId: item.candidate.offer.id,
    creativeId: item.candidate.creative?.id ?? null,
    placementId: item.placementId,
    mandatory: item.candidate.mandatory,
    score: item.candidate.score,
    probability: item.probability,
    isEstimated: item.isEstimated,
    source: item.candidate.parts?.source ?? null,
    personal: personalOf(work, item, at + 1, last),
  }));
  return { items, properties: propertiesOf(work, last), ran, reasons, isClose: walked.isClose, isTied: walked.isTied };
}
