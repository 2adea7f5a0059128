import { creativeOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { creativeRoutes } from './creatives.routes.ts';
import type { CreativePorts } from './creatives.service.ts';
import { creativeSpec } from './creatives.store.ts';

export { type CreativePorts, createCreative, deleteCreativesOfOffer } from './creatives.service.ts';
export {
  findCreativeTexts,
  fingerprintCreatives,
  readCreativeFacts,
  snapshotCreatives,
  snapshotCreativesOf,
} from './creatives.store.ts';

export { previewCreative } from './preview-creative.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['creatives'];

export const creativesFeature = feature({
  name: 'creatives',
  tables,
  searches: [searchable(creativeSpec, { detail: 'status' })],
  resets: { empties: tables },
  restores: [restorable(creativeSpec)],
  operations: (ports: CreativePorts) => handlerEntries(creativeOperations, creativeRoutes(ports)),
});
