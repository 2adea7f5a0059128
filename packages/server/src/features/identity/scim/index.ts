import { scimOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type ScimPorts, scimRoutes } from './scim.routes.ts';

export type { ScimPorts } from './scim.routes.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = [];

export const scimFeature = feature({
  name: 'scim',
  tables,
  operations: (ports: ScimPorts) => handlerEntries(scimOperations, scimRoutes(ports)),
});
