import type { Candidate } from './candidate.ts';
import type { LaneView } from './lanes.ts';
import type { Ordinals } from './ordinals.ts';

/** One assignment of a policy or rule, in the plan's numbers. */
export interface Assignment {
  /** `global`, `offer`, `creative`, `channel`, `category`, `subcategory`, `placement`, `segment`. */
  readonly word: string;
  readonly matches: (candidate: Candidate) => boolean;
  /** Whether a contact belongs to the counted set of this assignment (docs/design/api-catalogue.md 8.1). */
  readonly counts: (lanes: LaneView, lane: number) => boolean;
}

/** Where a rule or policy applies: one matching assignment is enough. */
export interface Scope {
  readonly assignments: readonly Assignment[];
  /** True when a global assignment is among them. */
  readonly all: boolean;
  /** Offers that are in scope with every creative. Null when `all`. */
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
