import type { CallMode } from '../compile/placed-nodes.ts';
import { byOffer } from '../nodes/match-creatives.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { RemovingStage } from '../plan/empty-reason.ts';
import type { Run } from '../plan/run.ts';
import type { Step } from '../plan/stages.ts';
import { leave } from './candidates.ts';
import { closeStage, countOffers, recordDrop } from './close-stage.ts';
import { runSteps } from './step.ts';

/**
 * A call of a flow that can't run: nothing that it would have held back may pass (docs/design/api-decisioning.md 8).
 */
export function closedCallStep(type: RemovingStage, nodeId: string, flowKey: string): Step {
  return {
    type,
    nodeId,
    run(run) {
      const gate = run.trace === null ? null : { ruleId: null, policyId: null, detail: { flowKey } };
      for (const candidate of run.list) leave(run, candidate, 'sub_flow_unavailable', gate);
      closeStage(run, type, nodeId);
    },
  };
}

/** `narrow`: the called flow's stages work on the list as it is. */
export function narrowStep(nodeId: string, steps: readonly Step[]): Step {
  return {
    type: 'call_flow',
    nodeId,
    run(run) {
      const { prefix, offerCount } = run;
      runSteps(run, steps);
      run.prefix = prefix;
      traceCall(run, nodeId, offerCount, {});
    },
  };
}

/** `merge` and `replace`: the called flow makes a list of its own, number `origin`, from its own inventory. */
export function ownListStep(
  nodeId: string,
  { mode, key, origin }: { readonly mode: CallMode; readonly key: string; readonly origin: number },
  steps: readonly Step[],
): Step {
  return {
    type: 'call_flow',
    nodeId,
    run(run) {
      const outer = { prefix: run.prefix, list: run.list, offers: run.offerCount, origin: run.origin };
      const { present, noted, survey } = run;
      const after = { ...run.after };
      // What a survey only noted has left the list for everything asked here.
      const before = new Set(outer.list.flatMap(({ offer }) => (survey?.has(offer) === true ? [] : [offer])));
      // Another list's refusals are not the caller's: whom the called flow refuses leaves that list alone.
      run.survey = null;
      run.origin = origin;
      run.list = [];
      run.offerCount = 0;
      if (mode === 'merge') run.present = new Set([...before, ...(present ?? [])]);
      else run.noted = new Set();
      runSteps(run, steps);
      const called = run.list;
      const left = run.noted;
      run.prefix = outer.prefix;
      run.origin = outer.origin;
      run.present = present;
      run.noted = noted;
      run.survey = survey;
      const added = called.filter(({ offer }) => !before.has(offer));
      if (run.trace !== null) for (const { offer } of added) run.trace.cameBack(offer.id);
      const returned = survey === null ? null : comeBack(survey, added);
      if (mode === 'merge') {
        // An offer that is there already keeps its own entry.
        const own = returned === null ? outer.list : outer.list.filter(({ offer }) => !returned.has(offer));
        run.list = [...own, ...added].sort(byOffer);
        run.offerCount = outer.offers + countOffers(added);
        Object.assign(run.after, after, { inventory: after.inventory + countOffers(added) });
        traceCall(run, nodeId, outer.offers, {});
        return;
      }
      // Those that the called flow saw and dropped were recorded there.
      for (const offer of left ?? []) {
        before.delete(offer);
        noted?.add(offer);
      }
      for (const { offer } of called) before.delete(offer);
      const gate = { ruleId: null, policyId: null, detail: { flowKey: key, mode } };
      let removedCount = 0;
      for (const candidate of outer.list) {
        if (!before.delete(candidate.offer)) continue;
        candidate.reason = 'call_flow';
        candidate.gate = gate;
        recordDrop(run, candidate, 'call_flow', nodeId);
        removedCount += 1;
      }
      if (removedCount > 0 && called.length === 0) run.lastRemover = 'call_flow';
      traceCall(run, nodeId, outer.offers, removedCount > 0 ? { call_flow: removedCount } : {});
    },
  };
}

/** Brings back offers that a survey had seen refused and that the called flow accepts. */
function comeBack(refused: Set<Candidate['offer']>, added: readonly Candidate[]): ReadonlySet<Candidate['offer']> {
  const returned = new Set<Candidate['offer']>();
  for (const { offer } of added) if (refused.delete(offer)) returned.add(offer);
  return returned;
}

function traceCall(run: Run, nodeId: string, before: number, dropped: Readonly<Record<string, number>>): void {
  run.trace?.stage({
    stage: `${run.prefix}call_flow`,
    nodeId,
    candidates: before,
    passed: run.offerCount,
    topScore: null,
    method: null,
    dropped,
    warnings: [],
  });
}

/** A node that a conditional skipped: it changes nothing, and the trace says so. */
export function skippedStep(type: string, nodeId: string): Step {
  return {
    type,
    nodeId,
    run(run) {
      run.trace?.stage({
        stage: run.prefix + type,
        nodeId,
        candidates: run.offerCount,
        passed: run.offerCount,
        topScore: null,
        method: null,
        dropped: {},
        warnings: [],
        skipped: true,
      });
    },
  };
}
