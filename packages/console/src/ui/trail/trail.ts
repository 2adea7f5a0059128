/**
 * Which rows the tables showed, in their order: from a record they lead to the one before it and the one after. Kept for as long
 * as the page is open.
 */
interface Trail {
  /** Name of the table: "Offers". */
  readonly label: string;
  /** Addresses of its rows, written when somebody asks: a table may have thousands. */
  readonly addresses: () => readonly string[];
}

/** Where a record stands in the list that it was opened from. */
export interface Steps {
  readonly label: string;
  /** From 1. */
  readonly place: number;
  readonly of: number;
  /** Null at the ends. */
  readonly previous: string | null;
  readonly next: string | null;
}

/** Tables that are remembered. */
const most = 12;
let trails: readonly Trail[] = [];

/** Remembers the rows of a table as it shows them now. */
export function leaveTrail(label: string, addresses: () => readonly string[]): void {
  trails = [{ label, addresses }, ...trails.filter((trail) => trail.label !== label)].slice(0, most);
}

const pathOf = (address: string): string => address.replace(/[?#].*$/, '');

/** The steps from an address, in the table that showed it last; null when none did, or it was the only row. */
export function stepsFrom(address: string): Steps | null {
  const path = pathOf(address);
  for (const { label, addresses } of trails) {
    const all = addresses();
    const at = all.findIndex((each) => pathOf(each) === path);
    // Rows that differ behind the question mark alone are parts of one page.
    const isRecord = at >= 0 && all.length > 1 && all.every((each, other) => other === at || pathOf(each) !== path);
    if (isRecord)
      return { label, place: at + 1, of: all.length, previous: all[at - 1] ?? null, next: all[at + 1] ?? null };
  }
  return null;
}
