import type { ContactPolicyTrial } from '@arbiter/contract';
import type { SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { findRecord, requireLive, wantedAssignments } from '../catalogue-records/index.ts';
import { storedConfig } from './contact-policies.rules.ts';
import { checkPolicy, targetsOf } from './contact-policies.service.ts';
import { contactPolicySpec } from './contact-policies.store.ts';

/** A policy in a simulation. */
export interface TriedPolicy {
  /** The id of the stored policy that it replaces, or a new one. */
  readonly id: string;
  /** Null: ignored. */
  readonly policy: SnapshotPolicy | null;
}

/**
 * Returns a policy without storing it, with the values that a write would store. Throws 400 and 403 like the write, with
 * paths that start at the policy.
 */
export async function policyToTry(tx: Tx, trial: ContactPolicyTrial): Promise<TriedPolicy> {
  const { id } = trial;
  if (id !== undefined) await requireLive(tx, 'contactPolicy', id, '/id');
  const stored = id === undefined ? null : await findRecord(tx, contactPolicySpec, id);
  const { status = stored?.status ?? 'active', priority = stored?.priority ?? defaultPriority } = trial;
  const ruleType = trial.ruleType ?? stored?.ruleType;
  if (ruleType === undefined) throw invalid('/ruleType', 'is required without id');
  const config = trial.config ?? stored?.config ?? {};
  await checkPolicy(tx, ruleType, config);
  const current = stored?.scopes ?? [];
  const assignments = wantedAssignments(trial, stored?.scopes ?? null, 'offer');
  const scopes = assignments === null ? current : await targetsOf(tx, assignments, current);
  const name = stored?.name ?? '';
  const createdAt = stored === null ? tx.now.getTime() : new Date(stored.createdAt).getTime();
  const own = stored?.id ?? newId();
  if (status !== 'active') return { id: own, policy: null };
  const policy = { id: own, name, ruleType, priority, createdAt, config: asJsonObject(storedConfig(config)) };
  return { id: own, policy: { ...policy, scopes: scopes.map(({ scope, scopeId }) => ({ scope, scopeId })) } };
}

/** Default priority of a stored policy. */
const defaultPriority = 50;
