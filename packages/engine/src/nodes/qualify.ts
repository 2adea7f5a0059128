import { candidatesInScope, candidatesOf, inScope, isMember } from '../compile/scopes.ts';
import { readIds, readList, readWord } from '../config-values.ts';
import type { Candidate } from '../plan/candidate.ts';
import { type CompiledRule, ruleStages } from '../plan/rule.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { Step } from '../plan/stages.ts';
import type { QualificationRow } from '../plan/trace.ts';
import { FITTED, fitOf } from '../scratch.ts';
import { leave } from '../stages/candidates.ts';
import { closeStage } from '../stages/close-stage.ts';
import { isExamined } from '../why-not/probe.ts';
import { ids, listOf, oneOf } from './node-keys.ts';
import { candidatesFrom, listsNow, type NodeKind, type PlanParts } from './node-kind.ts';

const modes = ['all', 'selected'] as const;
const lowestFit = 0.01;

/** The offer's own eligibility, then the rules: eligibility, fit, match (docs/design/api-catalogue.md 6, 9). */
export const qualify: NodeKind = {
  type: 'qualify',
  phase: 1,
  single: false,
  keys: { mode: oneOf(modes), ruleIds: ids(200, 'qualificationRule'), stages: listOf(ruleStages) },
  required: [],
  step: (node, parts) => qualifyStep(node, parts),
};

/** `node` null: the stage that a flow without the node runs at the end of phase 1. */
export function qualifyStep(node: FlowNode | null, parts: PlanParts): Step {
  const config = node?.config ?? {};
  const selected = readWord(config.mode, modes) === 'selected' ? new Set(readIds(config.ruleIds)) : null;
  const stages = new Set<string>(readList(config.stages) ?? ruleStages);
  const named = parts.rules.filter((rule) => stages.has(rule.stage) && (selected === null || selected.has(rule.id)));
  const open = openRules(named, parts);
  // The result of a rule on creatives or channels isn't known before they're matched.
  const isUnknown = parts.scoresByChannel && !parts.matched;
  const waits = (rule: CompiledRule): boolean =>
    !parts.matched && (needsCreative(rule) || (isUnknown && rule.behaviour.readsScoring === true));
  const now = open.map((each) => ({ ...each, rules: each.rules.filter((rule) => !waits(rule)) }));
  const later = open
    .map((each) => ({ ...each, rules: each.rules.filter(waits) }))
    .filter(({ rules }) => rules.length > 0);
  const judgeAll = (run: Run, all: readonly OpenRules[]): void => {
    for (const { rules, lists } of all) judge(run, rules, candidatesFrom(run, lists));
  };
  const gated = parts.offers.filter(({ eligibility }) => eligibility !== null).map(({ ordinal }) => ordinal);
  if (isUnknown) parts.waiting.push((run) => askEligibility(run, gated, 'threshold'));
  if (later.length > 0) parts.waiting.push((run) => judgeAll(run, later));
  const nodeId = node?.id ?? null;
  return {
    type: 'qualify',
    nodeId,
    run(run) {
      askEligibility(run, gated, isUnknown ? 'known' : 'all');
      judgeAll(run, now);
      closeStage(run, 'qualify', nodeId);
      run.after.qualification = run.offerCount;
    },
  };
}

/** Rules that candidates of some lists are still to be judged by. */
interface OpenRules {
  readonly rules: readonly CompiledRule[];
  /** Null: all candidates. */
  readonly lists: ReadonlySet<number> | null;
}

/**
 * A match rule multiplies once, however many nodes name it (docs/design/api-catalogue.md 9): the first of them judges. A
 * candidate that came in with a called flow may have met it there.
 */
function openRules(named: readonly CompiledRule[], parts: PlanParts): readonly OpenRules[] {
  const { fitted, merged } = parts;
  const lists = listsNow(parts);
  const rules = named.filter((rule) => !fitted.has(rule));
  const open: OpenRules[] = lists === null ? [{ rules, lists }] : [];
  if (lists !== null) {
    for (const rule of named) {
      const knowing = merged.filter((list) => list.fitted.has(rule)).map(({ number }) => number);
      const listsToCheck = [...lists].filter(
        (list) => !knowing.includes(list) && !(list === parts.own && fitted.has(rule)),
      );
      if (listsToCheck.length > 0) open.push({ rules: [rule], lists: new Set(listsToCheck) });
    }
  }
  const now = named.filter(({ stage }) => stage === 'match');
  for (const rule of now) fitted.add(rule);
  parts.merged = merged.map(({ number, fitted: known }) => ({ number, fitted: new Set([...known, ...now]) }));
  return open;
}

