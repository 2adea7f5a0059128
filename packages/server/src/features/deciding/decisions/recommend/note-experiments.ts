import type { Decision } from '@arbiter/engine';
import type { HotStatement } from '../../../../db/index.ts';
import { type Assignment, type Exposure, saveAssignments, saveExposures } from '../../assignments/index.ts';

/** What a batch's decisions leave in experiments: each customer once. */
export interface ExperimentWrites {
  /** By experiment and customer: the last decision's. */
  readonly assigned: Map<string, Assignment>;
  readonly exposed: Map<string, Exposure>;
}

export const newExperimentWrites = (): ExperimentWrites => ({ assigned: new Map(), exposed: new Map() });

/** Notes the variants under which a stored decision was made, and whether the customer has seen something. */
export function noteExperiments(
  { assigned, exposed }: ExperimentWrites,
  customerId: string,
  { experiments, items }: Pick<Decision, 'experiments' | 'items'>,
): void {
  if (experiments === null) return;
  const isShown = items.some(({ effect }) => effect === 'impress');
  for (const { id: experimentId, variant, share } of experiments) {
    const name = `${experimentId} ${customerId}`;
    assigned.set(name, { customerId, experimentId, variant, share });
    if (isShown) exposed.set(name, { customerId, experimentId, variant });
  }
}

/** Statements that store them; none for a batch without experiments. */
export function experimentStatements(
  tenantId: string,
  at: Date,
  { assigned, exposed }: ExperimentWrites,
): HotStatement[] {
  const statements: HotStatement[] = [];
  if (assigned.size > 0) statements.push(saveAssignments(tenantId, at, [...assigned.values()]));
  if (exposed.size > 0) statements.push(saveExposures(tenantId, at, [...exposed.values()]));
  return statements;
}
