import { pairwiseSum } from '../pairwise-sum.ts';
import {
  type DiffAnswer,
  type DiffItem,
  type DiffKind,
  diffKinds,
  kindOf,
  offersOf,
  scoresDiffer,
  surplus,
} from './answers.ts';

/** Counts of one thing, and of the customers they come from. */
export interface Cell {
  /** Their meaning depends on the kind of cell. */
  readonly counts: readonly number[];
  readonly customers: number;
}

/** A changed decision. */
export interface Sample {
  readonly kind: DiffKind;
  readonly decisionId: string;
  readonly before: readonly SampleItem[];
  readonly after: readonly SampleItem[];
}

export type SampleItem = Pick<DiffItem, 'offerId' | 'creativeId' | 'channelId' | 'placementId'>;

/** Counts of a backtest, as plain data: the same text for the same decisions in the same order. */
export interface DiffTotals {
  readonly decisions: number;
  readonly customers: number;
  readonly kinds: Readonly<Partial<Record<DiffKind, number>>>;
  readonly otherReason: number;
  readonly otherScores: number;
  readonly excluded: Readonly<Record<string, number>>;
  /** Names of values that records lack. */
  readonly lacking: readonly string[];
  readonly drift: { readonly checked: number; readonly mismatches: number };
  /** By kind and subject, such as `gained <offer>`. */
  readonly cells: Readonly<Record<string, Cell>>;
  /** Sums of propensity, and of propensity times impact. */
  readonly expected: { readonly positives: BeforeAfter; readonly value: BeforeAfter };
  readonly items: BeforeAfter;
  readonly samples: readonly Sample[];
  /** Times in the engine: decisions by bucket of `bucketOf`. */
  readonly times: Readonly<Record<string, number>>;
}

export interface BeforeAfter {
  readonly before: number;
  readonly after: number;
}

/** A decision that a study repeated. */
export interface JudgedDecision {
  readonly decisionId: string;
  /** A customer's decisions come one after the other. */
  readonly customer: string;
  /** IDs of segments. */
  readonly segments: readonly string[];
  readonly before: DiffAnswer;
  readonly after: DiffAnswer;
  /** Why the answer after is empty: the drop reason of most candidates. */
  readonly reason: string | null;
}

/** Separates the words of a cell's name. */
const gap = '\u0000';

/** Samples of each kind. */
const samplesPerKind = 10;
const maxMissing = 50;

interface OpenCell {
  readonly counts: number[];
  customers: number;
  last: string | null;
}

/** Counts decisions. All decisions of a customer go into the same tally. */
export interface DiffTally {
  add(judged: JudgedDecision): DiffKind;
  /** Counts a record that can't be judged. `lacking`: values that it doesn't have. */
  exclude(reason: string, lacking?: readonly string[]): void;
  /** Counts a record that its own plan replayed. */
  repeated(isSame: boolean): void;
  /** Counts candidates that a gate of a changed decision drops before and after. `words` name the gate. */
  gate(customer: string, words: readonly string[], counts: readonly number[]): void;
  timed(bucket: number): void;
  totals(): DiffTotals;
}

