import { stream } from '../../src/index.ts';

/** Seeded choices, so that a corpus can be recreated. */
export interface Chance {
  flip(chance: number): boolean;
  int(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  /** Some of the values, in order. */
  some<T>(values: readonly T[], chance: number): T[];
}

export function chanceOf(seed: string, label: string): Chance {
  const next = stream(seed, label);
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    flip: (chance) => next() < chance,
    int,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new RangeError('pick needs at least one value');
      return values[int(0, values.length - 1)] as T;
    },
    some: (values, chance) => values.filter(() => next() < chance),
  };
}
