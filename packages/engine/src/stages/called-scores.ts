import { readNumber } from '../config-values.ts';
import { rankMethods } from '../delivery/rank-methods.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { Run } from '../plan/run.ts';
import type { AssignedModel, Scoring } from '../plan/scoring.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { Step } from '../plan/stages.ts';
import { assignedModel } from '../scoring/champions.ts';
import { measureImpact } from '../scoring/components.ts';
import { forgetPropensities, scoreStage } from '../scoring/score-stage.ts';
import { leave } from './candidates.ts';
import { closeStage } from './close-stage.ts';

/** A called flow scores the list that it works on, against the candidates of that list (docs/design/api-settled.md 68). */
export function calledScoreStep(scoring: Scoring): Step {
  return {
    type: 'score',
    nodeId: scoring.nodeId,
    run(run) {
      const { maxMargin, maxRevenue } = run;
      const outer = run.scoring;
      run.scoring = scoring;
      forgetPropensities(run);
      measureImpact(run);
      run.rescored ??= new Map();
      const assigned = assignedModel(run, scoring);
      if (assigned !== null) noteVariant(run, scoring, assigned);
      const own = { scoring, assigned, maxMargin: run.maxMargin, maxRevenue: run.maxRevenue };
      for (const { origin } of run.list) run.rescored.set(origin, own);
      scoreStage(run);
      run.scoring = outer;
      run.maxMargin = maxMargin;
      run.maxRevenue = maxRevenue;
    },
  };
}

function noteVariant(run: Run, { flowKey, nodeId }: Scoring, { variant, share, experimentKey }: AssignedModel): void {
  if (share === null) return;
  run.calledVariants ??= [];
  const shares = { flowKey, nodeId, variant, share };
  run.calledVariants.push(experimentKey === null ? shares : { ...shares, experimentKey });
}

/**
 * The rank node of a called flow keeps the offers that its method takes first, `topN` or `maxCandidates` of them; the
 * caller orders them. Null: it doesn't cut.
 */
export function calledRankStep(node: FlowNode): Step | null {
  const config = node.config ?? {};
  const { method: name = 'topN', topN, maxCandidates } = config;
  const most = Math.min(
    readNumber(topN, Number.POSITIVE_INFINITY),
    readNumber(maxCandidates, Number.POSITIVE_INFINITY),
  );
  const kind = typeof name === 'string' ? rankMethods.get(name) : rankMethods.get('topN');
  if (kind === undefined) throw new Error(`the rank method ${name} is not available`);
  if (most === Number.POSITIVE_INFINITY) return null;
  const named = kind.compile(config);
  // What's cut here isn't a place of the answer, so its probability would be unknown: leave nothing to chance.
  const method = named.greedy ?? named;
  return {
    type: 'rank',
    nodeId: node.id,
    run(run) {
      const ranking = method.begin(run);
      const ranked = new Set<Candidate['offer']>();
      const left = ({ offer }: Candidate): boolean => !ranked.has(offer);
      while (ranked.size < most) {
        const picked = ranking.next(left, ranked.size + 1);
        if (picked === null) break;
        ranked.add(picked.candidate.offer);
        ranking.took?.(picked.candidate);
      }
      for (const candidate of run.list) if (!ranked.has(candidate.offer)) leave(run, candidate, 'cut');
      closeStage(run, 'rank', node.id, { method: named.name });
    },
  };
}
