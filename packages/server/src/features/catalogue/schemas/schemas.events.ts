import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { event, newEvent, type StreamEvent } from '../../../jobs/index.ts';

const exactly = { additionalProperties: false } as const;

/** A row of a customer schema is new or changed (docs/design/api-settled.md 19, 40). Values aren't published. */
export const customerChanged = event({
  type: 'customer.changed.v1',
  payload: Type.Object(
    {
      event: Type.Union([Type.Literal('customer.created'), Type.Literal('customer.updated')], {
        description: 'What happened to the row.',
      }),
      schemaId: Type.String({ format: 'uuid', description: 'ID of the schema.' }),
      schemaName: Type.String({ minLength: 1, description: 'Name of the schema.' }),
      customerId: Type.String({ format: 'customer-id', description: 'ID of the customer: the row key.' }),
      changed: Type.Array(Type.String(), {
        description: 'Columns whose value changed. For a new row: columns that have a value.',
      }),
    },
    exactly,
  ),
});

/** Port for dependents: adds events to the tenant's stream, in this transaction. */
export type AppendEvents = (tx: Tx, events: readonly StreamEvent[]) => Promise<void>;

/** A row as it was written. */
export interface WrittenRow {
  readonly isNew: boolean;
  /** Its row key in out form; null: it has none. */
  readonly key: string | null;
  readonly changed: readonly string[];
}

/** The events of written rows: a row without a key, or without a change, has none. */
export function customerEvents(
  tx: Tx,
  schema: { readonly id: string; readonly name: string },
  rows: readonly WrittenRow[],
): StreamEvent[] {
  return rows.flatMap(({ isNew, key, changed }) => {
    if (key === null || (!isNew && changed.length === 0)) return [];
    return newEvent(tx, customerChanged, {
      event: isNew ? 'customer.created' : 'customer.updated',
      schemaId: schema.id,
      schemaName: schema.name,
      customerId: key,
      changed: [...changed],
    });
  });
}
