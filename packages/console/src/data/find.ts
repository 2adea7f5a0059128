import type { Operation } from '@arbiter/contract/core/operation';
import type { CallInput } from '@arbiter/sdk/caller';
import type { Found } from '../route/feature.ts';
import { call } from './call.ts';
import { codeOf, failureOf } from './failure.ts';
import type { RowOf } from './use-operation.ts';

/** Number of records of each type in the palette. */
const mostFound = 5;

/** Whether a text is a complete record ID. */
export const isRecordId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);

/**
 * Creates a palette search from a list operation with `search`. `show` formats a row and links it. `one` gets a record by ID,
 * because lists search only names.
 */
export function findBy<const O extends Operation>(
  operation: O,
  input: (text: string, limit: number) => CallInput<O>,
  show: (row: RowOf<O>) => Found,
  one?: (id: string, signal: AbortSignal) => Promise<RowOf<O>>,
): (text: string, signal: AbortSignal) => Promise<readonly Found[]> {
  return async (text, signal) => {
    if (one !== undefined && isRecordId(text)) return unlessMissing(async () => [show(await one(text, signal))]);
    const body: unknown = await call(operation, { ...input(text, mostFound), signal });
    return (body as { readonly data: readonly RowOf<O>[] }).data.slice(0, mostFound).map(show);
  };
}

/** Returns the result of a lookup by ID. A missing record isn't an error: the result is empty. */
export async function unlessMissing(look: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  try {
    return await look();
  } catch (error) {
    if (codeOf(failureOf(error)) === 'not_found') return [];
    throw error;
  }
}
