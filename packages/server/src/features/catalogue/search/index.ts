import { searchOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type SearchPorts, searchRoutes } from './search.routes.ts';

export const searchFeature = feature({
  name: 'search',
  operations: (ports: SearchPorts) => handlerEntries(searchOperations, searchRoutes(ports)),
});
