/**
 * A place in a tenant's stream: behind a row of the outbox, or behind one of its events (counted from 0). Written `17` and
 * `17-3`; `0` is the beginning.
 */
export interface StreamPlace {
  readonly row: number;
  /** Null: behind all events of the row. */
  readonly event: number | null;
}

export const beginning: StreamPlace = { row: 0, event: null };

export const placeText = ({ row, event }: StreamPlace): string => (event === null ? `${row}` : `${row}-${event}`);

/** Reads a position; null for a text that `placeText` does not write. */
export function readPlace(text: string): StreamPlace | null {
  const found = /^(0|[1-9]\d{0,14})(?:-(0|[1-9]\d{0,8}))?$/.exec(text);
  if (found === null) return null;
  const place = { row: Number(found[1]), event: found[2] === undefined ? null : Number(found[2]) };
  return place.row === 0 && place.event !== null ? null : place;
}
