import { type DecisionRequest, resolveTarget } from '@arbiter/engine';
import type { TenantCatalogue } from '../plans/index.ts';
import { reduceRequest } from '../sealed-records/index.ts';
import type { DecideJob, Prepared } from './decide-job.ts';
import { targetProblem } from './recommend.rules.ts';

/** Resolves each job's flow and target; what cannot run is refused here, before anything is read or locked. */
export async function prepare(
  catalogue: TenantCatalogue,
  jobs: readonly DecideJob[],
  unsettled: ReadonlySet<DecideJob>,
): Promise<{
  readonly prepared: Prepared[];
  readonly refused: { readonly job: DecideJob; readonly error: unknown }[];
}> {
  const prepared: Prepared[] = [];
  const refused: { job: DecideJob; error: unknown }[] = [];
  for (const job of jobs) {
    if (!unsettled.has(job)) continue;
    try {
      const found = catalogue.flowFor(job.call.flow);
      // Only the first decision after a change waits for the plan; the others must not lose a turn here.
      const flow = found instanceof Promise ? await found : found;
      const target = resolveTarget(flow.plan, job.call.request);
      if (target.problem !== null && !namesInactive(catalogue, job.call.request)) throw targetProblem(target.problem);
      prepared.push({ job, flow, request: reduceRequest(job.call.request, flow.plan) });
    } catch (error) {
      refused.push({ job, error });
    }
  }
  return { prepared, refused };
}

/** An inactive channel is no mistake of the caller: there is nothing to show on it, and the answer says `no_channel`. */
const namesInactive = (catalogue: TenantCatalogue, { channelId }: DecisionRequest): boolean =>
  channelId !== null && catalogue.inactiveChannels.has(channelId);
