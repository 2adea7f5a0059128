import type { DiffItem, DiffKind } from './answers.ts';
import { diffKinds } from './answers.ts';
import { type BeforeAfter, type Cell, cellsNamed, type DiffTotals, type Sample } from './tally.ts';

/** Cells with fewer customers are blank. */
const fewestCustomers = 10;
const maxMoved = 50;
const maxGates = 200;
/** Maximum share of replayed records with a different result. */
const maxDrift = 0.001;

export interface DiffLimits {
  readonly maxChangedShare?: number | undefined;
  readonly maxNewlyEmptyShare?: number | undefined;
  /** For each offer, as a share of its own items. */
  readonly maxLostShare?: number | undefined;
  readonly maxItemsDrop?: number | undefined;
  readonly mustKeep?: readonly string[] | undefined;
}

export interface LimitResult {
  readonly name: string;
  readonly offerId: string | null;
  /** Null without data. */
  readonly value: number | null;
  readonly bound: number;
  readonly passed: boolean;
}

export type DiffReason = 'selection' | 'engine_drift' | 'no_decisions';

/** Figures of a backtest. Counts of few customers are null. */
export interface DiffFigures {
  /** Why the records can't answer the question; empty when they can. */
  readonly reasons: readonly DiffReason[];
  readonly changed: number;
  readonly changedShare: number;
  readonly byKind: Readonly<Record<DiffKind, number>>;
  readonly gained: readonly OfferFigure[];
  readonly lost: readonly OfferFigure[];
  readonly moved: readonly { readonly from: string; readonly to: string; readonly count: number | null }[];
  readonly newlyEmpty: readonly {
    readonly stage: string | null;
    readonly reason: string;
    readonly count: number | null;
  }[];
  readonly byChannel: readonly PlaceFigure[];
  readonly byPlacement: readonly PlaceFigure[];
  readonly bySegment: readonly SegmentFigure[];
  readonly capsHit: readonly CapFigure[];
  readonly gates: readonly GateFigure[];
  readonly expected: DiffTotals['expected'];
  readonly items: BeforeAfter;
  readonly samples: readonly Sample[];
  readonly limits: readonly LimitResult[];
}

export interface OfferFigure {
  readonly offerId: DiffItem['offerId'];
  readonly count: number | null;
  readonly customers: number | null;
}

export interface PlaceFigure {
  readonly id: string | null;
  readonly itemsBefore: number | null;
  readonly itemsAfter: number | null;
}

export interface SegmentFigure {
  readonly segmentId: string;
  readonly decisions: number | null;
  readonly changed: number | null;
  readonly itemsBefore: number | null;
  readonly itemsAfter: number | null;
}

export interface CapFigure {
  readonly policyId: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly blockedContacts: number | null;
}

export interface GateFigure {
  readonly stage: string;
  readonly reason: string;
  readonly nodeId: string | null;
  readonly ruleId: string | null;
  readonly policyId: string | null;
  readonly droppedBefore: number | null;
  readonly droppedAfter: number | null;
}

/** Returns the figures of merged totals. */
export function figuresOf(totals: DiffTotals, limits: DiffLimits, maxExcludedShare: number): DiffFigures {
  const { decisions, kinds } = totals;
  const changed = decisions - (kinds.same ?? 0);
  return {
    reasons: reasonsOf(totals, maxExcludedShare),
    changed,
    changedShare: shareOf(changed, decisions) ?? 0,
    byKind: Object.fromEntries(diffKinds.map((kind) => [kind, kinds[kind] ?? 0])) as Record<DiffKind, number>,
    gained: offersIn(totals, 'gained'),
    lost: offersIn(totals, 'lost'),
    moved: mostFirst(cellsNamed(totals, 'moved'))
      .slice(0, maxMoved)
      .map(({ words: [from = '', to = ''], cell }) => ({ from, to, count: shownCount(cell, 0) })),
    newlyEmpty: mostFirst(cellsNamed(totals, 'empty')).map(({ words: [stage = '', reason = ''], cell }) => ({
      stage: stage || null,
      reason: reason || stage,
      count: shownCount(cell, 0),
    })),
    byChannel: placesIn(totals, 'channel'),
    byPlacement: placesIn(totals, 'placement'),
    bySegment: cellsNamed(totals, 'segment').map(({ words: [segmentId = ''], cell }) => ({
      segmentId,
      decisions: shownCount(cell, 0),
      changed: shownCount(cell, 1),
      itemsBefore: shownCount(cell, 2),
      itemsAfter: shownCount(cell, 3),
    })),
    ...gatesIn(totals),
    expected: roundedExpectation(totals.expected),
    items: totals.items,
    samples: totals.samples,
    limits: limitsOf(totals, limits, changed),
  };
}

function reasonsOf({ decisions, excluded, drift }: DiffTotals, maxExcludedShare: number): DiffReason[] {
  const without = Object.values(excluded).reduce((sum, count) => sum + count, 0);
  const reasons: DiffReason[] = [];
  if (decisions === 0) reasons.push('no_decisions');
  if (without > (decisions + without) * maxExcludedShare) reasons.push('selection');
  if (drift.mismatches > drift.checked * maxDrift) reasons.push('engine_drift');
  return reasons;
}

const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1e6) / 1e6;

const shownCount = ({ counts, customers }: Cell, at: number): number | null =>
  customers < fewestCustomers ? null : (counts[at] ?? 0);

