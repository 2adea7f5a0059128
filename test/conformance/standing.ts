import { isDeepStrictEqual } from 'node:util';
import { compile, type DecisionInput, decide, type Json, type Plan, type Snapshot, semantics } from '@arbiter/engine';
import type { ConformanceCase } from '../../packages/engine/src/conformance-case.ts';
import { expectationsOf } from '../../packages/engine/src/conformance-expectations.ts';

/** Which expectations of a case hold for the server as well, which has its own seed, ids and sums. */
export interface Standing {
  /** Expectations that hold for any seed and customer. */
  readonly keys: readonly string[];
  /** Expectations that hold in no plan of this version, for the evidence that the server can have. */
  readonly old: readonly string[];
  /** Expectations that chance decides. */
  readonly chance: readonly string[];
}

const others = 6;

export function standingOf(read: ConformanceCase): Standing {
  const snapshot: Snapshot = { ...read.snapshot, semantics };
  const plan = compile(snapshot);
  const usual = summed(read, read.input(plan));
  const holds = holding(plan, usual, read.expect);
  const always = new Set(holds);
  for (let number = 1; number <= others; number += 1) {
    const seed = (0x9e3779b9 * number).toString(16).slice(-8).padStart(8, '0').repeat(4);
    const request = {
      ...usual.request,
      customerId: `other ${number}`,
      requestId: `00000000-0000-7000-8000-00000000000${number}`,
    };
    const still = holding(plan, { ...usual, seed, request }, read.expect);
    for (const key of always) if (!still.has(key)) always.delete(key);
  }
  const keys = Object.keys(read.expect);
  return {
    keys: [...always],
    old: keys.filter((key) => !holds.has(key)),
    chance: keys.filter((key) => holds.has(key) && !always.has(key)),
  };
}

function holding(plan: Plan, input: DecisionInput, expect: { readonly [key: string]: Json }): Set<string> {
  const actual = expectationsOf(decide(plan, input), decide(plan, input, { trace: true }));
  const heard = (key: string): unknown => JSON.parse(JSON.stringify(actual[key]?.() ?? null));
  return new Set(Object.keys(expect).filter((key) => isDeepStrictEqual(heard(key), expect[key])));
}

/** One change of the tenant's evidence. */
export interface EvidenceOf {
  /** Null: an offer that the catalogue does not have. */
  readonly offerId: string | null;
  readonly categoryId: string | null;
  readonly pair: readonly [positives: number, negatives: number];
}

/** The evidence of a case as changes: a category is the sum of its offers, the tenant the sum of all, here or gone. */
export function evidenceChanges({ source, snapshot }: ConformanceCase): EvidenceOf[] {
  const { offers = {}, categories = {}, global } = source.evidence ?? {};
  const categoryOf = (id: string) => snapshot.offers.find((offer) => offer.id === id)?.categoryId ?? null;
  const changes: EvidenceOf[] = Object.entries(offers).map(([id, pair]) => ({
    offerId: id,
    categoryId: categoryOf(id),
    pair,
  }));
  const sum = (rows: readonly EvidenceOf[]) =>
    rows.reduce(([p, n], { pair }) => [p + pair[0], n + pair[1]] as const, [0, 0] as readonly [number, number]);
  const missing = (wanted: readonly [number, number], rows: readonly EvidenceOf[]) => {
    const [p, n] = sum(rows);
    return [Math.max(0, wanted[0] - p), Math.max(0, wanted[1] - n)] as const;
  };
  for (const [categoryId, wanted] of Object.entries(categories)) {
    const own = changes.filter((change) => change.categoryId === categoryId);
    changes.push({ offerId: null, categoryId, pair: missing(wanted, own) });
  }
  if (global !== undefined) changes.push({ offerId: null, categoryId: null, pair: missing(global, changes) });
  return changes.filter(({ pair }) => pair[0] > 0 || pair[1] > 0);
}

function summed(read: ConformanceCase, input: DecisionInput): DecisionInput {
  const changes = evidenceChanges(read);
  const sum = (wanted: (change: EvidenceOf) => boolean): [number, number] => {
    const pairs = changes.filter(wanted).map(({ pair }) => pair);
    return [pairs.reduce((all, [p]) => all + p, 0), pairs.reduce((all, [, n]) => all + n, 0)];
  };
  return {
    ...input,
    evidence: {
      number: 1,
      offer: (id) => sum(({ offerId }) => offerId === id),
      category: (id) => sum(({ categoryId }) => categoryId === id),
      global: sum(() => true),
    },
  };
}
