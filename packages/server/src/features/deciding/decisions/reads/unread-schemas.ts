import type { Warning } from '@arbiter/contract';
import type { HotTransaction } from '../../../../db/index.ts';
import { warningsOf } from '../../../../http/answers/remarks.ts';
import { hasRowsStatement, type SchemaTable, unreadRemark } from '../../../catalogue/schemas/index.ts';
import type { LiveFlow, TenantCatalogue } from '../../plans/index.ts';

/** Schemas of customers that the flow's decisions don't read. */
function unreadBy({ plan, joined }: LiveFlow, tables: Iterable<SchemaTable>): SchemaTable[] {
  const read = new Set([...plan.autoSources, ...plan.enrichSources].map(({ schemaId }) => schemaId));
  for (const { schemaId } of joined) read.add(schemaId);
  return [...tables].filter(({ schemaType, schemaId }) => schemaType === 'customer' && !read.has(schemaId));
}

/**
 * Warns about customer schemas with rows that the flow doesn't read, which explains why an imported customer is
 * unknown.
 */
export async function readUnread(tx: HotTransaction, flow: LiveFlow, catalogue: TenantCatalogue): Promise<Warning[]> {
  const tables = unreadBy(flow, catalogue.schemaTables.values());
  if (tables.length === 0) return [];
  const found = await tx.send(tables.map(hasRowsStatement));
  return warningsOf(tables.filter((_, at) => found[at]?.[0]?.found === true).map(({ name }) => unreadRemark(name)));
}
