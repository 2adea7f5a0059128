import { type FoundRecord, type SearchedKind, searchedKinds, type searchOperations } from '@arbiter/contract';
import type { Searchable } from '../../../feature.ts';
import { type Handlers, reply } from '../../../http/handler.ts';

export interface SearchPorts {
  /** Of all features. */
  readonly searchables: readonly Searchable[];
}

/** Handler of the search over all kinds of records. Throws if a kind has no feature, so that the process doesn't start. */
export function searchRoutes({ searchables }: SearchPorts): Handlers<typeof searchOperations> {
  const byKind = new Map<SearchedKind, Searchable>(searchables.map((each) => [each.entityType, each]));
  const ordered = searchedKinds.map((kind) => {
    const searched = byKind.get(kind);
    if (searched === undefined) throw new Error(`no feature searches records of the kind ${kind}`);
    return searched;
  });
  return {
    find: async (tx, { query }) => {
      const text = query.q.trim();
      const data: FoundRecord[] = [];
      for (const searched of ordered) data.push(...(await searched.find(tx, text)));
      return reply(200, { data });
    },
  };
}
