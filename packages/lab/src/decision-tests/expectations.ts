import {
  type Decision,
  type DecisionInput,
  type DroppedRow,
  decide,
  type EmptyReason,
  emptyReasons,
  type Plan,
} from '@arbiter/engine';
import type { TestExpectations, TestNote } from './decision-test.ts';
import {
  dropReasons,
  idNamed,
  isEmptyReason,
  notCandidate,
  type ReportProblem,
  type TestNames,
  unknownName,
} from './names.ts';
import { pointerStep } from './problems.ts';

interface NamedOffer {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** Expectations with ids in place of names. */
export interface Expected {
  readonly includes: readonly NamedOffer[];
  readonly excludes: readonly (NamedOffer & { readonly by: ExpectedGate | null })[];
  readonly order: readonly NamedOffer[];
  readonly first: NamedOffer | null;
  readonly count: number | null;
  readonly emptyReason: EmptyReason | null;
  readonly probability: readonly (NamedOffer & { readonly low: number; readonly high: number })[];
}

interface ExpectedGate {
  readonly name: string;
  /** IDs of the rules, policies and nodes with this name. */
  readonly ids: ReadonlySet<string>;
}

export function readExpectations(names: TestNames, expect: TestExpectations, tell: ReportProblem): Expected {
  const offerAt = (name: string, path: string, at = path): NamedOffer[] => {
    const id = idNamed(names.offers, name, 'the offer', at, tell);
    return id === null ? [] : [{ id, name, path }];
  };
  const listed = (list: readonly string[] | undefined, key: string) =>
    (list ?? []).flatMap((name, at) => offerAt(name, `/expect/${key}/${at}`));
  const { emptyReason } = expect;
  if (emptyReason !== undefined && !isEmptyReason(emptyReason)) {
    tell({ path: '/expect/emptyReason', message: unknownName('the reason', emptyReason, emptyReasons) });
  }
  return {
    includes: listed(expect.includes, 'includes'),
    excludes: (expect.excludes ?? []).flatMap(({ offer, by }, at) => {
      const path = `/expect/excludes/${at}`;
      const gate = by === undefined ? null : gateNamed(names, by, `${path}/by`, tell);
      return offerAt(offer, path, `${path}/offer`).map((named) => ({ ...named, by: gate }));
    }),
    order: listed(expect.order, 'order'),
    first: expect.first === undefined ? null : (offerAt(expect.first, '/expect/first')[0] ?? null),
    count: expect.count ?? null,
    emptyReason: emptyReason !== undefined && isEmptyReason(emptyReason) ? emptyReason : null,
    probability: Object.entries(expect.probability ?? {}).flatMap(([name, [low = 0, high = 1]]) =>
      offerAt(name, `/expect/probability/${pointerStep(name)}`).map((offer) => ({ ...offer, low, high })),
    ),
  };
}

function gateNamed({ gates }: TestNames, name: string, path: string, tell: ReportProblem): ExpectedGate {
  const ids = gates.get(name) ?? new Set<string>();
  if (ids.size === 0 && !dropReasons.includes(name)) {
    tell({ path, message: unknownName('the rule, policy, node or reason', name, [...gates.keys(), ...dropReasons]) });
  }
  return { name, ids };
}

/** What dropped an offer: a reason, and the names of the rule, policy and node. */
export interface Drop {
  readonly reason: string;
  readonly ids: readonly string[];
}

/** Tells why an offer isn't in the answer. */
export type DropsOf = (offerId: string) => readonly Drop[];

/** Decides again with a trace, of the one offer that is asked about. */
export function dropsIn(plan: Plan, input: DecisionInput): DropsOf {
  const known = new Map<string, readonly Drop[]>();
  return (offerId) => {
    const found = known.get(offerId) ?? dropsOfOffer(plan, input, offerId);
    known.set(offerId, found);
    return found;
  };
}

function dropsOfOffer(plan: Plan, input: DecisionInput, offerId: string): Drop[] {
  // An offer blocked alone is blocked among others too, and that is found much sooner.
  const rows = tracedDrops(plan, input, offerId, true) ?? tracedDrops(plan, input, offerId, false) ?? [];
  if (rows.length === 0) return [{ reason: notCandidate, ids: [] }];
  return rows.map(({ reason, ruleId, policyId, nodeId }) => ({
    reason,
    ids: [ruleId, policyId, nodeId].filter((id) => id !== null),
  }));
}

/** Null: nothing refuses the offer. */
function tracedDrops(plan: Plan, input: DecisionInput, offerId: string, alone: boolean): DroppedRow[] | null {
  const probe = { offerId, greedy: false, priority: null, score: null, alone, examination: null };
  const { items, trace } = decide(plan, input, { trace: true, probe });
  const rows = (trace?.dropped ?? []).filter((row) => row.offerId === offerId);
  return rows.length === 0 || items.some((item) => item.offerId === offerId) ? null : rows;
}

const quoted = (name: string): string => `“${name}”`;
const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.map(quoted).join(', '));

