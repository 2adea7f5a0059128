import { compile, type Json, type Snapshot } from '@arbiter/engine';
import { checkCatalogue } from '../check/check.ts';
import type { Finding, FindingCode } from '../check/findings.ts';
import { allOf, always, anyOf, type Formula, formulaOf, negate, nothingFixed } from '../check/formula.ts';
import { policyFormula } from '../check/policy-gates.ts';
import { eligibilityFormula, ruleFormula } from '../check/rule-gates.ts';
import { createSolver } from '../check/solver.ts';
import type { CheckInput } from '../check/subject.ts';
import { valueTypes } from '../check/value-types.ts';
import { branchFormula } from '../check/ways.ts';
import type { Mutant, MutantPlace } from './mutants.ts';

/** Findings about parts of the catalogue without effect. */
const idleCodes: ReadonlySet<FindingCode> = new Set([
  'condition_always_true',
  'condition_shadowed',
  'rule_duplicate',
  'policy_no_target',
  'policy_lifted_always',
  'exclusion_of_one',
  'cap_never_binds',
  'explore_no_effect',
  'node_unreachable',
]);

/** Why a change can't show in any decision; null: nothing proves that. */
export type Equivalence = FindingCode | 'same_condition';

/** Recognizes changes that alter no decision, as far as the policy compiler can prove it. */
export function equivalences({ snapshot, plan, now, clockAt }: CheckInput): (mutant: Mutant) => Equivalence | null {
  const idle = (changed: Snapshot): readonly Finding[] =>
    checkCatalogue({ snapshot: changed, plan: compile(changed), now, clockAt }).findings.filter(({ code }) =>
      idleCodes.has(code),
    );
  let known: readonly Finding[] | null = null;
  return (mutant) => {
    if (isSameCondition(snapshot, mutant, plan, now)) return 'same_condition';
    known ??= idle(snapshot);
    const before = known.find((finding) => isAbout(finding, mutant.place));
    if (before === undefined) return null;
    // A part left out had no effect. A changed part must have no effect afterwards, too.
    if (mutant.kind === 'gate') return isWhole(before, mutant.place) ? before.code : null;
    const isIdle = idle(mutant.snapshot).some(
      ({ code, subject }) => code === before.code && sameSubject(subject, before.subject),
    );
    return isIdle ? before.code : null;
  };
}

const ownId = ({ type, id }: MutantPlace): string => (type === 'flowNode' ? id.slice(id.indexOf(' ') + 1) : id);

const sameSubject = (a: Finding['subject'], b: Finding['subject']): boolean =>
  a.type === b.type && a.id === b.id && a.path === b.path;

/** The change is in the part without effect, or leaves it out. Of two equal rules, either can be left out. */
function isAbout({ code, subject, core }: Finding, place: MutantPlace): boolean {
  if (code === 'rule_duplicate' && place.path === '' && core.some(({ id }) => id === place.id)) return true;
  if (subject.type !== place.type || subject.id !== ownId(place)) return false;
  return isInside(place.path, subject.path) || isInside(subject.path, place.path);
}

const isInside = (path: string, holder: string): boolean => path === holder || path.startsWith(`${holder}/`);

/** The omitted part is within the one without effect. */
const isWhole = ({ code, subject }: Finding, { type, path }: MutantPlace): boolean =>
  code === 'rule_duplicate' ||
  isInside(path, subject.path) ||
  ((type === 'qualificationRule' || type === 'contactPolicy') && path === '' && subject.path === '/config');

/** Proves that a condition holds for the same customers before and after. */
function isSameCondition(snapshot: Snapshot, mutant: Mutant, plan: CheckInput['plan'], now: number): boolean {
  const before = conditionAt(snapshot, mutant.place);
  const after = conditionAt(mutant.snapshot, mutant.place);
  if (before === null || after === null) return false;
  const solver = createSolver(valueTypes(snapshot, plan), now);
  const differs = anyOf([allOf([before, negate(after)]), allOf([negate(before), after])]);
  for (const formula of [before, after]) solver.note(formula);
  return solver.solve([differs]).verdict === 'never';
}

/** The condition that a place belongs to; null where a gate isn't a condition alone. */
function conditionAt(snapshot: Snapshot, { type, id, path }: MutantPlace): Formula | null {
  switch (type) {
    case 'qualificationRule': {
      const rule = snapshot.rules.find((each) => each.id === id);
      if (rule === undefined) return always;
      return rule.stage === 'eligibility' || rule.stage === 'fit' ? ruleFormula(rule) : null;
    }
    case 'contactPolicy': {
      const policy = snapshot.policies.find((each) => each.id === id);
      if (policy === undefined) return always;
      return statelessPolicies.has(policy.ruleType) ? policyFormula(policy, nothingFixed) : null;
    }
    case 'placement':
      return conditionOf(snapshot.placements.find((each) => each.id === id)?.targeting);
    case 'offer':
      return path.startsWith('/eligibility')
        ? eligibilityFormula(snapshot.offers.find((each) => each.id === id)?.eligibility ?? null, nothingFixed)
        : null;
    case 'flowNode': {
      const [flowId = '', nodeId] = id.split(' ');
      const flow = [snapshot.flow, ...(snapshot.subFlows ?? [])].find((each) => each.id === flowId);
      const node = flow?.config.nodes.find((each) => each.id === nodeId);
      if (node?.type !== 'filter') return null;
      return node.enabled === false ? always : branchFormula(node);
    }
    default:
      return null;
  }
}

/** Policies that don't look at earlier contacts. */
const statelessPolicies: ReadonlySet<string> = new Set(['do_not_contact', 'segment_exclusion']);

const conditionOf = (condition: Json | undefined): Formula =>
  condition === undefined || condition === null ? always : formulaOf({ condition }, nothingFixed);
