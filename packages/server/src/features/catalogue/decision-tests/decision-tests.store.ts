import { decisionTestResource } from '@arbiter/contract';
import { columns, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type DecisionTestRow = RecordRow<typeof decisionTestResource>;

export const decisionTestSpec = recordSpec(decisionTestResource);

/** Number of a flow's tests, which nobody else adds to until the transaction ends. */
export async function countAndHold(tx: Tx, flowId: string): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.decision_tests:' || $1, 0))`, [flowId]);
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.decision_tests
      where tenant_id = $1 and decision_flow_id = $2 and deleted_at is null`,
    [tx.tenantId, flowId],
  );
  return row?.count ?? 0;
}

/** A test as it runs. */
export type TestToRun = Pick<DecisionTestRow, 'id' | 'name' | 'given' | 'expect'>;

/** The tests of a flow, by name. `ids`: only these. */
export async function readTests(tx: Tx, flowId: string, ids?: readonly string[]): Promise<TestToRun[]> {
  return select(
    tx,
    columns(decisionTestSpec, ['id', 'name', 'given', 'expect']),
    `from arbiter.decision_tests
      where tenant_id = $1 and decision_flow_id = $2 and deleted_at is null and ($3::uuid[] is null or id = any ($3))
      order by name, id`,
    [tx.tenantId, flowId, ids ?? null],
  );
}
