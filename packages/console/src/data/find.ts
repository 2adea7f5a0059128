import type { Operation } from '@arbiter/contract/operation';
import type { CallInput } from '@arbiter/sdk/caller';
import type { Found } from '../route/feature.ts';
import { call } from './call.ts';
import type { RowOf } from './use-operation.ts';

/** How many records of one kind the palette shows. */
const mostFound = 5;

/**
 * A search of the palette over a list operation that takes `search`. `show` says what of a row is shown and where it leads.
 */
export function findBy<const O extends Operation>(
  operation: O,
  input: (text: string, limit: number) => CallInput<O>,
  show: (row: RowOf<O>) => Found,
): (text: string, signal: AbortSignal) => Promise<readonly Found[]> {
  return async (text, signal) => {
    const body: unknown = await call(operation, { ...input(text, mostFound), signal });
    return (body as { readonly data: readonly RowOf<O>[] }).data.slice(0, mostFound).map(show);
  };
}