function needsCreative(rule: CompiledRule): boolean {
  return rule.scope.needsCreative || rule.behaviour.needsCreative;
}

/** `threshold`: what `known` has left out, once the candidates have their creatives. */
function askEligibility(run: Run, offers: readonly number[], keys: 'all' | 'known' | 'threshold'): void {
  if (offers.length === 0) return;
  const { items, count } = candidatesOf(run, offers, run.list);
  for (let at = 0; at < count; at++) {
    const candidate = items[at]!;
    const { eligibility } = candidate.offer;
    if (eligibility === null || (keys === 'threshold' && candidate.reason !== null)) continue;
    const key =
      keys === 'threshold'
        ? eligibility.failsThreshold(run, candidate)
        : eligibility.fails(run, candidate, keys === 'known');
    if (key === null) continue;
    if (run.trace === null) {
      leave(run, candidate, 'qualification');
      continue;
    }
    const { reason, detail } = eligibility.explain(run, candidate, key);
    leave(run, candidate, 'qualification', { ruleId: null, policyId: null, detail });
    run.trace.qualification({
      offerId: candidate.offer.id,
      passed: false,
      reason,
      ruleId: null,
      ruleName: null,
      ruleType: null,
      stage: 'eligibility',
      status: 'failed',
      penalty: null,
      detail,
    });
    if (run.probe !== null && isExamined(run, candidate)) {
      run.probe.examination?.propose(eligibility.wishes(run, candidate));
    }
  }
}

/** Rule by rule: most rules hold for the customer, and then no candidate needs to be checked. */
function judge(run: Run, rules: readonly CompiledRule[], list: readonly Candidate[]): void {
  const { trace } = run;
  for (const rule of rules) {
    const { behaviour } = rule;
    const passesForCustomer = behaviour.perCustomer && behaviour.passes(run, null);
    if (passesForCustomer && trace === null) continue;
    // What's known of the offers beforehand doesn't apply to an altered one.
    const isAltered = run.probe !== null && run.probe.priority !== null;
    const failing = trace === null && !isAltered ? behaviour.failingOffers : null;
    const { items, count } =
      failing === null ? candidatesInScope(run, rule.scope, list) : candidatesOf(run, failing, list);
    for (let at = 0; at < count; at++) {
      const candidate = items[at]!;
      // A trace lists every rule in scope, not only the first that failed.
      if (candidate.reason !== null && trace === null) continue;
      if (failing !== null && !asks(run, rule, candidate)) continue;
      const passed = failing === null && (behaviour.perCustomer ? passesForCustomer : behaviour.passes(run, candidate));
      if (!passed) fail(run, rule, candidate);
      else if (trace !== null) trace.qualification(row(rule, candidate, true, null, null));
    }
  }
}

function asks(run: Run, { scope }: CompiledRule, candidate: Candidate): boolean {
  return inScope(scope, candidate) || isMember(scope, run.segments);
}

function fail(run: Run, rule: CompiledRule, candidate: Candidate): void {
  const verdict = run.trace === null ? null : rule.behaviour.explain(run, candidate);
  if (verdict !== null) run.trace?.qualification(row(rule, candidate, false, verdict.reason, verdict.detail));
  if (run.probe !== null && isExamined(run, candidate)) tellRule(run, rule, candidate);
  if (rule.stage === 'match') {
    if (candidate.reason === null) lowerFit(run, candidate, rule.penalty);
    return;
  }
  leave(
    run,
    candidate,
    'qualification',
    verdict === null ? null : { ruleId: rule.id, policyId: null, detail: verdict.detail },
  );
}

/** Reports what would satisfy the failed rule, for an offer whose gates must all be reported. */
function tellRule(run: Run, { behaviour, stage }: CompiledRule, candidate: Candidate): void {
  const examination = run.probe?.examination;
  if (stage !== 'match') examination?.shut({ always: behaviour.timeless === true });
  examination?.propose(behaviour.wishes?.(run, candidate) ?? [], stage === 'match');
}

function lowerFit({ scratch: { columns } }: Run, { at }: Candidate, penalty: number): void {
  columns.fit[at] = Math.max(lowestFit, fitOf(columns, at) * penalty);
  columns.known[at] = columns.known[at]! | FITTED;
}

function row(
  rule: CompiledRule,
  candidate: Candidate,
  passed: boolean,
  reason: string | null,
  detail: QualificationRow['detail'],
): QualificationRow {
  return {
    offerId: candidate.offer.id,
    passed,
    reason,
    ruleId: rule.id,
    ruleName: rule.name,
    ruleType: rule.ruleType,
    stage: rule.stage,
    status: passed ? 'passed' : 'failed',
    penalty: !passed && rule.stage === 'match' ? rule.penalty : null,
    detail,
  };
}
