import type { Candidate } from '../plan/candidate.ts';
import type { CompiledPolicy, PolicyStage } from '../plan/policy.ts';
import type { Step } from '../plan/stages.ts';
import { askPolicies } from '../policies/ask-policies.ts';
import { keepExamined, recordDrop } from './close-stage.ts';
import { applySuppressions } from './suppression.ts';

/**
 * Gates of the mandatory list (docs/design/api-decisioning.md 10): they skip qualification and what can be bypassed, and obey
 * do_not_contact, the caps, `bypassable: false` and manual suppressions. Runs at the end of phase 1.
 */
export function mandatoryStep(stages: readonly PolicyStage[], policies: readonly CompiledPolicy[]): Step {
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  return {
    type: 'mandatory',
    nodeId: null,
    run(run) {
      const before = run.mandatory;
      if (before.length === 0) return;
      applySuppressions(run, before, byId, true);
      for (const stage of stages) askPolicies(run, stage, before, true);
      if (run.probe !== null) keepExamined(run, before);
      const passed = before.filter((candidate) => candidate.reason === null);
      const left = new Set(passed.map((candidate) => candidate.offer));
      const gone = new Map<Candidate['offer'], Candidate>();
      for (const candidate of before) {
        if (candidate.reason !== null && candidate.slot >= 0) run.slotRemover[candidate.slot] = 'mandatory';
        if (!left.has(candidate.offer) && !gone.has(candidate.offer)) gone.set(candidate.offer, candidate);
      }
      const dropped: Record<string, number> = {};
      for (const candidate of gone.values()) {
        recordDrop(run, candidate, 'mandatory', null);
        if (candidate.reason !== null) dropped[candidate.reason] = (dropped[candidate.reason] ?? 0) + 1;
      }
      if (gone.size > 0) run.lastRemover = 'mandatory';
      run.mandatory = passed;
      run.trace?.stage({
        stage: 'mandatory',
        nodeId: null,
        candidates: left.size + gone.size,
        passed: left.size,
        topScore: null,
        method: null,
        dropped,
        warnings: [],
      });
    },
  };
}
