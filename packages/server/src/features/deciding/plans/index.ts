import { feature } from '../../../feature.ts';

export { type CatalogueCache, createCatalogueCache } from './catalogue-cache.ts';
export { outcomePoliciesOf, typesInUse } from './catalogue-content.ts';
export { isEmptyOverlay } from './catalogue-overlay.ts';
export { compileFlow, openPlan } from './compile-flow.ts';
export { noContentItems } from './content-items.ts';
export {
  type CandidatePlan,
  type Routing,
  readCandidate,
  readFlowSnapshot,
  routerOf,
  storeCandidate,
} from './flow-snapshot.ts';
export { expirePieces, expirePlans, retirePlans } from './plan-expiry.store.ts';
export { type HeadContent, headOf, snapshotOf } from './plan-head.ts';
export { readPlanContent, readPlanTexts } from './plan-pieces.ts';
export { ownReadSet, type ReadSetNames, readNames } from './read-set.ts';
export { metricEvents, realtimeCounterOf } from './realtime-counter.ts';
export { assertNewest, StaleCatalogue, versionBehind } from './stale-catalogue.ts';
export type { CatalogueOverlay, CompiledFlow, LiveFlow, TenantCatalogue } from './tenant-catalogue.ts';
export { newestVersions } from './versions.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['plans', 'plan_pieces', 'read_sets'];

export const plansFeature = feature({
  name: 'plans',
  tables,
  resets: { empties: tables },
});
