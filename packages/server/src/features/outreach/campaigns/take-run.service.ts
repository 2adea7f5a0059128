import type { Tx } from '../../../db/index.ts';
import { publishedFlowVersion, type RunnableFlow } from '../../catalogue/flows/index.ts';
import { selectCampaign } from './campaigns.store.ts';
import { endRun } from './end-run.service.ts';
import { freezeRun } from './freeze-run.service.ts';
import { type RunRow, raiseToken, selectOpenRun, selectRun } from './runs.store.ts';

/** A run that this process works on. */
export interface TakenRun {
  readonly run: RunRow;
  readonly flow: RunnableFlow;
}

/**
 * Takes a run, and starts it if it waits. Null: there is nothing to do, because it has ended, can't start, or waits for an
 * earlier run of its campaign. `hasCalls`: whether calls were decided just now.
 */
export async function takeRun(tx: Tx, runId: string, hasCalls: () => boolean): Promise<TakenRun | null> {
  const found = await selectRun(tx, runId);
  // In the order of starting: the campaign, then the run.
  const campaign = found === null ? null : await selectCampaign(tx, found.campaignId, true);
  const run = found === null ? null : await selectRun(tx, runId, true);
  if (campaign === null || run === null || run.completedAt !== null) return null;
  if ((await selectOpenRun(tx, campaign.id))?.id !== run.id) return null;
  if (run.status === 'pending') {
    const problem = await freezeRun(tx, run, hasCalls);
    if (problem !== null) {
      await endRun(tx, run, { status: 'failed', error: problem }, 'cancelled');
      return null;
    }
  }
  const token = await raiseToken(tx, run.id);
  const started = await selectRun(tx, run.id);
  if (started?.decisionFlowVersion == null) throw new Error('a started run has a flow version');
  const flow = await publishedFlowVersion(tx, run.decisionFlowId, started.decisionFlowVersion);
  return { run: { ...started, token }, flow };
}
