import type { Candidate } from '../plan/candidate.ts';
import { UNKNOWN } from '../plan/ordinals.ts';
import type { Run } from '../plan/run.ts';
import type { Assignment, Scope, ScopeIndex } from '../plan/scope.ts';
import type { ScopeAssignment } from '../plan/snapshot.ts';
import { channelsOf, creativesOf } from '../policies/lane-view.ts';

const never = (): boolean => false;
const always = (): boolean => true;

/** Matches a scope against the plan once. An assignment whose target isn't in the plan matches nothing. */
export function compileScope(source: readonly ScopeAssignment[], index: ScopeIndex): Scope {
  const assignments = source.map((assignment) => compileAssignment(assignment, index));
  const all = source.some((assignment) => assignment.scope === 'global');
  const offers = new Set<number>();
  const segments: string[] = [];
  let needsCreative = false;
  for (const { scope, scopeId } of source) {
    if (scopeId === null) continue;
    if (scope === 'offer') {
      const offer = index.ordinals.offer.get(scopeId);
      if (offer !== undefined) offers.add(offer);
    } else if (scope === 'category') {
      for (const offer of index.offersByCategory.get(scopeId) ?? []) offers.add(offer);
    } else if (scope === 'subcategory') {
      for (const offer of index.offersBySubCategory.get(scopeId) ?? []) offers.add(offer);
    } else if (scope === 'segment') {
      segments.push(scopeId);
    } else if (scope === 'creative' || scope === 'channel' || scope === 'placement') {
      needsCreative = true;
    }
  }
  return {
    assignments,
    all,
    offers: all ? null : [...offers].sort((a, b) => a - b),
    needsCreative: needsCreative && !all,
    segments,
  };
}

/** True when no candidate of the plan can ever be in scope. */
export function isVacant(scope: Scope): boolean {
  return !scope.all && !scope.needsCreative && scope.segments.length === 0 && scope.offers?.length === 0;
}

function compileAssignment({ scope, scopeId }: ScopeAssignment, { ordinals }: ScopeIndex): Assignment {
  if (scope === 'global') return { word: scope, matches: always, counts: always };
  const id = scopeId ?? '';
  if (scope === 'offer') {
    const wanted = ordinals.offer.get(id) ?? UNKNOWN;
    if (wanted === UNKNOWN) return { word: scope, matches: never, counts: never };
    return {
      word: scope,
      matches: (c) => c.ordinal === wanted,
      counts: (lanes, lane) => lanes.offer[lane] === wanted,
    };
  }
  if (scope === 'category') {
    const wanted = ordinals.category.get(id) ?? UNKNOWN;
    if (wanted === UNKNOWN) return { word: scope, matches: never, counts: never };
    return {
      word: scope,
      matches: (c) => c.offer.category === wanted,
      counts: (lanes, lane) => lanes.category[lane] === wanted,
    };
  }
  if (scope === 'subcategory') {
    const wanted = ordinals.subCategory.get(id) ?? UNKNOWN;
    if (wanted === UNKNOWN) return { word: scope, matches: never, counts: never };
    return {
      word: scope,
      matches: (c) => c.offer.subCategory === wanted,
      counts: (lanes, lane) => lanes.subCategory[lane] === wanted,
    };
  }
  if (scope === 'creative') {
    const wanted = ordinals.creative.get(id) ?? UNKNOWN;
    if (wanted === UNKNOWN) return { word: scope, matches: never, counts: never };
    return {
      word: scope,
      matches: (c) => c.creative !== null && c.creative.ordinal === wanted,
      counts: (lanes, lane) => creativesOf(lanes)[lane] === wanted,
    };
  }
  if (scope === 'channel') {
    const wanted = ordinals.channel.get(id) ?? UNKNOWN;
    if (wanted === UNKNOWN) return { word: scope, matches: never, counts: never };
    return {
      word: scope,
      matches: (c) => c.creative !== null && c.creative.channel === wanted,
      counts: (lanes, lane) => channelsOf(lanes)[lane] === wanted,
    };
  }
  // Placements and segments exist for rules only, which count nothing.
  if (scope === 'placement') return { word: scope, matches: (c) => c.placementId === id, counts: never };
  return { word: scope, matches: never, counts: never };
}

export function inScope(scope: Scope, candidate: Candidate): boolean {
  if (scope.all) return true;
  const { assignments } = scope;
  for (let i = 0; i < assignments.length; i++) if (assignments[i]!.matches(candidate)) return true;
  return false;
}

/** True when segment assignments put every candidate of this customer in scope. */
export function isMember(scope: Scope, segments: ReadonlySet<string>): boolean {
  for (let i = 0; i < scope.segments.length; i++) if (segments.has(scope.segments[i]!)) return true;
  return false;
}

/** Candidates by position: `items[0]` to before `items[count]`. Valid until the next ones are selected. */
export interface Selection {
  readonly items: readonly Candidate[];
  readonly count: number;
}

/**
 * The candidates of `list` in scope. Scopes on few offers are looked up, not searched, so that thousands of rules on
 * single offers cost no more than their offers.
 */
export function candidatesInScope(run: Run, scope: Scope, list: readonly Candidate[]): Selection {
  const { selection, found } = run.scratch;
  if (scope.all || isMember(scope, run.segments)) {
    selection.items = list;
    selection.count = list.length;
    return selection;
  }
  const { offers } = scope;
  if (!scope.needsCreative && offers !== null && offers.length * 4 < list.length)
    return candidatesOf(run, offers, list);
  let count = 0;
  for (let i = 0; i < list.length; i++) {
    if (!inScope(scope, list[i]!)) continue;
    found[count] = list[i]!;
    count += 1;
  }
  selection.items = found;
  selection.count = count;
  return selection;
}

/** Returns the candidates of `list` with one of these offers, which are in ascending order. */
export function candidatesOf(run: Run, offers: readonly number[], list: readonly Candidate[]): Selection {
  const { selection, found } = run.scratch;
  let count = 0;
  if (list === run.list) {
    let from = 0;
    for (let at = 0; at < offers.length && from < list.length; at++) {
      const offer = offers[at]!;
      from = positionOf(list, offer, from);
      for (; from < list.length && list[from]!.ordinal === offer; from++) {
        found[count] = list[from]!;
        count += 1;
      }
    }
  } else {
    for (let i = 0; i < list.length; i++) {
      if (!offers.includes(list[i]!.ordinal)) continue;
      found[count] = list[i]!;
      count += 1;
    }
  }
  selection.items = found;
  selection.count = count;
  return selection;
}

/**
 * Returns the position of the first candidate from `from` on with offer `offer` or a later one. The list is in offer
 * order.
 */
function positionOf(list: readonly Candidate[], offer: number, from: number): number {
  let low = from;
  let high = list.length;
  if (list[low]!.ordinal >= offer) return low;
  // Its position if no offer in between has left, which is common.
  const guess = low + offer - list[low]!.ordinal;
  if (guess > low && guess < high) {
    const there = list[guess]!.ordinal;
    if (there === offer && list[guess - 1]!.ordinal < offer) return guess;
    if (there < offer) low = guess + 1;
    else high = guess;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.ordinal < offer) low = middle + 1;
    else high = middle;
  }
  return low;
}
