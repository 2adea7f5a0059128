/** How an answer differs from another one of the same decision (docs/design/lead.md 2). */
export type DiffKind =
  | 'same'
  | 'reordered'
  | 'creative_only'
  | 'gained'
  | 'lost'
  | 'replaced'
  | 'newly_empty'
  | 'newly_served';

export const diffKinds: readonly DiffKind[] = [
  'same',
  'reordered',
  'creative_only',
  'gained',
  'lost',
  'replaced',
  'newly_empty',
  'newly_served',
];

export interface DiffItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly mandatory: boolean;
  readonly score: number;
  /** The engine's own propensity, and what a positive outcome is worth. */
  readonly propensity: number;
  readonly impact: number;
}

export interface DiffAnswer {
  /** In order. */
  readonly items: readonly DiffItem[];
  readonly emptyReason: string | null;
  /** Canonical JSON. */
  readonly properties: string;
}

const itemKey = ({ offerId, creativeId, channelId, placementId, mandatory }: DiffItem): string =>
  `${offerId} ${creativeId} ${channelId} ${placementId} ${mandatory}`;

/** Returns how often each offer occurs. */
export function offersOf(items: readonly DiffItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { offerId } of items) counts.set(offerId, (counts.get(offerId) ?? 0) + 1);
  return counts;
}

/** Returns the surplus of the first counts over the second. */
export function surplus(of: ReadonlyMap<string, number>, over: ReadonlyMap<string, number>): [string, number][] {
  const more: [string, number][] = [];
  for (const [name, count] of of) {
    const rest = count - (over.get(name) ?? 0);
    if (rest > 0) more.push([name, rest]);
  }
  return more;
}

/** Returns the kind of a change. Answers that are empty for different reasons are the same to a customer. */
export function kindOf(before: DiffAnswer, after: DiffAnswer): DiffKind {
  if (before.items.length === 0 && after.items.length === 0) {
    return before.properties === after.properties ? 'same' : 'creative_only';
  }
  if (after.items.length === 0) return 'newly_empty';
  if (before.items.length === 0) return 'newly_served';
  const [own, other] = [before.items.map(itemKey), after.items.map(itemKey)];
  if (own.length === other.length && own.every((text, at) => text === other[at])) {
    return before.properties === after.properties ? 'same' : 'creative_only';
  }
  const [offersBefore, offersAfter] = [offersOf(before.items), offersOf(after.items)];
  const isGained = surplus(offersAfter, offersBefore).length > 0;
  const isLost = surplus(offersBefore, offersAfter).length > 0;
  if (isGained && isLost) return 'replaced';
  if (isGained) return 'gained';
  if (isLost) return 'lost';
  const isReordered = before.items.some(({ offerId }, at) => offerId !== after.items[at]?.offerId);
  if (!isReordered) return 'creative_only';
  return own.toSorted().join('\n') === other.toSorted().join('\n') ? 'reordered' : 'replaced';
}

/** Whether the same items have different scores. */
export const scoresDiffer = (before: DiffAnswer, after: DiffAnswer): boolean =>
  before.items.some(({ score }, at) => score !== after.items[at]?.score);