/** Returns the expectations that a decision doesn't meet. `nameOf`: the name of any record of the plan. */
export function differencesIn(
  expected: Expected,
  { items, emptyReason }: Decision,
  dropsOf: DropsOf,
  nameOf: (id: string) => string,
): TestNote[] {
  const ranks = new Map<string, number>();
  for (const { offerId, rank } of items) if (!ranks.has(offerId)) ranks.set(offerId, rank);
  const why = (offerId: string): string => listDrops(dropsOf(offerId), nameOf);
  const found: TestNote[] = [];
  const tell = (path: string, message: string): void => void found.push({ path, message });
  for (const { id, name, path } of expected.includes) {
    if (!ranks.has(id)) tell(path, `expected ${quoted(name)} in the answer; dropped by ${why(id)}`);
  }
  for (const { id, name, path, by } of expected.excludes) {
    const rank = ranks.get(id);
    if (rank !== undefined) tell(path, `expected ${quoted(name)} not to be in the answer; it has rank ${rank}`);
    else if (by !== null && !dropsOf(id).some((drop) => isBy(by, drop))) {
      tell(path, `expected ${quoted(name)} to be dropped by ${quoted(by.name)}; dropped by ${why(id)}`);
    }
  }
  const answer = (): string => listed(items.map(({ offerId }) => nameOf(offerId)));
  for (const { id, name, path } of expected.order) {
    if (!ranks.has(id)) tell(path, `expected ${quoted(name)} in the answer; dropped by ${why(id)}`);
  }
  const places = expected.order.flatMap((offer) =>
    ranks.has(offer.id) ? [{ ...offer, rank: ranks.get(offer.id)! }] : [],
  );
  for (const [at, { rank, name, path }] of places.entries()) {
    const before = places[at - 1];
    if (before === undefined || before.rank <= rank) continue;
    tell(path, `expected ${quoted(name)} after ${quoted(before.name)}; the answer is ${answer()}`);
  }
  const { first, count, probability } = expected;
  if (first !== null && items[0]?.offerId !== first.id) {
    tell(first.path, `expected ${quoted(first.name)} first; the answer is ${answer()}`);
  }
  if (count !== null && items.length !== count)
    tell('/expect/count', `expected ${count} ${count === 1 ? 'item' : 'items'}, but got ${items.length}`);
  if (expected.emptyReason !== null && emptyReason !== expected.emptyReason) {
    const actual = emptyReason === null ? `the answer is ${answer()}` : `it’s ${emptyReason}`;
    tell('/expect/emptyReason', `expected the empty reason ${expected.emptyReason}; ${actual}`);
  }
  for (const { id, name, path, low, high } of probability) {
    const item = items.find(({ offerId }) => offerId === id);
    const range = `expected ${quoted(name)} with a selection probability from ${low} to ${high}`;
    if (item === undefined) tell(path, `${range}; dropped by ${why(id)}`);
    else if (item.selection.probability < low || item.selection.probability > high) {
      tell(path, `${range}; it’s ${rounded(item.selection.probability)}`);
    }
  }
  return found;
}

const rounded = (value: number): number => Number(value.toPrecision(6));

const isBy = ({ name, ids }: ExpectedGate, drop: Drop): boolean =>
  drop.reason === name || drop.ids.some((id) => ids.has(id));

function listDrops(drops: readonly Drop[], nameOf: (id: string) => string): string {
  const texts = drops.map(({ reason, ids }) => (ids.length === 0 ? reason : `${quoted(nameOf(ids[0]!))} (${reason})`));
  return [...new Set(texts)].join(', ');
}
