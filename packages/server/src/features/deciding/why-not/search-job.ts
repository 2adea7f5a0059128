import type { Contacts, DecisionInput, Evidence, ObjectiveCounts, OfferCounts, Plan } from '@arbiter/engine';
import type { SuggestibleColumns } from '../../catalogue/schemas/index.ts';

type Pair = readonly [positives: number, negatives: number];

/** What a decision may need from the evidence, as data: the pairs that aren't 0. */
export interface PackedEvidence {
  readonly number: number;
  readonly global: Pair;
  readonly offers: ReadonlyMap<string, Pair>;
  readonly categories: ReadonlyMap<string, Pair>;
}

/** What ranking objectives count, as data: the plan's offers with any count. */
export interface PackedCounts {
  readonly number: number;
  readonly impressions7: number;
  readonly offers: ReadonlyMap<string, OfferCounts>;
}

/** One question for a search, as plain data that can be sent to a thread. */
export interface SearchJob {
  /** Names the plan: the same for the same content. */
  readonly planKey: string;
  readonly offerId: string;
  readonly greedy: boolean;
  readonly input: Omit<DecisionInput, 'evidence' | 'objectiveCounts'>;
  readonly evidence: PackedEvidence;
  /** Null: the plan asks for none. */
  readonly objectiveCounts: PackedCounts | null;
  /** What contacts and outcomes are counted from at other instants; null if unknown, so waiting isn't examined. */
  readonly history: {
    readonly contacts: Contacts;
    /** `lane`: position in the lanes of the contacts. */
    readonly outcomes: readonly { readonly key: string; readonly lane: number; readonly at: number }[];
  } | null;
  readonly columns: SuggestibleColumns;
  /** Names of attributes for which nothing may be suggested. */
  readonly hidden: readonly string[];
}

/** The parts of an input that answer by functions, which no thread can be handed, as data; and the rest as it is. */
export function packInput(
  plan: Plan,
  { evidence, objectiveCounts, ...plain }: DecisionInput,
): Pick<SearchJob, 'input' | 'evidence' | 'objectiveCounts'> {
  return {
    input: plain,
    evidence: packEvidence(plan, evidence),
    objectiveCounts: objectiveCounts === undefined ? null : packCounts(plan, objectiveCounts),
  };
}

function packCounts({ ordinals }: Plan, counts: ObjectiveCounts): PackedCounts {
  const offers = new Map<string, OfferCounts>();
  for (const id of ordinals.offer.keys()) {
    const { impressions, positives, converts, impressions7 } = counts.offer(id);
    if (impressions + positives + converts + impressions7 === 0) continue;
    offers.set(id, { impressions, positives, converts, impressions7 });
  }
  return { number: counts.number, impressions7: counts.impressions7, offers };
}

/** Copies what a plan may need from the evidence, which keeps changing. */
function packEvidence({ ordinals }: Plan, evidence: Evidence): PackedEvidence {
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
