import { decisionTestRunOperations, policyConflictOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { checkRoutes, testRunRoutes } from './checks.routes.ts';
import type { CheckPorts } from './checks.service.ts';
import type { DraftPorts } from './draft-test.service.ts';

export { findingsOfFlow } from './checks.service.ts';
export { failedTestsOfFlow } from './decision-tests.service.ts';
export { checkPolicyFolder } from './folder/check-folder.ts';
export { testPolicyFolder } from './folder/run-folder.ts';

export const checksFeature = feature({
  name: 'checks',
  operations: (ports: CheckPorts & DraftPorts) => [
    ...handlerEntries(policyConflictOperations, checkRoutes(ports)),
    ...handlerEntries(decisionTestRunOperations, testRunRoutes(ports)),
  ],
});
