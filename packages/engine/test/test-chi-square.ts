/** How far counts may deviate from expectation, for tests of random results. */

const square = (value: number): number => value * value;

interface Cell {
  readonly seen: number;
  readonly expected: number;
}

/** Pearson's statistic and its degrees of freedom; cells of which fewer than 20 are expected count as one. */
export function chiSquare(cells: Iterable<Cell>): { readonly statistic: number; readonly freedom: number } {
  let statistic = 0;
  let count = 0;
  const rest = { seen: 0, expected: 0 };
  for (const { seen, expected } of cells) {
    if (expected < 20) {
      rest.seen += seen;
      rest.expected += expected;
      continue;
    }
    statistic += square(seen - expected) / expected;
    count += 1;
  }
  if (rest.expected > 20) {
    statistic += square(rest.seen - rest.expected) / rest.expected;
    count += 1;
  }
  return { statistic, freedom: count - 1 };
}

/** A chi-square exceeds this once in a million (Wilson and Hilferty). */
export function onceInAMillion(freedom: number): number {
  const root = 1 - 2 / (9 * freedom) + 4.75 * Math.sqrt(2 / (9 * freedom));
  return freedom * square(root) * root;
}

/** The same for counts by name against chances by name. */
export const chiSquareOf = (counts: ReadonlyMap<string, number>, chances: ReadonlyMap<string, number>, total: number) =>
  chiSquare([...chances].map(([name, chance]) => ({ seen: counts.get(name) ?? 0, expected: chance * total })));
