import { inScope } from '../compile/scopes.ts';
import { type Candidate, mandatoryOrigin } from '../plan/candidate.ts';
import type { AskedStage, CompiledPolicy, Lifters, ListPolicies, PolicyStage } from '../plan/policy.ts';
import type { Run } from '../plan/run.ts';
import { canBeLifted } from './policy-kind.ts';

export function policyStage(type: PolicyStage['type'], policies: readonly CompiledPolicy[]): PolicyStage {
  const isOverride = ({ behaviour }: CompiledPolicy): boolean => behaviour.role === 'override';
  return {
    type,
    blocking: policies.filter((policy) => !isOverride(policy)),
    overrides: policies.filter(isOverride),
  };
}

/**
 * `Lifters` of each policy of the plan, by position. Of a policy that no stage asks only suppression rows can be in force,
 * and those are lifted by the contact_policy stage.
 */
export function liftersOf(policies: readonly CompiledPolicy[], stages: readonly PolicyStage[]): readonly Lifters[] {
  const usual = stages.filter(({ type }) => type === 'contact_policy').flatMap(({ overrides }) => overrides);
  return policies.map((policy) => {
    if (!canBeLifted(policy)) return [];
    const asking = stages.filter(({ blocking }) => blocking.includes(policy));
    return asking.length === 0 ? [usual] : asking.map(({ overrides }) => overrides);
  });
}

/**
 * By number of the list, where a called flow makes its own: what one flow lifts or asks doesn't affect another's list.
 */
export function policiesByList(
  policies: readonly CompiledPolicy[],
  asked: readonly AskedStage[],
  lists: number,
): ReadonlyMap<number, ListPolicies> {
  const made = new Map<number, ListPolicies>();
  const add = (list: number, stages: readonly PolicyStage[]): void => {
    const ofList = new Set(stages.flatMap(({ blocking }) => blocking));
    made.set(list, { lifters: liftersOf(policies, stages), asked: ofList });
  };
  add(
    mandatoryOrigin,
    asked.filter(({ ofMandatory }) => ofMandatory).map(({ stage }) => stage),
  );
  for (let list = 0; list <= lists; list++) {
    add(
      list,
      asked.filter((each) => each.lists?.has(list) !== false).map(({ stage }) => stage),
    );
  }
  return made;
}

/** Whether a stage asks the policy about the list that the candidate came in with. */
export const isAskedOf = ({ phases }: Run, policy: CompiledPolicy, { origin }: Candidate): boolean =>
  phases.byList === null || phases.byList.get(origin)?.asked.has(policy) !== false;

/** Returns true when the policy's block is lifted for the candidate wherever the policy is asked. */
export function isLifted({ phases }: Run, policy: CompiledPolicy, candidate: Candidate): boolean {
  const lifters = (phases.byList?.get(candidate.origin) ?? phases).lifters[policy.position]!;
  for (let stage = 0; stage < lifters.length; stage++) {
    if (firstInScope(lifters[stage]!, candidate) === null) return false;
  }
  return lifters.length > 0;
}

/** The first of the policies that has the candidate in scope, or null. */
export function firstInScope(policies: readonly CompiledPolicy[], candidate: Candidate): CompiledPolicy | null {
  for (let at = 0; at < policies.length; at++) {
    if (inScope(policies[at]!.scope, candidate)) return policies[at]!;
  }
  return null;
}
