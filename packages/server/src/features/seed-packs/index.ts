export { listLoadedPacks, loadPack, packPort } from './seed-packs.service.ts';
export type { LoadedPack } from './seed-packs.store.ts';
