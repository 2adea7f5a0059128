import { seedDatasetOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { seedDatasetRoutes } from './seed-datasets.routes.ts';
import type { SeedPorts } from './seed-datasets.service.ts';

export type { SeedPorts } from './seed-datasets.service.ts';
export { createPackPort, listLoadedPacks, loadPack } from './seed-packs.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['seed_packs', 'seed_progress'];

export const seedPacksFeature = feature({
  name: 'seed-packs',
  tables,
  resets: { empties: tables },
  operations: ({ seedDatasets }: { readonly seedDatasets: SeedPorts }) =>
    handlerEntries(seedDatasetOperations, seedDatasetRoutes(seedDatasets)),
});
