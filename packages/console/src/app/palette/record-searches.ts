import { call } from '../../data/call.ts';
import { findBy, isRecordId, unlessMissing } from '../../data/find.ts';
import { searchTexts } from '../../messages/palette.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import type { PaletteSearch } from '../../route/feature.ts';

const named = (search: string, limit: number) => ({ query: { search, limit } });
const found = (title: string, detail: string, open: string) => ({ title, detail, open });

/** Searches of the types that one list of names doesn't find. */
const specialSearches: Readonly<Record<string, PaletteSearch>> = {
  category: {
    title: recordKinds.category.titles.many,
    load: async () => {
      const { categoryOperations, subCategoryOperations } = await import('@arbiter/contract/catalogue/categories');
      const first = findBy(
        categoryOperations.list,
        named,
        ({ id, name, status }) => found(name, status, addresses.category(id)),
        (id, signal) => call(categoryOperations.get, { params: { id }, signal }),
      );
      const second = findBy(
        subCategoryOperations.list,
        named,
        ({ id, name, category }) => found(name, category.name, addresses.category(id)),
        (id, signal) => call(subCategoryOperations.get, { params: { id }, signal }),
      );
      return async (text, signal) =>
        (await Promise.all([first(text, signal), second(text, signal)])).flat().slice(0, 5);
    },
  },
  decision: {
    title: recordKinds.decision.titles.many,
    of: 'ids',
    load: async () => {
      const { decisionOperations } = await import('@arbiter/contract/deciding/decisions');
      return async (text, signal) => {
        if (!isRecordId(text)) return [];
        return unlessMissing(async () => {
          const { recommendationId } = await call(decisionOperations.get, { params: { id: text }, signal });
          return [found(recordKinds.decision.titles.one, recommendationId, addresses.decision(recommendationId))];
        });
      };
    },
  },
  customer: {
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
          ...(stored || decided ? [found(customerId, searchTexts.customer, addresses.customer(customerId))] : []),
          ...(decided ? [found(customerId, searchTexts.itsDecisions, addresses.decisions({ customerId }))] : []),
        ];
      };
    },
  },
};

/** The palette's searches for records of each type. */
export const recordSearches: readonly PaletteSearch[] = Object.entries(recordKinds).flatMap(
  ([name, { search, titles, record }]): readonly PaletteSearch[] => {
    if (search !== null) return [{ title: titles.many, load: () => search(record) }];
    const special = specialSearches[name];
    return special === undefined ? [] : [special];
  },
);
