import type { Evidence } from '@arbiter/engine';

/**
 * Positive and negative outcomes by offer, category, channel and tenant: a numbered state in memory (docs/design/api-decisioning.md
 * 3). State n is the sum of the changes 1..n; a decision records the number that it used.
 */
export interface EvidenceState {
  number: number;
  readonly offers: Map<string, [positives: number, negatives: number]>;
  /** Replaced when an offer gets its pair, because earlier pairs don't include it. */
  pairsOf: object;
  readonly categories: Map<string, [positives: number, negatives: number]>;
  readonly channels: Map<string, [positives: number, negatives: number]>;
  readonly global: [positives: number, negatives: number];
}

/** One numbered change: what a response taught about an offer. */
export interface EvidenceChange {
  readonly number: number;
  readonly offerId: string;
  readonly categoryId: string | null;
  /** Null for a contact without a channel. */
  readonly channelId: string | null;
  readonly positives: number;
  readonly negatives: number;
}

/** State 0. */
export function emptyEvidence(): EvidenceState {
  return {
    number: 0,
    offers: new Map(),
    pairsOf: {},
    categories: new Map(),
    channels: new Map(),
    global: [0, 0],
  };
}

/** Applies the next change. Throws when a number is missing in between: a state must be the sum of all before it. */
export function applyChange(state: EvidenceState, change: EvidenceChange): void {
  if (change.number !== state.number + 1) {
    throw new Error(`evidence change ${change.number} can't follow state ${state.number}`);
  }
  if (!state.offers.has(change.offerId)) state.pairsOf = {};
  raise(state.offers, change.offerId, change);
  if (change.categoryId !== null) raise(state.categories, change.categoryId, change);
  if (change.channelId !== null) raise(state.channels, change.channelId, change);
  state.global[0] += change.positives;
  state.global[1] += change.negatives;
  state.number = change.number;
}

/** What the engine reads: a view of the live state, for one synchronous decision only. */
export function evidenceView(state: EvidenceState): Evidence {
  return {
    get number() {
      return state.number;
    },
    get pairsOf() {
      return state.pairsOf;
    },
    global: state.global,
    offer: (id) => state.offers.get(id) ?? none,
    category: (id) => state.categories.get(id) ?? none,
  };
}

/** JSON form of a snapshot: sorted, so that equal states have equal bytes. */
export function evidenceToJson(state: EvidenceState) {
  const entries = (map: Map<string, [number, number]>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, [p, n]]) => [id, p, n] as const);
  return {
    offers: entries(state.offers),
    categories: entries(state.categories),
    channels: entries(state.channels),
    global: state.global,
  };
}

type EvidenceJson = ReturnType<typeof evidenceToJson>;
/** Snapshots from before channels were counted have none. */
export type EvidenceSnapshot = Omit<EvidenceJson, 'channels'> & Partial<Pick<EvidenceJson, 'channels'>>;

/** The state that a snapshot of that number holds. */
export function evidenceFromJson(number: number, body: EvidenceSnapshot): EvidenceState {
  const map = (rows: EvidenceSnapshot['offers']) =>
    new Map(rows.map(([id, p, n]): [string, [number, number]] => [id, [p, n]]));
  return {
    number,
    offers: map(body.offers),
    pairsOf: {},
    categories: map(body.categories),
    channels: map(body.channels ?? []),
    global: [body.global[0], body.global[1]],
  };
}

const none: readonly [number, number] = [0, 0];

function raise(map: Map<string, [number, number]>, id: string, change: EvidenceChange): void {
  const pair = map.get(id);
  if (pair) {
    pair[0] += change.positives;
    pair[1] += change.negatives;
  } else {
    map.set(id, [change.positives, change.negatives]);
  }
}
