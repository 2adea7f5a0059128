import { type CheckInput, comparedColumns, requiredSegments } from '@arbiter/lab';
import type { Tx } from '../../../db/index.ts';
import { columnTexts } from '../../catalogue/schemas/index.ts';
import { emptySegments } from '../../catalogue/segments/index.ts';

export type CustomerFacts = Pick<CheckInput, 'emptySegments' | 'knownTexts'>;

/** Returns what a check wants to know of the customers, as far as that is quickly found out. */
export async function readCustomerFacts(
  tx: Tx,
  catalogue: Pick<CheckInput, 'snapshot' | 'plan'>,
): Promise<CustomerFacts> {
  const wanted = comparedColumns(catalogue);
  const texts = await columnTexts(tx, [...wanted.values()].flat());
  const knownTexts = new Map<string, readonly string[]>();
  for (const [name, columns] of wanted) {
    const own = columns.map(({ schemaId, column }) => texts.get(`${schemaId} ${column}`));
    const all = own.flatMap((some) => some ?? []);
    // A column without any text says nothing yet.
    if (own.every((some) => some !== undefined) && all.length > 0) knownTexts.set(name, all);
  }
  return { knownTexts, emptySegments: await emptySegments(tx, requiredSegments(catalogue.snapshot)) };
}
