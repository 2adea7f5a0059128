import { flowRouteOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { flowRouteRoutes } from './flow-routes.routes.ts';

export { lockRoutes } from './flow-routes.service.ts';
export { readRoutes } from './flow-routes.store.ts';
export { type RouteRequest, type RouteTable, routeTable } from './route-table.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['flow_routes'];

export const flowRoutesFeature = feature({
  name: 'flow-routes',
  tables,
  operations: () => handlerEntries(flowRouteOperations, flowRouteRoutes()),
});
