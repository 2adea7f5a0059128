/**
 * Assigns columns to rows so that the sum of their values is as large as possible: the Hungarian method, row by row
 * along shortest augmenting paths (docs/design/api-decisioning.md 10, group). Among equally near columns the lower one
 * wins, so that equal inputs give equal answers. Time grows with rows squared times columns; no recursion. `values[row
 * * columns + column]` is at least 0, or NaN where the column doesn't fit the row. A row without a column gets -1.
 */
export function assign(rows: number, columns: number, values: Float64Array): Int32Array {
  // After the real columns, each row has its own worthless one: staying empty. Column 0 starts a path.
  const places = columns + rows;
  const rowPrice = new Float64Array(rows + 1);
  const columnPrice = new Float64Array(places + 1);
  /** Row that has the column; 0: none. Rows and columns are numbered from 1. */
  const holder = new Int32Array(places + 1);
  const cameFrom = new Int32Array(places + 1);
  const distance = new Float64Array(places + 1);
  const settled = new Uint8Array(places + 1);
  for (let row = 1; row <= rows; row++) {
    distance.fill(Number.POSITIVE_INFINITY);
    settled.fill(0);
    holder[0] = row;
    let at = 0;
    // Settles the nearest column until one is free.
    while (holder[at] !== 0) {
      settled[at] = 1;
      const from = holder[at]!;
      let nearest = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let column = 1; column <= places; column++) {
        if (settled[column] === 1) continue;
        const cost = costOf(from, column, columns, values);
        if (!Number.isNaN(cost)) {
          const length = cost - rowPrice[from]! - columnPrice[column]!;
          if (length < distance[column]!) {
            distance[column] = length;
            cameFrom[column] = at;
          }
        }
        if (distance[column]! < least) {
          least = distance[column]!;
          nearest = column;
        }
      }
      for (let column = 0; column <= places; column++) {
        if (settled[column] === 1) {
          rowPrice[holder[column]!] = rowPrice[holder[column]!]! + least;
          columnPrice[column] = columnPrice[column]! - least;
        } else {
          distance[column] = distance[column]! - least;
        }
      }
      at = nearest;
    }
    // Along the path each column goes to the row before.
    while (at !== 0) {
      const before = cameFrom[at]!;
      holder[at] = holder[before]!;
      at = before;
    }
  }
  const assigned = new Int32Array(rows).fill(-1);
  for (let column = 1; column <= columns; column++) {
    if (holder[column] !== 0) assigned[holder[column]! - 1] = column - 1;
  }
  return assigned;
}

function costOf(row: number, column: number, columns: number, values: Float64Array): number {
  if (column > columns) return column - columns === row ? 0 : Number.NaN;
  return -values[(row - 1) * columns + column - 1]!;
}
