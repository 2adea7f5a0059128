import {
  canonicalJson,
  compile,
  type DecisionInput,
  decide,
  type Json,
  type OfferCounts,
  type Plan,
  resultOf,
  type Snapshot,
} from '../../src/index.ts';

/**
 * A frozen corpus: lines of JSON, a plan's snapshot followed by decisions made with it. Each has everything the
 * decision read, so that only the engine determines whether the same result comes out.
 */
export type CorpusLine = { readonly plan: Snapshot } | CorpusRecord;

export interface CorpusRecord {
  /** Input of `decide`; the evidence as tables, instants of minus infinity as null. */
  readonly input: StoredInput;
  /** Canonical JSON of `resultOf`. */
  readonly result: Json;
}

type Pair = readonly [positives: number, negatives: number];

export interface StoredEvidence {
  readonly number: number;
  readonly offers: Readonly<Record<string, Pair>>;
  readonly categories: Readonly<Record<string, Pair>>;
  readonly global: Pair;
}

export interface StoredCounts {
  readonly number: number;
  readonly impressions7: number;
  readonly offers: Readonly<Record<string, OfferCounts>>;
}

type StoredContacts = Omit<DecisionInput['contacts'], 'lastAt'> & { readonly lastAt: readonly (number | null)[] };

export type StoredInput = Omit<DecisionInput, 'evidence' | 'contacts' | 'objectiveCounts'> & {
  readonly evidence: StoredEvidence;
  readonly objectiveCounts?: StoredCounts;
  readonly contacts: StoredContacts;
};

export const packContacts = (contacts: DecisionInput['contacts']): StoredContacts => ({
  ...contacts,
  lastAt: contacts.lastAt.map((at) => (Number.isFinite(at) ? at : null)),
});

export function unpackInput({ evidence, contacts, objectiveCounts, ...input }: StoredInput): DecisionInput {
  const { number, offers, categories, global } = evidence;
  const none: Pair = [0, 0];
  return {
    ...input,
    contacts: { ...contacts, lastAt: contacts.lastAt.map((at) => at ?? Number.NEGATIVE_INFINITY) },
    evidence: {
      number,
      global,
      offer: (id) => offers[id] ?? none,
      category: (id) => categories[id] ?? none,
    },
    ...(objectiveCounts === undefined
      ? {}
      : { objectiveCounts: { ...objectiveCounts, offer: (id) => objectiveCounts.offers[id] ?? noCounts } }),
  };
}

const noCounts: OfferCounts = { impressions: 0, positives: 0, converts: 0, impressions7: 0 };

/** The result of a decision as a corpus keeps it. */
export const resultText = (plan: Plan, input: StoredInput): string =>
  canonicalJson(resultOf(decide(plan, unpackInput(input))));

/** Calls `each` for every decision of a corpus, with its plan compiled. */
export function readCorpus(
  text: string,
  each: (plan: Plan, record: CorpusRecord, line: number, snapshot: Snapshot) => void,
): void {
  let plan: Plan | null = null;
  let snapshot: Snapshot | null = null;
  for (const [at, line] of text.trimEnd().split('\n').entries()) {
    const read = JSON.parse(line) as CorpusLine;
    if ('plan' in read) {
      snapshot = read.plan;
      plan = compile(snapshot);
      continue;
    }
    if (plan === null || snapshot === null) throw new Error('a corpus must start with a plan');
    each(plan, read, at + 1, snapshot);
  }
}
