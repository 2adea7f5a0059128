import type { Contacts, DecisionInput, Evidence, Plan } from '@arbiter/engine';
import type { SuggestibleColumns } from '../schemas/index.ts';

type Pair = readonly [positives: number, negatives: number];

/** What a decision can ask of the evidence, as data: the pairs that are not 0. */
export interface PackedEvidence {
  readonly number: number;
  readonly global: Pair;
  readonly offers: ReadonlyMap<string, Pair>;
  readonly categories: ReadonlyMap<string, Pair>;
}

/** One question for a search, as plain data that can be handed to a thread. */
export interface SearchJob {
  /** Names the plan: the same for the same content. */
  readonly planKey: string;
  readonly offerId: string;
  readonly greedy: boolean;
  readonly input: Omit<DecisionInput, 'evidence'>;
  readonly evidence: PackedEvidence;
  /** What contacts and outcomes are counted from at other instants; null: it is not known, so waiting is not looked into. */
  readonly history: {
    readonly contacts: Contacts;
    /** `lane`: position in the lanes of the contacts. */
    readonly outcomes: readonly { readonly key: string; readonly lane: number; readonly at: number }[];
  } | null;
  readonly columns: SuggestibleColumns;
  /** Names of attributes for which nothing may be suggested. */
  readonly hidden: readonly string[];
}

/** Copies what a plan can ask of the evidence, which goes on changing. */
export function packEvidence({ ordinals }: Plan, evidence: Evidence): PackedEvidence {
  const pick = (ids: Iterable<string>, pairOf: (id: string) => Pair): Map<string, Pair> => {
    const found = new Map<string, Pair>();
    for (const id of ids) {
      const [positives, negatives] = pairOf(id);
      if (positives !== 0 || negatives !== 0) found.set(id, [positives, negatives]);
    }
    return found;
  };
  return {
    number: evidence.number,
    global: [...evidence.global],
    offers: pick(ordinals.offer.keys(), evidence.offer),
    categories: pick(ordinals.category.keys(), evidence.category),
  };
}
