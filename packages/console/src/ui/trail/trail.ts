/** The rows of a table in order, to step from a record to the previous and next one. Kept in memory. */
interface Trail {
  /** Name of the table: "Offers". */
  readonly label: string;
  /** Addresses of its rows, computed on demand: a table may have thousands. */
  readonly addresses: () => readonly string[];
}

/** Position of a record in the list that it was opened from. */
export interface Steps {
  readonly label: string;
  /** From 1. */
  readonly place: number;
  readonly of: number;
  /** Null at the ends. */
  readonly previous: string | null;
  readonly next: string | null;
}

/** Maximum number of tables. */
const most = 12;
let trails: readonly Trail[] = [];

/** Stores the rows of a table as currently shown. */
export function leaveTrail(label: string, addresses: () => readonly string[]): void {
  trails = [{ label, addresses }, ...trails.filter((trail) => trail.label !== label)].slice(0, most);
}

const pathOf = (address: string): string => address.replace(/[?#].*$/, '');

/** Returns the neighbors of an address in the table that showed it last; null without a table or neighbors. */
export function stepsFrom(address: string): Steps | null {
  const path = pathOf(address);
  for (const { label, addresses } of trails) {
    const all = addresses();
    const at = all.findIndex((each) => pathOf(each) === path);
    // Rows that differ only in the query are parts of one page.
    const isRecord = at >= 0 && all.length > 1 && all.every((each, other) => other === at || pathOf(each) !== path);
    if (isRecord)
      return { label, place: at + 1, of: all.length, previous: all[at - 1] ?? null, next: all[at + 1] ?? null };
  }
  return null;
}
