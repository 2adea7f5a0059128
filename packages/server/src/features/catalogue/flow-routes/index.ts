import { flowRouteOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable } from '../catalogue-records/index.ts';
import { flowRouteRoutes } from './flow-routes.routes.ts';
import { flowRouteSpec } from './flow-routes.store.ts';

export { lockRoutes } from './flow-routes.service.ts';
export { type LiveRoute, readRoutes } from './flow-routes.store.ts';
export { type RoutePlaces, type RouteRequest, routeTable } from './route-table.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['flow_routes'];

export const flowRoutesFeature = feature({
  name: 'flow-routes',
  tables,
  resets: { empties: tables },
  restores: [restorable(flowRouteSpec)],
  operations: () => handlerEntries(flowRouteOperations, flowRouteRoutes()),
});
