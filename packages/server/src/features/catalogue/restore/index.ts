import { restoreOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type RestorePorts, restoreRoutes } from './restore.routes.ts';

export const restoreFeature = feature({
  name: 'restore',
  operations: (ports: RestorePorts) => handlerEntries(restoreOperations, restoreRoutes(ports)),
});
