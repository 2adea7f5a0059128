import { type CheckInput, comparedColumns, requiredSegments } from '@arbiter/lab';
import type { Tx } from '../../../../db/index.ts';
import { columnTexts } from '../../../catalogue/schemas/index.ts';
import { emptySegments } from '../../../catalogue/segments/index.ts';

type Catalogue = Pick<CheckInput, 'snapshot' | 'plan'>;

/** Returns the texts that customers have where conditions compare texts, as far as they're quickly read. */
export async function readKnownTexts(tx: Tx, catalogue: Catalogue): Promise<ReadonlyMap<string, readonly string[]>> {
  const wanted = comparedColumns(catalogue);
  const texts = await columnTexts(tx, [...wanted.values()].flat());
  const knownTexts = new Map<string, readonly string[]>();
  for (const [name, columns] of wanted) {
    const own = columns.map(({ schemaId, column }) => texts.get(`${schemaId} ${column}`));
    const all = own.flatMap((some) => some ?? []);
    // A column without any text says nothing yet.
    if (own.every((some) => some !== undefined) && all.length > 0) knownTexts.set(name, all);
  }
  return knownTexts;
}

/** Returns the segments without members that someone must be in, as far as that is quickly found out. */
export const readEmptySegments = (tx: Tx, { snapshot }: Catalogue): Promise<ReadonlyMap<string, string>> =>
  emptySegments(tx, requiredSegments(snapshot));
