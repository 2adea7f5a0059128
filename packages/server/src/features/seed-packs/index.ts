import { feature } from '../../feature.ts';

export { listLoadedPacks, loadPack, packPort } from './seed-packs.service.ts';
export type { LoadedPack } from './seed-packs.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['seed_packs'];

export const seedPacksFeature = feature({
  name: 'seed-packs',
  tables,
});
