import { isDeepStrictEqual } from './deep-equal.ts';

/** A property that both sides changed, each to something else. */
export interface Conflict {
  readonly property: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged {
  /** Theirs with what only I changed; at conflicts theirs, until somebody chooses. */
  readonly merged: Readonly<Record<string, unknown>>;
  readonly conflicts: readonly Conflict[];
}

type Plain = Readonly<Record<string, unknown>>;

/**
 * Joins two changes of one record, property by property: what only one side changed is taken from it, and what both changed
 * alike is no conflict. `base` is the record that both began with.
 */
export function mergeRecord(base: Plain, mine: Plain, theirs: Plain): Merged {
  const merged: Record<string, unknown> = { ...theirs };
  const conflicts: Conflict[] = [];
  for (const property of Object.keys(mine)) {
    const [before, own, other] = [base[property], mine[property], theirs[property]];
    if (isDeepStrictEqual(own, before) || isDeepStrictEqual(own, other)) continue;
    if (isDeepStrictEqual(other, before)) merged[property] = own;
    else conflicts.push({ property, base: before, mine: own, theirs: other });
  }
  return { merged, conflicts };
}
