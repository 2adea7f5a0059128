import { type DecisionRequest, reduceRequest, resolveTarget, type TargetProblem } from '@arbiter/engine';
import type { LiveFlow, TenantCatalogue } from '../../plans/index.ts';
import type { DecideJob, PreparedJob } from './decide-job.ts';
import { type Failed, failed } from './outcome.ts';
import { targetProblem } from './recommend.rules.ts';

/** Resolves each job's flow and target; what cannot run is refused here, before anything is read or locked. */
export async function prepare(
  catalogue: TenantCatalogue,
  jobs: readonly DecideJob[],
): Promise<{
  readonly prepared: PreparedJob[];
  readonly refused: Failed[];
}> {
  const prepared: PreparedJob[] = [];
  const refused: Failed[] = [];
  for (const job of jobs) {
    try {
      const found =
        job.flow === undefined ? catalogue.flowFor(job.call.flow, job.call.request) : catalogue.flowVersion(job.flow);
      // Only the first decision after a change waits for the plan. The others must not lose a turn here.
      const flow = found instanceof Promise ? await found : found;
      job.known.flow = flow.plan.flow;
      prepared.push({ job, flow, request: requestFor(catalogue, flow, job.call.request) });
    } catch (error) {
      refused.push(failed(job, error));
    }
  }
  return { prepared, refused };
}

/** Reads what the flow needs of the request. Throws AppError 400 for a target that isn't a record of the tenant. */
export function requestFor(catalogue: TenantCatalogue, { plan }: LiveFlow, asked: DecisionRequest): DecisionRequest {
  const target = resolveTarget(plan, asked);
  const problem = target.problem && realProblem(catalogue, asked, target.problem);
  if (problem !== null) throw targetProblem(problem);
  return reduceRequest(asked, plan);
}

/**
 * An inactive channel isn't the caller's mistake: there's nothing to show on it, and the answer says `no_channel`.
 * Placements next to it must still be its own. The engine checks that for active ones, so check inactive ones here.
 */
function realProblem(
  { inactiveChannels }: TenantCatalogue,
  { channelId, placements }: DecisionRequest,
  problem: TargetProblem,
): TargetProblem | null {
  if (problem.path !== '/channelId' || channelId === null || !inactiveChannels.has(channelId)) return problem;
  if (placements === null) return null;
  return {
    code: 'validation_failed',
    path: '/placements/0/placementId',
    message: 'must be a placement of the requested channel',
  };
}
