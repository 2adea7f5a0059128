import { recordHandlers } from '../catalogue-records/index.ts';
import { changeDecisionTest, createDecisionTest } from './decision-tests.service.ts';
import { decisionTestSpec } from './decision-tests.store.ts';

export const decisionTestRoutes = () =>
  recordHandlers(decisionTestSpec, {
    create: createDecisionTest,
    change: changeDecisionTest,
  });