/** Creates a tally. Decisions with the lowest `sampleOrder` become samples. */
export function newDiffTally(sampleOrder: (decisionId: string) => number): DiffTally {
  const cells = newCells();
  const kinds = new Map<DiffKind, number>();
  const excluded = new Map<string, number>();
  const lacking = new Set<string>();
  const times = new Map<string, number>();
  const samples = newSamples(sampleOrder);
  const sums = { positivesBefore: [], positivesAfter: [], valueBefore: [], valueAfter: [] } as Record<
    SumName,
    number[]
  >;
  const drift = { checked: 0, mismatches: 0 };
  const items = { before: 0, after: 0 };
  const counted = { decisions: 0, customers: 0, otherReason: 0, otherScores: 0 };
  let last: string | null = null;
  return {
    add(judged) {
      const { before, after, customer } = judged;
      const kind = kindOf(before, after);
      counted.decisions += 1;
      if (customer !== last) counted.customers += 1;
      last = customer;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (kind === 'same') {
        if (before.emptyReason !== after.emptyReason) counted.otherReason += 1;
        if (scoresDiffer(before, after)) counted.otherScores += 1;
      } else samples.offer({ kind, decisionId: judged.decisionId, ...sampleItems(judged) });
      items.before += before.items.length;
      items.after += after.items.length;
      addSums(sums, before, after);
      for (const [words, counts] of cellsOf(judged, kind)) cells.put(customer, words, counts);
      return kind;
    },
    exclude(reason, names = []) {
      excluded.set(reason, (excluded.get(reason) ?? 0) + 1);
      for (const name of names) lacking.add(name);
    },
    repeated(isSame) {
      drift.checked += 1;
      if (!isSame) drift.mismatches += 1;
    },
    gate: (customer, words, counts) => cells.put(customer, ['gate', ...words], counts),
    timed: (bucket) => void times.set(String(bucket), (times.get(String(bucket)) ?? 0) + 1),
    totals: () => ({
      ...counted,
      kinds: sorted(kinds),
      excluded: sorted(excluded),
      lacking: [...lacking].sort().slice(0, maxMissing),
      drift: { ...drift },
      cells: cells.totals(),
      expected: {
        positives: { before: pairwiseSum(sums.positivesBefore), after: pairwiseSum(sums.positivesAfter) },
        value: { before: pairwiseSum(sums.valueBefore), after: pairwiseSum(sums.valueAfter) },
      },
      items: { ...items },
      samples: samples.chosen(),
      times: sorted(times),
    }),
  };
}

/** Counts by name. A customer counts once per cell, provided that all of their decisions come together. */
function newCells() {
  const cells = new Map<string, OpenCell>();
  return {
    put(customer: string, words: readonly string[], counts: readonly number[]): void {
      const name = words.join(gap);
      const cell = cells.get(name) ?? { counts: counts.map(() => 0), customers: 0, last: null };
      cells.set(name, cell);
      counts.forEach((count, at) => {
        cell.counts[at]! += count;
      });
      if (cell.last !== customer) cell.customers += 1;
      cell.last = customer;
    },
    totals: (): Record<string, Cell> =>
      sorted(new Map([...cells].map(([name, { counts, customers }]) => [name, { counts, customers }]))),
  };
}

type SumName = 'positivesBefore' | 'positivesAfter' | 'valueBefore' | 'valueAfter';

function addSums(sums: Record<SumName, number[]>, before: DiffAnswer, after: DiffAnswer): void {
  for (const { propensity, impact } of before.items) {
    sums.positivesBefore.push(propensity);
    sums.valueBefore.push(propensity * impact);
  }
  for (const { propensity, impact } of after.items) {
    sums.positivesAfter.push(propensity);
    sums.valueAfter.push(propensity * impact);
  }
}

const sampleItem = ({ offerId, creativeId, channelId, placementId }: DiffItem): SampleItem => ({
  offerId,
  creativeId,
  channelId,
  placementId,
});

export const sampleItems = ({ before, after }: Pick<JudgedDecision, 'before' | 'after'>) => ({
  before: before.items.map(sampleItem),
  after: after.items.map(sampleItem),
});

/** Returns what a decision adds to which cells. */
function cellsOf({ before, after, segments, reason }: JudgedDecision, kind: DiffKind): [string[], number[]][] {
  const found: [string[], number[]][] = [];
  const isChanged = kind === 'same' ? 0 : 1;
  for (const segment of segments) {
    found.push([
      ['segment', segment],
      [1, isChanged, before.items.length, after.items.length],
    ]);
  }
  for (const [place, of] of [
    ['channel', ({ channelId }: DiffItem) => channelId],
    ['placement', ({ placementId }: DiffItem) => placementId],
  ] as const) {
    const counts = new Map<string, [number, number]>();
    const count = (item: DiffItem, side: 0 | 1): void => {
      const name = of(item) ?? '';
      const both = counts.get(name) ?? [0, 0];
      both[side] += 1;
      counts.set(name, both);
    };
    for (const item of before.items) count(item, 0);
    for (const item of after.items) count(item, 1);
    for (const [name, both] of counts) found.push([[place, name], both]);
  }
  const [own, other] = [offersOf(before.items), offersOf(after.items)];
  for (const [offer, count] of own) found.push([['before', offer], [count]]);
  if (isChanged === 0) return found;
  for (const [offer, count] of surplus(other, own)) found.push([['gained', offer], [count]]);
  for (const [offer, count] of surplus(own, other)) found.push([['lost', offer], [count]]);
  before.items.forEach(({ offerId }, at) => {
    const to = after.items[at]?.offerId ?? offerId;
    if (to !== offerId) found.push([['moved', offerId, to], [1]]);
  });
  if (kind === 'newly_empty') found.push([['empty', after.emptyReason ?? '', reason ?? ''], [1]]);
  return found;
}

