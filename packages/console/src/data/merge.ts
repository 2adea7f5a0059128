import { isDeepStrictEqual } from './deep-equal.ts';

/** A property that both sides changed to different values. */
export interface Conflict {
  readonly property: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged {
  /** Their version plus changes only I made; conflicts keep theirs until resolved. */
  readonly merged: Readonly<Record<string, unknown>>;
  readonly conflicts: readonly Conflict[];
}

type Plain = Readonly<Record<string, unknown>>;

/**
 * Merges two changes of a record property by property. Changes on one side are taken; identical changes aren't conflicts.
 * `base` is the common starting point.
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
