import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { insertRows, readSchemaTables } from '../../catalogue/schemas/index.ts';
import { appendEvents } from '../../operations/stream/index.ts';
import { noteCaused } from '../customer-events/index.ts';

/**
 * Sets columns of the customer's row in a schema, and publishes the change. Creates a missing row. `depth`: how
 * many triggers and journeys led here. Throws 400 for values that the schema rejects, and 404 if the schema was deleted.
 */
export async function setAttributes(
  tx: Tx,
  schemaId: string,
  customerId: string,
  set: Readonly<Record<string, unknown>>,
  depth: number,
): Promise<void> {
  const schema = (await readSchemaTables(tx)).find((table) => table.schemaId === schemaId);
  if (schema === undefined) throw new AppError('not_found', { detail: 'The schema was deleted.' });
  const row = { ...set, [schema.rowKey]: customerId };
  await insertRows(tx, schemaId, [row], 'update', async (inTx, events) => {
    await appendEvents(inTx, events, []);
    const ids = events.map(({ id }) => id);
    await noteCaused(inTx, ids, depth);
  });
}
