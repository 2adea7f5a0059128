import { textField, textsField } from '../compile/config-fields.ts';
import { type ConfigRemark, readConfig } from '../compile/config-problems.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { conditionRemarks } from '../conditions/condition-remarks.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { CompiledCondition } from '../plan/condition.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { focus } from '../stages/candidates.ts';
import type { PolicyKind } from './policy-kind.ts';

const fields = {
  segments: textsField(
    'IDs or names of segments whose members must not be contacted. Without segments and condition, nobody may be contacted.',
  ),
  condition: {
    type: 'object',
    description:
      'Condition on `customer`, `request`, `offer` or `channel`: `{ field, operator, value }`, or a group of conditions.',
  },
  dncSource: textField('Where the opt-out comes from. Shown in traces.'),
  reason: textField('Reason for the opt-out. Shown in traces.'),
};

/** Blocks every candidate in scope; with `segments` or `condition` for the customers that match only. Always last word. */
export const doNotContact: PolicyKind = {
  ruleType: 'do_not_contact',
  fields,
  required: [],
  historyDays: () => 0,
  check: (config) => parse(config).problems,
  remarks,
  compile(policy, _scope, builder) {
    const { segments, condition, dncSource, reason } = parse(policy.config);
    if (segments !== undefined) builder.readSegments(segments);
    if (condition !== null) builder.readPaths(condition.paths);
    const conditional = segments !== undefined || condition !== null;
    const perCandidate = condition?.paths.some(([first]) => first === 'offer' || first === 'channel') ?? false;
    const concerns = (run: Run, candidate: Candidate | null): boolean => {
      if (!conditional || segments?.some((segment) => run.segments.has(segment))) return true;
      if (condition === null) return false;
      if (candidate !== null) focus(run, candidate);
      return condition.test(run.scope);
    };
    return {
      role: 'block',
      final: true,
      timeless: true,
      bindsMandatory: true,
      needsCreative: condition?.paths.some(([first]) => first === 'channel') ?? false,
      countsAll: false,
      reach: (run) => (perCandidate || concerns(run, null) ? 'all' : 'none'),
      blocks: (run, candidate) => !perCandidate || concerns(run, candidate),
      explain: () => ({
        reason: `do_not_contact: ${reason ?? dncSource ?? 'no reason given'}`,
        // The customer asked not to be contacted. The policy's own text goes next to it.
        detail: { dncSource: dncSource ?? null, reason: 'asked', policyReason: reason ?? null },
      }),
      take: null,
    };
  },
};

function remarks(config: JsonObject): readonly ConfigRemark[] {
  const { segments, condition } = parse(config);
  const found = [...conditionRemarks(config.condition, '/condition')];
  if (segments?.length === 0 && condition === null) {
    found.push({
      path: '/segments',
      nearest: null,
      reason: 'No segment is set, so the policy blocks nobody.',
      suggestion: 'Add a segment, or omit segments to block every customer.',
    });
  }
  return found;
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const segments = reader.texts('segments');
  let condition: CompiledCondition | null = null;
  if (config.condition !== undefined && config.condition !== null) {
    const compiled = compileCondition(config.condition);
    if (compiled.ok) condition = compiled.condition;
    else for (const problem of compiled.problems) reader.refuse(`condition${problem.path}`, problem.message);
  }
  const dncSource = reader.text('dncSource');
  const reason = reader.text('reason');
  reader.flag('bypassable');
  return { segments, condition, dncSource, reason, problems: reader.problems };
}
