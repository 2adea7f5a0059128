/** Width that a table column needs, at its text size. */
export interface ColumnNeed {
  /** Less breaks words or figures. */
  readonly least: number;
  /** With more, nothing wraps. */
  readonly natural: number;
}

/** Share of the page's width that a table fills at least: figures far from their names are hard to read. */
const filled = 0.62;

/**
 * Returns the widths of the columns, without gaps: their natural widths if there is room, otherwise the minimum widths
 * plus a share of the rest, in proportion to what each still needs. Null if the minimum widths don't fit.
 */
export function widthsOf(needs: readonly ColumnNeed[], room: number, gap: number): number[] | null {
  const within = room - gap * (needs.length - 1);
  const sum = (of: (need: ColumnNeed) => number): number => needs.reduce((total, need) => total + of(need), 0);
  const natural = sum((need) => need.natural);
  if (natural <= within) {
    const spare = Math.max(0, (room * filled - natural - gap * (needs.length - 1)) / needs.length);
    return needs.map((need) => need.natural + spare);
  }
  const least = sum((need) => need.least);
  if (least > within) return null;
  const share = (within - least) / (natural - least);
  return needs.map((need) => need.least + (need.natural - need.least) * share);
}

/**
 * Groups columns so that each group fits next to the first column, which names the rows and repeats in every group.
 * Returns column numbers; a column that is too wide on its own gets its own group.
 */
export function groupsOf(needs: readonly ColumnNeed[], room: number, gap: number): number[][] {
  const [first, ...others] = needs;
  if (first === undefined) return [];
  const groups: number[][] = [];
  let group = [0];
  let wide = first.least;
  others.forEach(({ least }, at) => {
    if (group.length > 1 && wide + gap + least > room) {
      groups.push(group);
      group = [0];
      wide = first.least;
    }
    group.push(at + 1);
    wide += gap + least;
  });
  return [...groups, group];
}
