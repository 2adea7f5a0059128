import type { Tx } from '../../db/tx.ts';
import { readRowsByKey } from './rows-by-key.store.ts';
import { readSchemaTables } from './schema-tables.store.ts';

/**
 * The attributes that every decision can read of a customer: of customer-type schemas without a parent that enrich by
 * themselves, of two columns of one name that of the older schema (docs/design/api-catalogue.md 2.3). Empty for an unknown one.
 */
export async function readCustomerProfile(tx: Tx, customerId: string): Promise<Readonly<Record<string, unknown>>> {
  const profile = new Map<string, unknown>();
  for (const table of await readSchemaTables(tx)) {
    if (!table.autoEnrich || table.schemaType !== 'customer' || table.linked) continue;
    const columns = table.columns.map(({ name }) => name);
    const row = (await readRowsByKey(tx, table, columns, [customerId])).get(customerId);
    for (const [name, value] of Object.entries(row ?? {})) if (!profile.has(name)) profile.set(name, value);
  }
  return Object.fromEntries(profile);
}
