import type { DecisionInput, Plan } from '@arbiter/engine';
import type { HotRow, HotStatement, HotTransaction } from '../../../../db/index.ts';
import { isCurrent, readAssignments, type StoredAssignment, storedAssignment } from '../../assignments/index.ts';
import type { BatchQuestion } from './batch-question.ts';

/** Variants that customers of a batch were assigned before. */
export interface BatchAssignments {
  /** Those that still hold for a customer at an instant (epoch ms), as the engine takes them; undefined: none. */
  of(plan: Plan, customerId: string, now: number): DecisionInput['experiments'];
}

/** Returns the ids of the running experiments in a batch's plans. Mostly there are none, and nothing is read. */
function experimentsIn(prepared: readonly BatchQuestion[]): string[] {
  const ids = new Set<string>();
  for (const { flow } of prepared) for (const { id } of flow.plan.experiments) ids.add(id);
  return [...ids];
}

/** The statement that reads them with everything else; empty when the plans have no experiment. */
export function assignmentReads(tenantId: string, prepared: readonly BatchQuestion[]): readonly HotStatement[] {
  const ids = experimentsIn(prepared);
  if (ids.length === 0) return [];
  return [readAssignments(tenantId, ids, [...new Set(prepared.map(({ request }) => request.customerId))])];
}

/**
 * Reads the assignments of customers whose rows another transaction has just made: they weren't locked yet when the others'
 * were read.
 */
export async function readAgain(
  tx: HotTransaction,
  tenantId: string,
  prepared: readonly BatchQuestion[],
  customerIds: readonly string[],
): Promise<readonly HotRow[]> {
  const ids = experimentsIn(prepared);
  if (ids.length === 0 || customerIds.length === 0) return [];
  const [rows] = await tx.send([readAssignments(tenantId, ids, customerIds)]);
  return rows ?? [];
}

/** Rows that come later win. */
export function takeAssignments(rows: readonly HotRow[]): BatchAssignments {
  const byCustomer = new Map<string, Map<string, StoredAssignment>>();
  for (const row of rows) {
    const assignment = storedAssignment(row);
    const own = byCustomer.get(assignment.customerId) ?? new Map<string, StoredAssignment>();
    own.set(assignment.experimentId, assignment);
    byCustomer.set(assignment.customerId, own);
  }
  return {
    of({ experiments }, customerId, now) {
      const own = byCustomer.get(customerId);
      if (own === undefined) return undefined;
      const found: Record<string, { readonly variant: string; readonly share: number }> = {};
      for (const { id, key } of experiments) {
        const assignment = own.get(id);
        if (assignment === undefined || !isCurrent(assignment, now)) continue;
        found[key] = { variant: assignment.variant, share: assignment.share };
      }
      return Object.keys(found).length === 0 ? undefined : found;
    },
  };
}
