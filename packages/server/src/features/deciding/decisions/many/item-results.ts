import type { Problem } from '@arbiter/contract';
import { problemOf } from '../../../../http/answers/problem.ts';
import { AppError } from '../../../../platform/app-error.ts';

/** An item of a call and its position. */
export interface PlacedItem<Body> {
  readonly place: number;
  readonly body: Body;
}

/** The result of a rejected item. */
export interface Rejection {
  readonly status: number;
  readonly body: Problem;
}

/** Returns the result of an item whose work threw. Rethrows errors that aren't the item's fault. */
export function rejectionOf(error: unknown, requestId: string): Rejection {
  if (!(error instanceof AppError) || error.code === 'internal') throw error;
  return { status: error.status, body: problemOf(error, requestId) };
}

/** Returns the well-formed items of a call and passes the others to `reject`. */
export function readItems<Body>(
  items: readonly unknown[],
  read: (item: unknown) => Body,
  reject: (place: number, error: unknown) => void,
): readonly PlacedItem<Body>[] {
  const placed: PlacedItem<Body>[] = [];
  for (const [place, item] of items.entries()) {
    try {
      placed.push({ place, body: read(item) });
    } catch (error) {
      reject(place, error);
    }
  }
  return placed;
}

/** Waits for all of them, then throws the error of the first that failed. */
export async function settle(works: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(works)) if (each.status === 'rejected') throw each.reason;
}
