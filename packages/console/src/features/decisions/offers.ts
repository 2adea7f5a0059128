import type { DroppedRow, Explained, GateRow, ScoreRow, ShownRow } from './explained.ts';

/** `shown`: in the result. `lost`: scored, but outranked. `blocked`: dropped before scoring. */
export type Fate = 'shown' | 'lost' | 'blocked';

/** An offer that the decision evaluated. */
export interface OfferStory {
  readonly offerId: string;
  /** Null if the source doesn't name it. */
  readonly name: string | null;
  readonly fate: Fate;
  /** Rank in the result; null unless shown. */
  readonly rank: number | null;
  /** Rank by score; null if it wasn't scored. */
  readonly place: number | null;
  readonly score: ScoreRow | null;
  readonly shown: ShownRow | null;
  readonly dropped: DroppedRow | null;
  /** Null if the source has no gates. */
  readonly gates: readonly GateRow[] | null;
}

/** Returns every offer: shown ones in order, then lost ones by score, then blocked ones by name. */
export function offersOf(explained: Explained): readonly OfferStory[] {
  const stories = new Map<string, OfferStory>();
  const scores = new Map(explained.scores.map((row) => [row.offerId, row]));
  const dropped = new Map<string, DroppedRow>();
  // An offer with creatives for several placements may be dropped once per placement; use the first reason.
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

/** Number of offers by fate. */
export function countFates(offers: readonly OfferStory[]): Readonly<Record<Fate, number>> {
  const counts = { shown: 0, lost: 0, blocked: 0 };
  for (const { fate } of offers) counts[fate] += 1;
  return counts;
}

/** Offers dropped for the same reason. */
export interface ReasonGroup {
  readonly key: string;
  readonly reason: string;
  /** The blocking rule or policy; null for other reasons. */
  readonly gateId: string | null;
  /** Its name, if known. */
  readonly gateName: string | null;
  readonly stage: string;
  readonly offers: readonly OfferStory[];
}

/** Groups dropped offers by reason, largest group first. Excludes shown offers. */
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
