import { customerErasureOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type ErasureRoutePorts, erasureRoutes } from './erasure.routes.ts';

export type { ErasureRoutePorts } from './erasure.routes.ts';

export const erasureFeature = feature({
  name: 'erasure',
  operations: ({ erasure }: { readonly erasure: ErasureRoutePorts }) =>
    handlerEntries(customerErasureOperations, erasureRoutes(erasure)),
});
