import { categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import { placementOperations } from '@arbiter/contract/catalogue/placements';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import type { Flow } from '../../flow-canvas/index.ts';
import type { Namer } from '../../messages/flows/flow-nodes.ts';

/** Names of the categories and placements that a flow refers to by ID. Loaded only if it does. */
export function useNamer(flow: Flow): Namer {
  const names = (key: string) => flow.nodes.some(({ config }) => Array.isArray(config[key]) && config[key].length > 0);
  const query = { query: { limit: 200 } } as const;
  const categories = useOperation(categoryOperations.list, query, { enabled: names('categoryIds') });
  const subCategories = useOperation(subCategoryOperations.list, query, { enabled: names('subCategoryIds') });
  const placements = useOperation(placementOperations.list, query, { enabled: names('placements') });
  const lists = [categories.data?.data, subCategories.data?.data, placements.data?.data] as const;
  const [one, two, three] = lists;
  return useMemo(() => {
    const known = new Map([...(one ?? []), ...(two ?? []), ...(three ?? [])].map(({ id, name }) => [id, name]));
    return (id) => known.get(id) ?? null;
  }, [one, two, three]);
}
