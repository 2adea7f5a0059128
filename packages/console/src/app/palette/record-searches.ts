import type { SearchedKind } from '@arbiter/contract/operations/searched-kinds.generated';
import { call } from '../../data/call.ts';
import { isRecordId, unlessMissing } from '../../data/find.ts';
import { searchTexts } from '../../messages/palette.ts';
import { type RecordKind, recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import type { PaletteSearch } from '../../route/feature.ts';

const searchResult = (title: string, detail: string, open: string) => ({ title, detail, open });

/** Returns the type of record that shows a kind of search result. */
export function kindOfFound(kind: SearchedKind): RecordKind {
  if (kind === 'subCategory') return 'category';
  return kind === 'dataSchema' ? 'schema' : kind;
}

/** The palette's searches: one for all records with a name, one for each type that only its ID or key finds. */
export const recordSearches: readonly PaletteSearch[] = [
  {
    title: searchTexts.records,
    load: async () => {
      const { searchOperations } = await import('@arbiter/contract/operations/search');
      return async (q, signal) => {
        const { data } = await call(searchOperations.find, { query: { q }, signal });
        return data.map(({ entityType, id, name, detail }) => {
          const { titles, record } = recordKinds[kindOfFound(entityType)];
          return { ...searchResult(name, detail, record(id)), group: titles.many };
        });
      };
    },
  },
  {
    title: recordKinds.decision.titles.many,
    of: 'ids',
    load: async () => {
      const { decisionOperations } = await import('@arbiter/contract/deciding/decisions');
      return async (text, signal) => {
        if (!isRecordId(text)) return [];
        return unlessMissing(async () => {
          const { recommendationId } = await call(decisionOperations.get, { params: { id: text }, signal });
          return [
            searchResult(recordKinds.decision.titles.one, recommendationId, addresses.decision(recommendationId)),
          ];
        });
      };
    },
  },
  {
    title: recordKinds.customer.titles.many,
    of: 'ids',
    load: async () => {
      const [{ decisionListOperations }, { schemaOperations }] = await Promise.all([
        import('@arbiter/contract/deciding/decision-lists'),
        import('@arbiter/contract/catalogue/schemas'),
      ]);
      /** Whether the customer has a row. */
      const isStored = async (key: string, signal: AbortSignal): Promise<boolean> => {
        const { data } = await call(schemaOperations.list, { query: { limit: 100 }, signal });
        const table = data.find(({ entityType }) => entityType === 'customer');
        if (table === undefined) return false;
        const rows = await call(schemaOperations.listRows, { params: { id: table.id }, query: { key }, signal });
        return rows.rows.length > 0;
      };
      return async (customerId, signal) => {
        const [stored, decisions] = await Promise.all([
          isStored(customerId, signal),
          call(decisionListOperations.list, { query: { customerId, limit: 1 }, signal }),
        ]);
        const decided = decisions.data.length > 0;
        return [
          ...(stored || decided
            ? [searchResult(customerId, searchTexts.customer, addresses.customer(customerId))]
            : []),
          ...(decided ? [searchResult(customerId, searchTexts.itsDecisions, addresses.decisions({ customerId }))] : []),
        ];
      };
    },
  },
];
