import type { LaneView } from '../policies/lane-view.ts';
import type { Candidate, Run } from '../run.ts';
import type { ScopeAssignment } from '../snapshot.ts';
import { type Ordinals, UNKNOWN } from './plan.ts';

/** One assignment of a policy or rule in the plan's numbers. */
export interface Assignment {
  /** `global`, `offer`, `creative`, `channel`, `category`, `subcategory`, `placement`, `segment`. */
  readonly word: string;
  readonly matches: (candidate: Candidate) => boolean;
  /** Whether a contact belongs to the counted set of this assignment (api-catalogue.md 8.1). */
  readonly counts: (lanes: LaneView, lane: number) => boolean;
}

/** Where a rule or policy applies: one matching assignment is enough. */
export interface Scope {
  readonly assignments: readonly Assignment[];
  /** True when a global assignment is among them. */
  readonly all: boolean;
  /** Offers that are always in scope, whatever the creative. Null when `all`. */
  readonly offers: readonly number[] | null;
  /** True when it also depends on creative, channel or placement. */
  readonly needsCreative: boolean;
  /** Segments of segment assignments: members have all candidates in scope. */
  readonly segments: readonly string[];
}

/** Offers and creatives of the plan by what scopes name. */
export interface ScopeIndex {
  readonly ordinals: Ordinals;
  readonly offersByCategory: ReadonlyMap<string, readonly number[]>;
  readonly offersBySubCategory: ReadonlyMap<string, readonly number[]>;
}

const never = (): boolean => false;
const always = (): boolean => true;

/** Matches a scope against the plan once. An assignment whose target is not in the plan matches nothing. */
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
      matches: (c) => c.offer.ordinal === wanted,
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
      counts: (lanes, lane) => lanes.creative[lane] === wanted,
    };
  }
  if (scope === 'channel') {
    const wanted = ordinals.channel.get(id) ?? UNKNOWN;
    if (wanted === UNKNOWN) return { word: scope, matches: never, counts: never };
    return {
      word: scope,
      matches: (c) => c.creative !== null && c.creative.channel === wanted,
      counts: (lanes, lane) => lanes.channel[lane] === wanted,
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

/**
 * The candidates of `list` in scope. Scopes on few offers are looked up, not searched, so that thousands of rules on
 * single offers cost no more than their offers.
 */
export function candidatesInScope(run: Run, scope: Scope, list: readonly Candidate[]): readonly Candidate[] {
  if (scope.all || isMember(scope, run.segments)) return list;
  const { offers } = scope;
  if (!scope.needsCreative && offers !== null && offers.length * 4 < list.length)
    return candidatesOf(run, offers, list);
  const found: Candidate[] = [];
  for (let i = 0; i < list.length; i++) if (inScope(scope, list[i]!)) found.push(list[i]!);
  return found;
}

const nobody: readonly Candidate[] = [];

/** The candidates of `list` whose offer is one of these. */
export function candidatesOf(run: Run, offers: readonly number[], list: readonly Candidate[]): readonly Candidate[] {
  if (offers.length === 0) return nobody;
  if (list !== run.list) return list.filter(({ offer }) => offers.includes(offer.ordinal));
  const found: Candidate[] = [];
  for (const offer of offers) {
    // The list stands in offer order: binary search for the first candidate of the offer.
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (list[middle]!.offer.ordinal < offer) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < list.length && list[i]!.offer.ordinal === offer; i++) found.push(list[i]!);
  }
  return found;
}