type NamedCell = ReturnType<typeof cellsNamed>[number];

/** Sorts blank cells last and by name, because their order must not reveal their counts. */
function mostFirst(cells: readonly NamedCell[]): NamedCell[] {
  const weight = ({ cell }: NamedCell): number => shownCount(cell, 0) ?? -1;
  return cells.toSorted((a, b) => weight(b) - weight(a));
}

const offersIn = (totals: DiffTotals, kind: string): OfferFigure[] =>
  mostFirst(cellsNamed(totals, kind)).map(({ words: [offerId = ''], cell }) => ({
    offerId,
    count: shownCount(cell, 0),
    customers: cell.customers < fewestCustomers ? null : cell.customers,
  }));

const placesIn = (totals: DiffTotals, kind: string): PlaceFigure[] =>
  cellsNamed(totals, kind).map(({ words: [id = ''], cell }) => ({
    id: id || null,
    itemsBefore: shownCount(cell, 0),
    itemsAfter: shownCount(cell, 1),
  }));

/** Counts of a gate: candidates dropped before and after, and items of the answer before that are dropped after. */
function gatesIn(totals: DiffTotals): Pick<DiffFigures, 'capsHit' | 'gates'> {
  const moved = cellsNamed(totals, 'gate').filter(({ cell: { counts } }) => counts[0] !== counts[1]);
  const gates = moved.map(({ words: [stage = '', reason = '', nodeId, ruleId, policyId], cell }) => ({
    ...{ stage, reason, nodeId: nodeId || null, ruleId: ruleId || null, policyId: policyId || null },
    droppedBefore: shownCount(cell, 0),
    droppedAfter: shownCount(cell, 1),
  }));
  const caps = new Map<string, { counts: [number, number, number]; customers: number }>();
  for (const { words, cell } of cellsNamed(totals, 'gate')) {
    const policyId = words[4];
    if (!policyId) continue;
    const cap = caps.get(policyId) ?? { counts: [0, 0, 0], customers: 0 };
    for (const at of [0, 1, 2] as const) cap.counts[at] += cell.counts[at] ?? 0;
    // One customer may be counted at two nodes, so this is a lower bound for the number of different customers.
    cap.customers = Math.max(cap.customers, cell.customers);
    caps.set(policyId, cap);
  }
  return {
    gates: gates.slice(0, maxGates),
    capsHit: [...caps]
      .filter(([, { counts }]) => counts[0] !== counts[1])
      .map(([policyId, cap]) => ({
        policyId,
        before: shownCount(cap, 0),
        after: shownCount(cap, 1),
        blockedContacts: shownCount(cap, 2),
      })),
  };
}

const rounded = ({ before, after }: BeforeAfter): BeforeAfter => ({
  before: Math.round(before * 1e6) / 1e6,
  after: Math.round(after * 1e6) / 1e6,
});

const roundedExpectation = ({ positives, value }: DiffTotals['expected']): DiffTotals['expected'] => ({
  positives: rounded(positives),
  value: rounded(value),
});

/** Judges by the real counts, including those that are blank in the result. */
function limitsOf(totals: DiffTotals, limits: DiffLimits, changed: number): LimitResult[] {
  const { decisions, kinds, items } = totals;
  const found: LimitResult[] = [];
  const judge = (
    name: string,
    value: number | null,
    bound: number | undefined,
    offerId: string | null = null,
  ): void => {
    if (bound !== undefined) found.push({ name, offerId, value, bound, passed: value !== null && value <= bound });
  };
  judge('maxChangedShare', shareOf(changed, decisions), limits.maxChangedShare);
  judge('maxNewlyEmptyShare', shareOf(kinds.newly_empty ?? 0, decisions), limits.maxNewlyEmptyShare);
  if (limits.maxLostShare !== undefined) judgeLost(totals, limits.maxLostShare, judge);
  judge('maxItemsDrop', shareOf(Math.max(0, items.before - items.after), items.before), limits.maxItemsDrop);
  const lost = new Map(cellsNamed(totals, 'lost').map(({ words: [offer = ''], cell }) => [offer, cell.counts[0] ?? 0]));
  const had = new Set(cellsNamed(totals, 'before').map(({ words: [offer = ''] }) => offer));
  for (const offer of limits.mustKeep ?? [])
    judge('mustKeep', had.has(offer) ? (lost.get(offer) ?? 0) : null, 0, offer);
  return found;
}

/** Reports the offer that loses the largest share of its items. */
function judgeLost(
  totals: DiffTotals,
  bound: number,
  judge: (name: string, value: number | null, bound: number, offerId: string | null) => void,
): void {
  const before = new Map(
    cellsNamed(totals, 'before').map(({ words: [offer = ''], cell }) => [offer, cell.counts[0] ?? 0]),
  );
  let worst: { readonly offer: string | null; readonly share: number | null } = {
    offer: null,
    share: before.size === 0 ? null : 0,
  };
  for (const {
    words: [offer = ''],
    cell,
  } of cellsNamed(totals, 'lost')) {
    const share = shareOf(cell.counts[0] ?? 0, before.get(offer) ?? 0);
    if (share !== null && share > (worst.share ?? 0)) worst = { offer, share };
  }
  judge('maxLostShare', worst.share, bound, worst.offer);
}
