/** What a column of a table asks for, in the size in which it is set. */
export interface ColumnNeed {
  /** Less breaks words or figures. */
  readonly least: number;
  /** With more, nothing of it wraps. */
  readonly natural: number;
}

/** Share of the page's width that a table fills at least: figures far from their names are hard to read. */
const filled = 0.62;

/**
 * Widths of the columns, gaps not counted: all that they ask for where there is room, else what is left behind the least
 * widths, shared by what each column still asks for. Null when not even those fit.
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
 * Columns in groups that each fit beside the first one, which names the rows and stands in every group. Numbers of columns;
 * one that is too wide even alone gets a group of its own.
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
