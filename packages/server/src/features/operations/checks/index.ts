import { policyConflictOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { checkRoutes } from './checks.routes.ts';
import type { CheckPorts } from './checks.service.ts';

export { findingsOfFlow } from './checks.service.ts';
export { checkPolicyFolder } from './folder/check-folder.ts';

export const checksFeature = feature({
  name: 'checks',
  operations: (ports: CheckPorts) => handlerEntries(policyConflictOperations, checkRoutes(ports)),
});
