import {
  compile,
  type DecisionInput,
  decide,
  type Edit,
  type Flip,
  type Plan,
  type WhyNotAnswer,
  whyNot,
} from '../index.ts';
import { inputAt, utcClock, type World, worldColumns } from './test-world.ts';

// Flips of why-not, carried out.

function same(actual: unknown, wanted: unknown, label: string): void {
  if (actual !== wanted) throw new Error(`${label}: ${String(actual)}, wanted ${String(wanted)}`);
}

/** Asks why the offer isn't shown, with everything that a question may read. */
export function ask(world: World, plan: Plan, offerId: string): WhyNotAnswer {
  return whyNot(plan, {
    offerId,
    input: inputAt(world, plan, world.now),
    greedy: true,
    columnHolds: ({ column }) => {
      const kind = worldColumns[column as keyof typeof worldColumns];
      return kind === undefined ? null : { kind };
    },
    hiddenAttributes: new Set(),
    later: {
      timeline: {
        since: [...world.contacts.log.map(({ at }) => at), ...world.contacts.lastAt],
        ends: world.suppressions.map(({ expiresAt }) => expiresAt),
        clock: utcClock,
      },
      inputAt: (now) => inputAt(world, plan, now),
    },
    shouldContinue: () => true,
  });
}

/** Returns the plan without exploration, for greedy questions. */
export function greedyPlan(world: World): Plan {
  const { snapshot } = world;
  const config = { ...snapshot.flow.config, flowConfig: {} };
  return compile({ ...snapshot, flow: { ...snapshot.flow, config } });
}

const rankIn = (plan: Plan, input: DecisionInput, offerId: string): number | null =>
  decide(plan, input, { probe: { offerId, greedy: true, priority: null, score: null, examination: null } }).items.find(
    (item) => item.offerId === offerId,
  )?.rank ?? null;

/** The world as a write of the row, and other attributes and segments of the request, would make it. */
function carriedOut(world: World, changes: readonly Edit[]): World {
  const profile = { ...world.profile };
  const attributes = { ...world.request.attributes };
  const segments = [...world.request.segments];
  for (const { path, to } of changes) {
    const [namespace, name = ''] = path.split('.');
    if (namespace === 'segments') segments.push(String(to));
    else if (namespace === 'attributes') attributes[name] = to;
    else profile[name] = to;
  }
  return { ...world, profile, request: { ...world.request, attributes, segments } };
}

function withPriority(world: World, offerId: string, priority: number): Plan {
  const offers = world.snapshot.offers.map((offer) => (offer.id === offerId ? { ...offer, priority } : offer));
  return greedyPlan({ ...world, snapshot: { ...world.snapshot, offers } });
}

/** Returns all subsets of the members, except the whole set. */
function properSubsets<T>(members: readonly T[]): T[][] {
  return Array.from({ length: 2 ** members.length - 1 }, (_, bits) =>
    members.filter((_member, at) => (bits & (1 << at)) !== 0),
  );
}

/** Carries a flip out, and each part of it: it works, and nothing less does. */
export function check(world: World, plan: Plan, offerId: string, flip: Flip, label: string): void {
  const input = inputAt(world, plan, world.now);
  switch (flip.kind) {
    case 'attribute': {
      const rank = rankIn(plan, inputAt(carriedOut(world, flip.changes), plan, world.now), offerId);
      same(rank, flip.resultRank, label);
      for (const some of properSubsets(flip.changes)) {
        const left = rankIn(plan, inputAt(carriedOut(world, some), plan, world.now), offerId);
        same(left, null, `${label}: ${some.length} of ${flip.changes.length} changes are enough`);
      }
      return;
    }
    case 'time':
      if (flip.at === null || flip.at <= world.now) throw new Error(label);
      same(rankIn(plan, inputAt(world, plan, flip.at), offerId), flip.resultRank, label);
      same(rankIn(plan, inputAt(world, plan, flip.at - 1_000), offerId), null, `${label}: a second before`);
      return;
    case 'priority': {
      const to = Number(flip.changes[0]?.to);
      same(rankIn(withPriority(world, offerId, to), input, offerId), flip.resultRank, label);
      for (let less = Number(flip.changes[0]?.from); less < to; less++) {
        same(rankIn(withPriority(world, offerId, less), input, offerId), null, `${label}: ${less} is enough`);
      }
      return;
    }
    case 'score': {
      const to = Number(flip.changes[0]?.to);
      const probe = { offerId, greedy: true, priority: null, examination: null };
      const rankWith = (score: number) =>
        decide(plan, input, { probe: { ...probe, score } }).items.find((item) => item.offerId === offerId)?.rank ??
        null;
      same(rankWith(to), flip.resultRank, label);
      same(rankWith((Math.round(to * 1e6) - 1) / 1e6), null, `${label}: a millionth less is enough`);
    }
  }
}
