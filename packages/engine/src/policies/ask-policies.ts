import { candidatesInScope, candidatesOf, inScope } from '../compile/scopes.ts';
import { isObject } from '../json-object.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { CompiledPolicy, PolicyStage } from '../plan/policy.ts';
import type { Run } from '../plan/run.ts';
import type { Json } from '../plan/snapshot.ts';
import type { PolicyRow } from '../plan/trace.ts';
import { countBlock, leave } from '../stages/candidates.ts';
import { isExamined } from '../why-not/probe.ts';
import { canBeLifted } from './policy-kind.ts';
import { firstInScope } from './policy-stage.ts';

/**
 * Asks the policies of a stage of their candidates, by priority, unless an override of the stage lifts the block. The
 * first block is the candidate's reason (docs/design/api-catalogue.md 8.3). `ofMandatory` tells whether the list holds mandatory offers, which obey
 * fewer of them (docs/design/api-decisioning.md 10).
 */
export function askPolicies(
  run: Run,
  { blocking, overrides }: PolicyStage,
  list: readonly Candidate[],
  ofMandatory: boolean,
): void {
  if (list.length === 0) return;
  for (const policy of blocking) {
    run.scratch.asked[policy.position] = 1;
    if (ofMandatory && !bindsMandatory(policy)) {
      traceSkipped(run, policy, list);
      continue;
    }
    const reach = policy.behaviour.reach(run);
    if (reach === 'none' && run.trace === null) continue;
    const offers = typeof reach === 'string' || run.trace !== null ? null : reach;
    const { items, count } =
      offers === null ? candidatesInScope(run, policy.scope, list) : candidatesOf(run, offers, list);
    for (let at = 0; at < count; at++) {
      const candidate = items[at]!;
      if (candidate.reason !== null && run.trace === null) continue;
      if (offers !== null && !inScope(policy.scope, candidate)) continue;
      if (reach !== 'none' && policy.behaviour.blocks(run, candidate)) block(run, policy, candidate, overrides);
      else run.trace?.policy(policyRow(policy, candidate, 'passed', null, null, null));
    }
  }
  if (run.trace !== null) traceOverrides(run, overrides, list);
}

function traceSkipped(run: Run, policy: CompiledPolicy, list: readonly Candidate[]): void {
  if (run.trace === null) return;
  const { items, count } = candidatesInScope(run, policy.scope, list);
  for (let at = 0; at < count; at++) run.trace.policy(policyRow(policy, items[at]!, 'skipped', null, null, null));
}

/** Returns true for what mandatory offers obey: do_not_contact, the caps, and every policy that isn't bypassable. */
function bindsMandatory(policy: CompiledPolicy): boolean {
  return policy.behaviour.bindsMandatory || !policy.bypassable;
}

function block(run: Run, policy: CompiledPolicy, candidate: Candidate, overrides: readonly CompiledPolicy[]): void {
  const override = canBeLifted(policy) ? firstInScope(overrides, candidate) : null;
  const verdict = run.trace === null ? null : policy.behaviour.explain(run, candidate);
  if (override !== null) {
    if (verdict !== null)
      run.trace?.policy(policyRow(policy, candidate, 'overridden', verdict.reason, override.id, verdict.detail));
    return;
  }
  if (verdict !== null)
    run.trace?.policy(policyRow(policy, candidate, 'blocked', verdict.reason, null, verdict.detail));
  if (run.probe !== null && isExamined(run, candidate)) {
    const { final, timeless = false } = policy.behaviour;
    run.probe.examination?.shut({ final, always: timeless });
  }
  const detail = verdict === null ? null : describe(verdict.reason, verdict.detail);
  if (candidate.reason === null) countBlock(run, policy.ruleType);
  leave(run, candidate, 'contact_policy', verdict === null ? null : { ruleId: null, policyId: policy.id, detail });
}

/** Returns the detail of a drop row: the fixed text with the type's fields. */
export function describe(reason: string, detail: Json): Json {
  return { reason, ...asObject(detail) };
}

function asObject(detail: Json): { readonly [key: string]: Json } {
  return isObject(detail) ? detail : {};
}

function traceOverrides(run: Run, overrides: readonly CompiledPolicy[], list: readonly Candidate[]): void {
  for (const policy of overrides) {
    const { items, count } = candidatesInScope(run, policy.scope, list);
    for (let at = 0; at < count; at++) {
      const candidate = items[at]!;
      const { reason, detail } = policy.behaviour.explain(run, candidate);
      const overridden = run.trace?.liftedFrom(candidate.offer.id, policy.id) ?? [];
      run.trace?.policy(policyRow(policy, candidate, 'passed', reason, null, { ...asObject(detail), overridden }));
    }
  }
}

function policyRow(
  policy: CompiledPolicy,
  candidate: Candidate,
  status: PolicyRow['status'],
  reason: string | null,
  overriddenBy: string | null,
  detail: Json,
): PolicyRow {
  return {
    offerId: candidate.offer.id,
    blocked: status === 'blocked',
    reason,
    policyId: policy.id,
    policyName: policy.name,
    ruleType: policy.ruleType,
    status,
    overriddenBy,
    detail,
  };
}
