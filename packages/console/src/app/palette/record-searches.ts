import { call } from '../../data/call.ts';
import { findBy, isRecordId, unlessMissing } from '../../data/find.ts';
import { searchTexts } from '../../messages/palette.ts';
import { addresses } from '../../route/addresses.ts';
import type { PaletteSearch, Screen } from '../../route/feature.ts';

/** Record searches with the screen that opens a result. Without a screen, the search is skipped. */
const byScreen: readonly (readonly [path: string, search: PaletteSearch])[] = [
  [
    '/offers/$id',
    {
      title: searchTexts.offers,
      load: async () => {
        const { offerOperations } = await import('@arbiter/contract/catalogue/offers');
        return findBy(
          offerOperations.list,
          named,
          ({ id, name, status }) => found(name, status, addresses.offer(id)),
          (id, signal) => call(offerOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/creatives/$id',
    {
      title: searchTexts.creatives,
      load: async () => {
        const { creativeOperations } = await import('@arbiter/contract/catalogue/creatives');
        return findBy(
          creativeOperations.list,
          named,
          ({ id, name, status }) => found(name, status, addresses.creative(id)),
          (id, signal) => call(creativeOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/channels/$id',
    {
      title: searchTexts.channels,
      load: async () => {
        const { channelOperations } = await import('@arbiter/contract/catalogue/channels');
        return findBy(
          channelOperations.list,
          named,
          ({ id, name, key }) => found(name, key, addresses.channel(id)),
          (id, signal) => call(channelOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/channels/placements/$id',
    {
      title: searchTexts.placements,
      load: async () => {
        const { placementOperations } = await import('@arbiter/contract/catalogue/placements');
        return findBy(
          placementOperations.list,
          named,
          ({ id, name, channel }) => found(name, channel.name, addresses.placement(id)),
          (id, signal) => call(placementOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/categories',
    {
      title: searchTexts.categories,
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
  ],
  [
    '/flows/$id',
    {
      title: searchTexts.flows,
      load: async () => {
        const { decisionFlowOperations } = await import('@arbiter/contract/catalogue/decision-flows');
        return findBy(
          decisionFlowOperations.list,
          named,
          ({ id, name, key }) => found(name, key, addresses.flow(id)),
          (id, signal) => call(decisionFlowOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/policies/$id',
    {
      title: searchTexts.policies,
      load: async () => {
        const { contactPolicyOperations } = await import('@arbiter/contract/catalogue/contact-policies');
        return findBy(
          contactPolicyOperations.list,
          named,
          ({ id, name, status }) => found(name, status, addresses.policy(id)),
          (id, signal) => call(contactPolicyOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/rules/$id',
    {
      title: searchTexts.rules,
      load: async () => {
        const { qualificationRuleOperations } = await import('@arbiter/contract/catalogue/qualification-rules');
        return findBy(
          qualificationRuleOperations.list,
          named,
          ({ id, name, status }) => found(name, status, addresses.rule(id)),
          (id, signal) => call(qualificationRuleOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/segments/$id',
    {
      title: searchTexts.segments,
      load: async () => {
        const { segmentOperations } = await import('@arbiter/contract/catalogue/segments');
        return findBy(
          segmentOperations.list,
          named,
          ({ id, name, status }) => found(name, status, addresses.segment(id)),
          (id, signal) => call(segmentOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/data/schemas/$id',
    {
      title: searchTexts.schemas,
      load: async () => {
        const { schemaOperations } = await import('@arbiter/contract/catalogue/schemas');
        return findBy(
          schemaOperations.list,
          named,
          ({ id, displayName, name }) => found(displayName ?? name, name, addresses.schema(id)),
          (id, signal) => call(schemaOperations.get, { params: { id }, signal }),
        );
      },
    },
  ],
  [
    '/decisions/$id',
    {
      title: searchTexts.decisions,
      of: 'ids',
      load: async () => {
        const { decisionOperations } = await import('@arbiter/contract/deciding/decisions');
        return async (text, signal) => {
          if (!isRecordId(text)) return [];
          return unlessMissing(async () => {
            const { recommendationId } = await call(decisionOperations.get, { params: { id: text }, signal });
            return [found(searchTexts.decision, recommendationId, addresses.decision(recommendationId))];
          });
        };
      },
    },
  ],
  [
    '/customers/$id',
    {
      title: searchTexts.customers,
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
  ],
];

const named = (search: string, limit: number) => ({ query: { search, limit } });
const found = (title: string, detail: string, open: string) => ({ title, detail, open });

/** Returns the searches for all records that the console can show. */
export function recordSearches(screens: readonly Screen[]): readonly PaletteSearch[] {
  const paths = new Set(screens.map(({ path }) => path));
  return byScreen.filter(([path]) => paths.has(path)).map(([, search]) => search);
}
