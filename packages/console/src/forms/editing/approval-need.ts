import type { Operation, Role } from '@arbiter/contract/core/operation';
import { boot, roleOf } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { sameValue, type Values } from './changes.ts';

/** Entity types whose changes approvals can apply. A test compares them with the contract, whose list brings ten modules along. */
export const approvableTypes: readonly string[] = [
  ...['algorithmModel', 'channel', 'contactPolicy', 'creative', 'decisionFlow', 'experiment', 'journey', 'offer'],
  ...['qualificationRule', 'rankingProfile', 'trigger'],
];

/** Properties of live records that decisions don't read, by entity type (docs/adr/0054). */
const freeProperties: Readonly<Record<string, readonly string[]>> = {
  decisionFlow: ['autoAssembly', 'description', 'draftConfig', 'isProtected', 'name'],
};

/** Who is asking, and whether the tenant wants approvals. */
export interface ApprovalContext {
  readonly role: Role | null;
  readonly isWorkflowOn: boolean;
}

/** The context of the signed-in user. */
function approvalContext(): ApprovalContext {
  const block = boot();
  return { role: roleOf(block), isWorkflowOn: block.authenticated && block.settings.approvalWorkflowEnabled };
}

/** Whether an editor may request what the operation does, where its role is an admin's. */
export function mayRequest(
  entityType: string | undefined,
  { role, isWorkflowOn }: ApprovalContext = approvalContext(),
): boolean {
  return role === 'editor' && isWorkflowOn && entityType !== undefined && approvableTypes.includes(entityType);
}

export interface Write {
  readonly operation: Pick<Operation, 'role' | 'auth'>;
  readonly entityType: string | undefined;
  /** Null: the record is new. */
  readonly before: Values | null;
  readonly after: Values;
}

/**
 * Whether a write needs an approval: the role can't do it itself, it makes a record live, or it changes a live one. As the
 * server decides it (docs/adr/0054), which has the last word.
 */
export function needsApproval(
  { operation, entityType, before, after }: Write,
  context: ApprovalContext = approvalContext(),
): boolean {
  if (!mayRequest(entityType, context)) return false;
  if (!can(operation, context.role).allowed) return true;
  if (after.status !== 'active') return false;
  if (before === null || before.status !== 'active') return true;
  const free = new Set(freeProperties[entityType ?? '']);
  const decisive = (values: Values) => Object.fromEntries(Object.entries(values).filter(([name]) => !free.has(name)));
  return !sameValue(decisive(before), decisive(after));
}
