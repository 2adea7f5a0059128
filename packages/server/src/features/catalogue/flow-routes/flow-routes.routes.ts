import type { flowRouteOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { recordHandlers } from '../catalogue-records/index.ts';
import { changeFlowRoute, setFlowRoute, showFlowRoutes } from './flow-routes.service.ts';
import { flowRouteSpec } from './flow-routes.store.ts';

export function flowRouteRoutes(): Handlers<typeof flowRouteOperations> {
  const records = recordHandlers(flowRouteSpec, {
    show: showFlowRoutes,
    create: async (tx, body) => (await setFlowRoute(tx, body)).row,
    change: changeFlowRoute,
  });
  return {
    ...records,
    async create(tx, { body }) {
      const { row, created } = await setFlowRoute(tx, body);
      const [shown] = await showFlowRoutes(tx, [row]);
      if (shown === undefined) throw new Error('each row has one response');
      return created ? reply(201, shown) : reply(200, shown);
    },
  };
}
