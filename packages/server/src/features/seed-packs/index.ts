import { feature } from '../../feature.ts';

export { listLoadedPacks, loadPack, packPort } from './seed-packs.service.ts';
export type { LoadedPack } from './seed-packs.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['seed_packs'];

export const seedPacksFeature = feature({
  name: 'seed-packs',
  tables,
  resets: { empties: tables },
});
