import { estimateOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { estimateRoutes } from './estimates.routes.ts';
import type { ReachPorts } from './reach-estimate.service.ts';

export type { ReachPorts } from './reach-estimate.service.ts';

/** It owns no table: it asks those who do. */
export const tables = [];

export const estimatesFeature = feature({
  name: 'estimates',
  tables,
  operations: ({ estimates }: { readonly estimates: ReachPorts }) =>
    handlerEntries(estimateOperations, estimateRoutes(estimates)),
});
