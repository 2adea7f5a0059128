import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';

export type SortDirection = 'asc' | 'desc';

/** One column of a sort order. Columns must be not null. `instant`: timestamptz with millisecond precision. */
export interface SortKey {
  readonly column: string;
  readonly kind: 'integer' | 'text' | 'instant';
  readonly direction: SortDirection;
}

/** Sort columns, then the id, which breaks ties. */
export interface ListOrder {
  readonly keys: readonly SortKey[];
  readonly ids: SortDirection;
}

/** Creation order: ids are UUIDv7. */
export const newestFirst: ListOrder = { keys: [], ids: 'desc' };

export interface CursorPosition {
  /** In the order's sequence; instants as ISO text. */
  readonly values: readonly (number | string)[];
  readonly id: string;
}

/** Returns 400 `invalid_cursor`: malformed, foreign and deleted rows look the same (docs/design/quality.md E15). */
export function rejectCursor(cause?: unknown): never {
  throw new AppError('invalid_cursor', {
    detail: "The cursor doesn't belong to this list, or its row was deleted.",
    errors: [{ path: 'query.cursor', message: 'is not a cursor of this list' }],
    cause,
  });
}

/** The cursor after a row: its id in creation order, else an opaque string that carries the sort values. */
export function encodeCursor(order: ListOrder, position: CursorPosition): string {
  if (order.keys.length === 0) return position.id;
  return Buffer.from(JSON.stringify([...position.values, position.id]), 'utf8').toString('base64url');
}

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function fits(kind: SortKey['kind'], value: unknown): value is number | string {
  if (kind === 'integer') return Number.isInteger(value) && Math.abs(Number(value)) <= 2_147_483_647;
  if (typeof value !== 'string') return false;
  if (kind === 'instant') return instantPattern.test(value) && !Number.isNaN(Date.parse(value));
  return value.isWellFormed() && !value.includes('\u0000');
}

/** Reads a cursor of a list with this order; throws `invalid_cursor` for anything the list cannot have given out. */
export function decodeCursor(order: ListOrder, cursor: string): CursorPosition {
  if (order.keys.length === 0) return isUuid(cursor) ? { values: [], id: cursor } : rejectCursor();
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) rejectCursor();
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (cause) {
    return rejectCursor(cause);
  }
  if (!Array.isArray(parsed) || parsed.length !== order.keys.length + 1) return rejectCursor();
  const id: unknown = parsed.at(-1);
  if (typeof id !== 'string' || !isUuid(id)) return rejectCursor();
  const values = order.keys.map((key, index): number | string => {
    const value: unknown = parsed[index];
    return fits(key.kind, value) ? value : rejectCursor();
  });
  return { values, id };
}
