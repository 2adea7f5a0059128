import type { Operation } from '@arbiter/contract/operation';
import type { CallInput } from '@arbiter/sdk/caller';
import type { Found } from '../route/feature.ts';
import { call } from './call.ts';
import { codeOf, failureOf } from './failure.ts';
import type { RowOf } from './use-operation.ts';

/** How many records of one kind the palette shows. */
const mostFound = 5;

/** True for a text that is the id of a record, whole. */
export const isRecordId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);

/**
 * A search of the palette over a list operation that takes `search`. `show` says what of a row is shown and where it leads.
 * `one` brings the record of an id: lists are searched by names, and an id that was pasted is no part of one.
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

/** What a look-up finds. The id of something else is no failure of the search: it finds nothing. */
export async function unlessMissing(look: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  try {
    return await look();
  } catch (error) {
    if (codeOf(failureOf(error)) === 'not_found') return [];
    throw error;
  }
}
