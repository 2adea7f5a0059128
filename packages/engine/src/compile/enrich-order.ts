import { readList, readObjects } from '../config-values.ts';
import type { FlowNode } from '../plan/snapshot.ts';

/** The position of an enrich node in its lookup chain (docs/design/api-catalogue.md 20 "Enrich"). */
export interface EnrichPlace {
  /** Round trips before its rows can be read. The first trip, 0, reads everything that the request identifies. */
  readonly trip: number;
  /** Enrich nodes in the longest chain that ends with it, where each looks up by what the previous one wrote. */
  readonly depth: number;
}

/** A chain of enrich nodes has at most this many. */
export const deepestChain = 3;

/**
 * Returns the places of enrich nodes in flow order, by position. `columnsOf`: columns of a schema by id or name; empty
 * for an unknown schema.
 */
export function enrichOrder(
  nodes: readonly FlowNode[],
  columnsOf: (schema: string) => readonly string[],
): readonly EnrichPlace[] {
  const places: EnrichPlace[] = [];
  const written: ReadonlySet<string>[] = [];
  for (const node of nodes) {
    const from = node.config?.lookupFrom;
    const [root, name = ''] = typeof from === 'string' ? from.split('.') : [];
    let trip = root === 'customer' ? 1 : 0;
    let depth = 1;
    if (root === 'customer') {
      for (const [at, before] of places.entries()) {
        if (!written[at]!.has(name)) continue;
        trip = Math.max(trip, before.trip + 1);
        depth = Math.max(depth, before.depth + 1);
      }
    }
    places.push({ trip, depth });
    written.push(namesWritten(node, columnsOf));
  }
  return places;
}

/** Names under `customer.` that the node may write. */
function namesWritten(node: FlowNode, columnsOf: (schema: string) => readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { schemaId, fields, prefix } of readObjects(node.config?.sources)) {
    const columns = typeof schemaId === 'string' ? columnsOf(schemaId) : [];
    const chosen = readList(fields) ?? [];
    for (const column of columns) {
      if (chosen.length > 0 && !chosen.includes(column)) continue;
      names.add(typeof prefix === 'string' ? prefix + column : column);
    }
  }
  return names;
}
