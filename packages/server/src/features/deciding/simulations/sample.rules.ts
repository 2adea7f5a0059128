import { compareText, u } from '@arbiter/engine';

/** The customers of a sample while members come in: those with the smallest hash (docs/design/api-decisioning.md 13). */
export interface Sample {
  add(customerId: string): void;
  /** Returns the sample, smallest hash first; ties by id. */
  chosen(): readonly string[];
  /** Members so far. */
  seen(): number;
}

/** Members collected beyond the sample before the largest are dropped. */
const room = 4_096;

export function createSample(seed: string, size: number): Sample {
  let held: { readonly id: string; readonly at: number }[] = [];
  let seen = 0;
  const trim = (): void => {
    held = held.sort((a, b) => a.at - b.at || compareText(a.id, b.id)).slice(0, size);
  };
  return {
    add(id) {
      seen += 1;
      held.push({ id, at: u(`${seed}:${id}`) });
      if (held.length >= size + room) trim();
    },
    chosen() {
      trim();
      return held.map(({ id }) => id);
    },
    seen: () => seen,
  };
}
