import { compareText, u } from '@arbiter/engine';

/** The customers of a sample while members come in: those with the smallest hash (docs/design/api-decisioning.md 13). */
export interface CustomerSample {
  add(customerId: string): void;
  /** Returns the sample, smallest hash first; ties by id. */
  chosen(): readonly string[];
  /** Members so far. */
  seen(): number;
}

/** Members collected beyond the sample before the largest are dropped. */
const room = 4_096;

export function createSample(seed: string, size: number): CustomerSample {
  let reservoir: { readonly id: string; readonly at: number }[] = [];
  let seen = 0;
  const trim = (): void => {
    reservoir = reservoir.sort((a, b) => a.at - b.at || compareText(a.id, b.id)).slice(0, size);
  };
  return {
    add(id) {
      seen += 1;
      reservoir.push({ id, at: u(`${seed}:${id}`) });
      if (reservoir.length >= size + room) trim();
    },
    chosen() {
      trim();
      return reservoir.map(({ id }) => id);
    },
    seen: () => seen,
  };
}
