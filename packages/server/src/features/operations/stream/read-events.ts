import type { Tx } from '../../../db/index.ts';
import { readStream } from './outbox.store.ts';
import type { StreamPlace } from './positions.rules.ts';

/** An event as the stream holds it, with its place. */
export interface PlacedEvent {
  readonly place: StreamPlace & { readonly event: number };
  readonly type: string;
  /** JSON text of the whole event. */
  readonly text: string;
}

export interface ReadEvents {
  readonly events: readonly PlacedEvent[];
  /** Position reached. */
  readonly next: StreamPlace;
  /** False: there may be more behind `next`. */
  readonly isEnd: boolean;
}

/** Rows of one statement; each may hold the events of a whole batch of decisions. */
const rowsPerRead = 50;
/** Maximum rows that one call searches for matching events; callers that want more call again. */
const rowsPerCall = 500;

/** The events behind a place, `limit` at most; `types`: only these, null is all. */
export async function readEvents(
  tx: Tx,
  after: StreamPlace,
  types: ReadonlySet<string> | null,
  limit: number,
): Promise<ReadEvents> {
  const events: PlacedEvent[] = [];
  let next = after;
  for (let seen = 0; seen < rowsPerCall; ) {
    // A row of which a part was read is read again.
    const rows = await readStream(tx, next.event === null ? next.row : next.row - 1, rowsPerRead);
    for (const row of rows) {
      const from = row.position === next.row ? (next.event ?? -1) + 1 : 0;
      for (const [at, text] of row.events.entries()) {
        if (at < from || text === null) continue;
        const type = typeOf(text);
        if (types !== null && !types.has(type)) continue;
        const place = { row: row.position, event: at };
        events.push({ place, type, text });
        if (events.length === limit) return { events, next: place, isEnd: false };
      }
      next = { row: row.position, event: null };
    }
    seen += rows.length;
    if (rows.length < rowsPerRead) return { events, next, isEnd: true };
  }
  return { events, next, isEnd: false };
}

/** Most events start with id and type, whatever their size. */
function typeOf(text: string): string {
  const found = /^\{"id":"[^"\\]*","type":"([^"\\]*)"/.exec(text)?.[1];
  if (found !== undefined) return found;
  const { type }: { readonly type: string } = JSON.parse(text);
  return type;
}
