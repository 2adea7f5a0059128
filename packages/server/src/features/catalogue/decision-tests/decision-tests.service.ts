import { type DecisionTestCreate, DecisionTestExpect, DecisionTestGiven, maxDecisionTests } from '@arbiter/contract';
import { type TestNote, testProblems } from '@arbiter/lab';
import Type from 'typebox';
import Value from 'typebox/value';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import {
  cascadeSoftDelete,
  createRecord,
  findRecords,
  type RecordChange,
  requireLive,
  updateRecord,
} from '../catalogue-records/index.ts';
import { countAndHold, type DecisionTestRow, decisionTestSpec } from './decision-tests.store.ts';

type Test = Pick<DecisionTestRow, 'given' | 'expect'>;

const Parts = Type.Object({ given: DecisionTestGiven, expect: DecisionTestExpect });

/** Returns what keeps a test from ever passing, or from ever failing. One of the wrong shape has other problems. */
export const testProblemsOf = (test: unknown): TestNote[] =>
  Value.Check(Parts, test) ? testProblems(test.given, test.expect) : [];

/** Throws 400 for a test that can never pass, or never fail. What it names is looked up when it runs. */
function assertCanRun({ given, expect }: Test): void {
  const [first, ...more] = testProblems(given, expect);
  if (first === undefined) return;
  throw new AppError('validation_failed', {
    detail: `${first.path.slice(1)} ${first.message}`,
    errors: [first, ...more],
  });
}

/** Creates a test. Throws 409 `limit_reached` when the flow has as many as it may. */
export async function createDecisionTest(tx: Tx, body: DecisionTestCreate): Promise<DecisionTestRow> {
  assertCanRun(body);
  const { id: decisionFlowId } = await requireLive(tx, 'decisionFlow', body.decisionFlowId, '/decisionFlowId', ['id']);
  if ((await countAndHold(tx, decisionFlowId)) >= maxDecisionTests) {
    throw new AppError('limit_reached', { detail: `A flow can have at most ${maxDecisionTests} decision tests.` });
  }
  return createRecord(tx, decisionTestSpec, { ...body, decisionFlowId });
}

/** Changes the supplied fields; `given` and `expect` are replaced as a whole. */
export async function changeDecisionTest(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<DecisionTestRow>,
): Promise<DecisionTestRow> {
  return updateRecord(tx, decisionTestSpec, id, {
    rowVersion,
    change(current) {
      assertCanRun({ given: changes.given ?? current.given, expect: changes.expect ?? current.expect });
      return changes;
    },
  });
}

/** Locks the tests of flows. Returns a function that deletes them with their flow and returns their number. */
export async function lockTests(tx: Tx, flowIds: readonly string[]): Promise<() => Promise<number>> {
  const rows = await findRecords(tx, decisionTestSpec, 'decisionFlowId', flowIds, 'delete');
  return async () => {
    await cascadeSoftDelete(tx, decisionTestSpec, rows);
    return rows.length;
  };
}
