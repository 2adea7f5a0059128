import { noContent, recordHandlers, toWire } from '../catalogue-records/index.ts';
import { changeDecisionTest, createDecisionTest, deleteDecisionTest } from './decision-tests.service.ts';
import { decisionTestSpec } from './decision-tests.store.ts';

export const decisionTestRoutes = () =>
  recordHandlers(decisionTestSpec, {
    show: (_tx, rows) => rows.map(toWire),
    create: createDecisionTest,
    change: changeDecisionTest,
    remove: (tx, id, addressed) => noContent(deleteDecisionTest(tx, id, addressed)),
  });
