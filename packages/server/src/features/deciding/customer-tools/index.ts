import { customerToolOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { customerToolRoutes } from './customer-tools.routes.ts';
import type { CustomerToolPorts } from './eligibility.service.ts';

export const customerToolsFeature = feature({
  name: 'customer-tools',
  operations: (ports: CustomerToolPorts) => handlerEntries(customerToolOperations, customerToolRoutes(ports)),
});
