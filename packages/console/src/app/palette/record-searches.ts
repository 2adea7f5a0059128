import { findBy } from '../../data/find.ts';
import { searchTexts } from '../../messages/palette.ts';
import { addresses } from '../../route/addresses.ts';
import type { PaletteSearch, Screen } from '../../route/feature.ts';

/** Searches of records, each with the screen that shows one: without the screen nothing is sought. */
const byScreen: readonly (readonly [path: string, search: PaletteSearch])[] = [
  [
    '/offers/$id',
    {
      title: searchTexts.offers,
      load: async () => {
        const { offerOperations } = await import('@arbiter/contract/offers');
        return findBy(offerOperations.list, named, ({ id, name, status }) => found(name, status, addresses.offer(id)));
      },
    },
  ],
  [
    '/creatives/$id',
    {
      title: searchTexts.creatives,
      load: async () => {
        const { creativeOperations } = await import('@arbiter/contract/creatives');
        return findBy(creativeOperations.list, named, ({ id, name, status }) =>
          found(name, status, addresses.creative(id)),
        );
      },
    },
  ],
  [
    '/channels/$id',
    {
      title: searchTexts.channels,
      load: async () => {
        const { channelOperations } = await import('@arbiter/contract/channels');
        return findBy(channelOperations.list, named, ({ id, name, key }) => found(name, key, addresses.channel(id)));
      },
    },
  ],
  [
    '/channels/placements/$id',
    {
      title: searchTexts.placements,
      load: async () => {
        const { placementOperations } = await import('@arbiter/contract/placements');
        return findBy(placementOperations.list, named, ({ id, name, channel }) =>
          found(name, channel.name, addresses.placement(id)),
        );
      },
    },
  ],
  [
    '/categories',
    {
      title: searchTexts.categories,
      load: async () => {
        const { categoryOperations, subCategoryOperations } = await import('@arbiter/contract/categories');
        const first = findBy(categoryOperations.list, named, ({ id, name, status }) =>
          found(name, status, addresses.category(id)),
        );
        const second = findBy(subCategoryOperations.list, named, ({ id, name, category }) =>
          found(name, category.name, addresses.category(id)),
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
        const { decisionFlowOperations } = await import('@arbiter/contract/decision-flows');
        return findBy(decisionFlowOperations.list, named, ({ id, name, key }) => found(name, key, addresses.flow(id)));
      },
    },
  ],
  [
    '/policies/$id',
    {
      title: searchTexts.policies,
      load: async () => {
        const { contactPolicyOperations } = await import('@arbiter/contract/contact-policies');
        return findBy(contactPolicyOperations.list, named, ({ id, name, status }) =>
          found(name, status, addresses.policy(id)),
        );
      },
    },
  ],
  [
    '/rules/$id',
    {
      title: searchTexts.rules,
      load: async () => {
        const { qualificationRuleOperations } = await import('@arbiter/contract/qualification-rules');
        return findBy(qualificationRuleOperations.list, named, ({ id, name, status }) =>
          found(name, status, addresses.rule(id)),
        );
      },
    },
  ],
  [
    '/segments/$id',
    {
      title: searchTexts.segments,
      load: async () => {
        const { segmentOperations } = await import('@arbiter/contract/segments');
        return findBy(segmentOperations.list, named, ({ id, name, status }) =>
          found(name, status, addresses.segment(id)),
        );
      },
    },
  ],
  [
    '/data/schemas/$id',
    {
      title: searchTexts.schemas,
      load: async () => {
        const { schemaOperations } = await import('@arbiter/contract/schemas');
        return findBy(schemaOperations.list, named, ({ id, displayName, name }) =>
          found(displayName ?? name, name, addresses.schema(id)),
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
        const [{ decisionOperations }, { call }, { codeOf, failureOf }] = await Promise.all([
          import('@arbiter/contract/decisions'),
          import('../../data/call.ts'),
          import('../../data/failure.ts'),
        ]);
        return async (text, signal) => {
          if (!/^[0-9a-f-]{36}$/i.test(text)) return [];
          try {
            const { recommendationId } = await call(decisionOperations.get, { params: { id: text }, signal });
            return [found(searchTexts.decision, recommendationId, addresses.decision(recommendationId))];
          } catch (error) {
            // An id of something else is no decision, and no failure of the search.
            if (codeOf(failureOf(error)) === 'not_found') return [];
            throw error;
          }
        };
      },
    },
  ],
  [
    '/decisions',
    {
      title: searchTexts.customers,
      of: 'ids',
      load: async () => {
        const { decisionListOperations } = await import('@arbiter/contract/decision-lists');
        return findBy(
          decisionListOperations.list,
          (customerId) => ({ query: { customerId, limit: 1 } }),
          ({ customerId }) =>
            found(customerId ?? '', searchTexts.itsDecisions, addresses.decisions({ customerId: customerId ?? '' })),
        );
      },
    },
  ],
];

const named = (search: string, limit: number) => ({ query: { search, limit } });
const found = (title: string, detail: string, open: string) => ({ title, detail, open });

/** Searches for the records that the console can show. */
export function recordSearches(screens: readonly Screen[]): readonly PaletteSearch[] {
  const paths = new Set(screens.map(({ path }) => path));
  return byScreen.filter(([path]) => paths.has(path)).map(([, search]) => search);
}
