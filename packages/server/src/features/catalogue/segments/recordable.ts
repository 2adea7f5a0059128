import type { Tx } from '../../../db/tx.ts';
import { selectActiveSegments } from './segments.store.ts';

/** IDs and names of the segments that records can keep the membership of: the active ones. */
export async function recordableSegments(tx: Tx): Promise<ReadonlySet<string>> {
  return new Set((await selectActiveSegments(tx)).flatMap(({ id, name }) => [id, name]));
}
