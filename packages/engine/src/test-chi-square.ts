/** How far counts may lie from what was expected of them, for tests of what is left to chance. */

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
    statistic += (seen - expected) ** 2 / expected;
    count += 1;
  }
  if (rest.expected > 20) {
    statistic += (rest.seen - rest.expected) ** 2 / rest.expected;
    count += 1;
  }
  return { statistic, freedom: count - 1 };
}

/** Above it a chi-square lies once in a million (Wilson and Hilferty). */
export const onceInAMillion = (freedom: number): number =>
  freedom * (1 - 2 / (9 * freedom) + 4.75 * Math.sqrt(2 / (9 * freedom))) ** 3;

/** The same for counts by name against chances by name. */
export const chiSquareOf = (counts: ReadonlyMap<string, number>, chances: ReadonlyMap<string, number>, total: number) =>
  chiSquare([...chances].map(([name, chance]) => ({ seen: counts.get(name) ?? 0, expected: chance * total })));
