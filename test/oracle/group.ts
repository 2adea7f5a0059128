import type { Candidate } from './candidate.ts';

/** A candidate in the ranked list, with the chance that it had of its place there. */
export interface Ranked {
  readonly candidate: Candidate;
  readonly probability: number | null;
  readonly isEstimated: boolean;
}

/** One slot of a requested placement. */
export interface Place {
  readonly slot: number;
  readonly placementId: string;
}

/**
 * Assigns candidates to slots (docs/design/api-decisioning.md 10, Group; docs/adr/0034), before limits. Columns: what
 * can be used once, in rank order, with the candidates that may use it. `worthOf`: value of a candidate at its
 * placement.
 */
export function allocate(
  places: readonly Place[],
  columns: readonly (readonly Candidate[])[],
  worthOf: (candidate: Candidate, place: Place) => number,
  before: (a: Candidate, b: Candidate) => number,
): { readonly items: readonly (Candidate | null)[]; readonly isTied: boolean } {
  const fitting = (place: Place, column: number): Candidate | null =>
    columns[column]!.find(({ slot }) => slot === place.slot) ?? null;
  const worth = places.map((place) =>
    columns.map((_, column) => {
      const candidate = fitting(place, column);
      return candidate === null ? null : worthOf(candidate, place);
    }),
  );
  const chosen = assign(worth);
  const items = chosen.map((column, row) => (column === null ? null : fitting(places[row]!, column)));
  // Within a placement by rank.
  for (const slot of new Set(places.map((place) => place.slot))) {
    const rows = places.flatMap((place, row) => (place.slot === slot ? [row] : []));
    const own = rows.map((row) => items[row]!).filter((item) => item !== null);
    own.sort(before);
    rows.forEach((row, place) => {
      items[row] = own[place] ?? null;
    });
  }
  return { items, isTied: isTied(worth, chosen) };
}

/** Whether other assignments are worth as much: then the last bits of sums may decide. Tried by moving each number a little. */
function isTied(worth: readonly (readonly (number | null)[])[], chosen: readonly (number | null)[]): boolean {
  return [1, 2, 3, 4].some((turn) => {
    const moved = worth.map((row, at) =>
      row.map((value, column) => (value === null ? null : value + 1e-9 * ((turn * (7 * at + 13 * column + 5)) % 17))),
    );
    return JSON.stringify(assign(moved)) !== JSON.stringify(chosen);
  });
}

/** Hungarian method by shortest augmenting paths, rows in order, the lower column on ties; null: the row stays empty. */
function assign(worth: readonly (readonly (number | null)[])[]): (number | null)[] {
  const wanted = worth[0]?.length ?? 0;
  const columns = wanted + worth.length;
  // Each row has a column of its own without value.
  const cost = (row: number, column: number): number =>
    column >= wanted ? (column - wanted === row ? 0 : Number.POSITIVE_INFINITY) : -(worth[row]![column] ?? -Infinity);
  const rowPotential = worth.map(() => 0);
  const columnPotential = Array.from({ length: columns }, () => 0);
  const owner: number[] = Array.from({ length: columns }, () => -1);
  for (let row = 0; row < worth.length; row++) {
    const distance = Array.from({ length: columns }, () => Number.POSITIVE_INFINITY);
    const from = Array.from({ length: columns }, () => -1);
    const isDone = Array.from({ length: columns }, () => false);
    let current = row;
    let last = -1;
    let reached = 0;
    for (;;) {
      let best = -1;
      for (let column = 0; column < columns; column++) {
        if (isDone[column]) continue;
        const length = reached + cost(current, column) - rowPotential[current]! - columnPotential[column]!;
        if (length < distance[column]!) {
          distance[column] = length;
          from[column] = last;
        }
        if (best < 0 || distance[column]! < distance[best]!) best = column;
      }
      reached = distance[best]!;
      isDone[best] = true;
      last = best;
      if (owner[best]! < 0) break;
      current = owner[best]!;
    }
    rowPotential[row]! += reached;
    for (let column = 0; column < columns; column++) {
      if (!isDone[column] || column === last) continue;
      columnPotential[column]! -= reached - distance[column]!;
      rowPotential[owner[column]!]! += reached - distance[column]!;
    }
    for (let column = last; column >= 0; column = from[column]!) {
      const before = from[column]!;
      owner[column] = before < 0 ? row : owner[before]!;
    }
  }
  const chosen: (number | null)[] = worth.map(() => null);
  owner.forEach((row, column) => {
    if (row >= 0 && column < wanted) chosen[row] = column;
  });
  return chosen;
}
