import type { DroppedRow, Explained, GateRow, ScoreRow, ShownRow } from './explained.ts';

/** `shown`: in the answer. `lost`: scored, and others were before it. `blocked`: left before it was scored. */
export type Fate = 'shown' | 'lost' | 'blocked';

/** An offer that the decision looked at. */
export interface OfferStory {
  readonly offerId: string;
  /** Null: the source does not name it. */
  readonly name: string | null;
  readonly fate: Fate;
  /** Place in the answer; null unless shown. */
  readonly rank: number | null;
  /** Place by score among the scored; null where it was not scored. */
  readonly place: number | null;
  readonly score: ScoreRow | null;
  readonly shown: ShownRow | null;
  readonly dropped: DroppedRow | null;
  /** Null: the source tells of no gates. */
  readonly gates: readonly GateRow[] | null;
}

/** Every offer of a decision: those shown in their order, then those that lost by score, then the blocked by name. */
export function offersOf(explained: Explained): readonly OfferStory[] {
  const stories = new Map<string, OfferStory>();
  const scores = new Map(explained.scores.map((row) => [row.offerId, row]));
  const dropped = new Map<string, DroppedRow>();
  // An offer with a creative for several placements may be dropped once for each; the first reason stands for it.
  for (const row of explained.dropped) if (!dropped.has(row.offerId)) dropped.set(row.offerId, row);
  const gates = gatesByOffer(explained.gates);
  const add = (offerId: string, fate: Fate, shown: ShownRow | null): void => {
    if (offerId === '' || stories.has(offerId)) return;
    const score = scores.get(offerId) ?? null;
    stories.set(offerId, {
      offerId,
      name: shown?.offerName ?? dropped.get(offerId)?.offerName ?? null,
      fate,
      rank: shown?.rank ?? null,
      place: score?.rank ?? null,
      score,
      shown,
      dropped: shown === null ? (dropped.get(offerId) ?? null) : null,
      gates: gates === null ? null : (gates.get(offerId) ?? []),
    });
  };
  for (const row of explained.shown) add(row.offerId, 'shown', row);
  for (const row of explained.scores) add(row.offerId, 'lost', null);
  const blocked = [...dropped.values()].sort((a, b) => (a.offerName ?? '').localeCompare(b.offerName ?? ''));
  for (const row of blocked) add(row.offerId, 'blocked', null);
  return [...stories.values()];
}

function gatesByOffer(gates: readonly GateRow[] | null): Map<string, GateRow[]> | null {
  if (gates === null) return null;
  const found = new Map<string, GateRow[]>();
  for (const gate of gates) {
    const known = found.get(gate.offerId);
    if (known === undefined) found.set(gate.offerId, [gate]);
    else known.push(gate);
  }
  return found;
}

/** Numbers of offers by fate. */
export function countFates(offers: readonly OfferStory[]): Readonly<Record<Fate, number>> {
  const counts = { shown: 0, lost: 0, blocked: 0 };
  for (const { fate } of offers) counts[fate] += 1;
  return counts;
}

/** Offers that left for one and the same reason. */
export interface ReasonGroup {
  readonly key: string;
  readonly reason: string;
  /** The rule or policy that refused; null for a reason that is neither. */
  readonly gateId: string | null;
  /** Its name, where the source tells it. */
  readonly gateName: string | null;
  readonly stage: string;
  readonly offers: readonly OfferStory[];
}

/** Groups what left by why it left, the largest group first. Offers that were shown are in none. */
export function groupByReason(offers: readonly OfferStory[]): readonly ReasonGroup[] {
  const groups = new Map<string, { -readonly [K in keyof ReasonGroup]: ReasonGroup[K] } & { offers: OfferStory[] }>();
  for (const story of offers) {
    if (story.fate === 'shown') continue;
    const { dropped } = story;
    const reason = dropped?.reason ?? 'cut';
    const gateId = dropped?.ruleId ?? dropped?.policyId ?? null;
    const cause = gateId === null && typeof dropped?.detail.cause === 'string' ? dropped.detail.cause : '';
    const key = [reason, gateId ?? '', cause].join(' ');
    const group = groups.get(key);
    if (group === undefined) {
      const gateName = story.gates?.find(({ id }) => id !== null && id === gateId)?.name ?? null;
      groups.set(key, { key, reason, gateId, gateName, stage: dropped?.stage ?? '', offers: [story] });
    } else group.offers.push(story);
  }
  return [...groups.values()].sort((a, b) => b.offers.length - a.offers.length || (a.key < b.key ? -1 : 1));
}
