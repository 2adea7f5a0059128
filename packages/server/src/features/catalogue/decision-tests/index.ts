import { decisionTestOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { flowSpec } from '../flows/index.ts';
import { decisionTestRoutes } from './decision-tests.routes.ts';
import { decisionTestSpec } from './decision-tests.store.ts';

export { lockTests, testProblemsOf } from './decision-tests.service.ts';
export { readTests, type TestToRun } from './decision-tests.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['decision_tests'];

/** Tests are about fictional customers, so erasing a customer leaves them alone. */
export const decisionTestsFeature = feature({
  name: 'decision-tests',
  tables,
  searches: [searchable(decisionTestSpec, { detail: { of: flowSpec, by: 'decisionFlowId' } })],
  resets: { empties: tables },
  restores: [restorable(decisionTestSpec)],
  operations: () => handlerEntries(decisionTestOperations, decisionTestRoutes()),
});