/** The samples of each kind with the lowest numbers. */
function newSamples(orderOf: (decisionId: string) => number) {
  const byKind = new Map<DiffKind, { readonly sample: Sample; readonly order: number }[]>();
  const before = (a: { order: number; sample: Sample }, b: { order: number; sample: Sample }): number =>
    a.order - b.order || (a.sample.decisionId < b.sample.decisionId ? -1 : 1);
  return {
    offer(sample: Sample): void {
      const order = orderOf(sample.decisionId);
      const some = byKind.get(sample.kind) ?? [];
      byKind.set(sample.kind, [...some, { sample, order }].sort(before).slice(0, samplesPerKind));
    },
    chosen: (): Sample[] => diffKinds.flatMap((kind) => (byKind.get(kind) ?? []).map(({ sample }) => sample)),
  };
}

function sorted<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds totals of different customers, in order. */
export function mergeTotals(parts: readonly DiffTotals[], sampleOrder: (decisionId: string) => number): DiffTotals {
  const sum = (of: (part: DiffTotals) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const pairwise = (of: (part: DiffTotals) => number): number => pairwiseSum(parts.map(of));
  const samples = newSamples(sampleOrder);
  for (const part of parts) for (const sample of part.samples) samples.offer(sample);
  return {
    decisions: sum((part) => part.decisions),
    customers: sum((part) => part.customers),
    kinds: added(parts.map((part) => part.kinds)),
    otherReason: sum((part) => part.otherReason),
    otherScores: sum((part) => part.otherScores),
    excluded: added(parts.map((part) => part.excluded)),
    lacking: [...new Set(parts.flatMap((part) => part.lacking))].sort().slice(0, maxMissing),
    drift: { checked: sum((part) => part.drift.checked), mismatches: sum((part) => part.drift.mismatches) },
    cells: mergedCells(parts.map((part) => part.cells)),
    expected: {
      positives: {
        before: pairwise((part) => part.expected.positives.before),
        after: pairwise((part) => part.expected.positives.after),
      },
      value: {
        before: pairwise((part) => part.expected.value.before),
        after: pairwise((part) => part.expected.value.after),
      },
    },
    items: { before: sum((part) => part.items.before), after: sum((part) => part.items.after) },
    samples: samples.chosen(),
    times: added(parts.map((part) => part.times)),
  };
}

function added(parts: readonly Readonly<Partial<Record<string, number>>>[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const part of parts) {
    for (const [name, count] of Object.entries(part)) total.set(name, (total.get(name) ?? 0) + (count ?? 0));
  }
  return sorted(total);
}

function mergedCells(parts: readonly DiffTotals['cells'][]): Record<string, Cell> {
  const total = new Map<string, { counts: number[]; customers: number }>();
  for (const part of parts) {
    for (const [name, { counts, customers }] of Object.entries(part)) {
      const cell = total.get(name) ?? { counts: counts.map(() => 0), customers: 0 };
      counts.forEach((count, at) => {
        cell.counts[at]! += count;
      });
      cell.customers += customers;
      total.set(name, cell);
    }
  }
  return sorted(total);
}

/** Returns the cells of one kind with the rest of their keys. */
export function cellsNamed({ cells }: Pick<DiffTotals, 'cells'>, kind: string): { words: string[]; cell: Cell }[] {
  return Object.entries(cells).flatMap(([name, cell]) => {
    const [first, ...words] = name.split(gap);
    return first === kind ? [{ words, cell }] : [];
  });
}
