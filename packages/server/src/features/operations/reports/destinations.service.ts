import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { providersAmong } from '../notifications/index.ts';

/** Throws 404 for a destination that the tenant doesn't have. Those in `known` may have been deleted since. */
export async function requireDestinations(
  tx: Tx,
  ids: readonly string[],
  path: string,
  known: readonly string[] = [],
): Promise<string[]> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const there = await providersAmong(tx, wanted);
  const missing = wanted.find((id) => !there.has(id) && !known.includes(id));
  if (missing === undefined) return wanted;
  const at = ids.findIndex((id) => id.toLowerCase() === missing);
  throw new AppError('not_found', {
    detail: `The destination in ${path}/${at} does not exist in this tenant.`,
    errors: [{ path: `${path}/${at}`, message: 'must be an existing destination' }],
  });
}
