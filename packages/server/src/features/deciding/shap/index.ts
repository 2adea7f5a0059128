import { shapOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { Archive } from '../archived-months/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { shapRoutes } from './shap.routes.ts';

export const shapFeature = feature({
  name: 'shap',
  operations: ({ archive, customerKeys }: { readonly archive: Archive; readonly customerKeys: CustomerKeys }) =>
    handlerEntries(shapOperations, shapRoutes(customerKeys, archive)),
});
