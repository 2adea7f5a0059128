import {
  type CampaignRun,
  type CampaignTrigger,
  campaignHistory,
  campaignResultPage,
  type Pagination,
  pageSize,
} from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { segmentOfView } from '../../catalogue/segments/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { getCampaignRow } from './campaigns.service.ts';
import { type CampaignRow, nextRunNumber, selectCampaign } from './campaigns.store.ts';
import { endRun } from './end-run.service.ts';
import { countResults, selectResults } from './results.store.ts';
import { contentOf, type FileFacts } from './run-file.service.ts';
import { enqueueRun } from './run-jobs.ts';
import { insertRun, type RunRow, selectOpenRun, selectRun, selectRuns } from './runs.store.ts';
import { showResults, showRuns } from './show-run.service.ts';

/** Where a run departs from its campaign. */
export interface RunStart {
  readonly triggeredBy: CampaignTrigger;
  readonly decisionFlowId?: string;
  readonly segmentId?: string;
}

/** Queues a run of a locked campaign. Numbers have no gaps, because they are given under the lock. */
export async function queueRun(tx: Tx, campaign: CampaignRow, start: RunStart): Promise<RunRow> {
  const isFirst = (await selectOpenRun(tx, campaign.id)) === null;
  const { decisionFlowId, segmentId, channelIds, frequencyCaps, fileConfig, deliveryGuarantee } = campaign;
  const id = newId();
  await insertRun(tx, {
    ...{ id, campaignId: campaign.id, runNumber: await nextRunNumber(tx, campaign.id) },
    triggeredBy: start.triggeredBy,
    triggeredByUserId: isUuid(tx.actor.id) ? tx.actor.id : null,
    decisionFlowId: start.decisionFlowId ?? decisionFlowId,
    segmentId: start.segmentId ?? segmentId,
    ...{ channelIds, frequencyCaps, fileConfig, deliveryGuarantee },
  });
  // The end of an earlier run enqueues the next.
  if (isFirst) await enqueueRun(tx, id);
  const run = await selectRun(tx, id);
  if (run === null) throw new Error('the run was just inserted');
  await recordAudit(tx, {
    ...{ action: 'create', entityType: 'campaignRun', entityId: id, entityName: campaign.name },
    after: { campaignId: campaign.id, runNumber: run.runNumber, triggeredBy: run.triggeredBy },
  });
  return run;
}

/** Starts a campaign by hand. 404; 409 for an archived one. */
export async function startRun(tx: Tx, campaignId: string): Promise<CampaignRun> {
  const campaign = await lockStartable(tx, campaignId);
  return (await showRuns(tx, [await queueRun(tx, campaign, { triggeredBy: 'manual' })]))[0]!;
}

/** Starts a campaign with another flow and segment. 404 for what isn't there; 409 for an archived one. */
export async function startInline(
  tx: Tx,
  body: { readonly runId: string; readonly decisionFlowId: string; readonly segmentViewName: string },
): Promise<{ status: 'executing'; runId: string; campaignRunId: string }> {
  const campaign = await lockStartable(tx, body.runId);
  const decisionFlowId = body.decisionFlowId.toLowerCase();
  const flow = (await readRelated(tx, 'decisionFlow', [decisionFlowId], ['deletedAt'])).get(decisionFlowId);
  if (flow === undefined || flow.deletedAt !== null) {
    throw new AppError('not_found', { detail: 'This decision flow does not exist.' });
  }
  const segmentId = await segmentOfView(tx, body.segmentViewName);
  if (segmentId === null) throw new AppError('not_found', { detail: 'No segment has this view.' });
  const run = await queueRun(tx, campaign, { triggeredBy: 'inline', decisionFlowId, segmentId });
  return { status: 'executing', runId: campaign.id, campaignRunId: run.id };
}

async function lockStartable(tx: Tx, id: string): Promise<CampaignRow> {
  const campaign = await getCampaignRow(tx, id, true);
  if (campaign.status !== 'archived') return campaign;
  throw new AppError('invalid_transition', { detail: 'The campaign is archived. Change its status to start it.' });
}

export async function listRuns(tx: Tx, campaignId: string): Promise<{ runs: CampaignRun[]; total: number }> {
  const campaign = await getCampaignRow(tx, campaignId);
  return { runs: await showRuns(tx, await selectRuns(tx, campaign.id, campaignHistory)), total: campaign.runCount };
}

async function getRun(tx: Tx, campaignId: string, runId: string): Promise<RunRow> {
  const run = await selectRun(tx, runId);
  if (run !== null && run.campaignId === campaignId.toLowerCase()) return run;
  throw new AppError('not_found', { detail: 'This run does not exist.' });
}

/** 404. */
export async function readRun(tx: Tx, campaignId: string, runId: string): Promise<CampaignRun> {
  return (await showRuns(tx, [await getRun(tx, campaignId, runId)]))[0]!;
}

/** Ends a run; what it decided stays. 404; 409 when it has ended. */
export async function cancelRun(tx: Tx, campaignId: string, runId: string): Promise<CampaignRun> {
  const { id } = await getRun(tx, campaignId, runId);
  // In the order of starting: the campaign, then the run.
  const campaign = await selectCampaign(tx, campaignId, true);
  const run = await selectRun(tx, id, true);
  if (campaign === null || run === null) throw new AppError('not_found', { detail: 'This run does not exist.' });
  if (run.completedAt !== null) throw new AppError('invalid_transition', { detail: 'The run has already ended.' });
  const error = { code: 'cancelled', message: 'The run was cancelled.' } as const;
  await endRun(tx, run, { status: 'failed', error }, 'cancelled');
  await recordAudit(tx, {
    ...{ action: 'update', entityType: 'campaignRun', entityId: run.id, entityName: campaign.name },
    ...{ before: { status: run.status }, after: { status: 'failed', error: 'cancelled' } },
  });
  return readRun(tx, campaignId, runId);
}

type ResultQuery = { readonly limit?: number; readonly cursor?: string; readonly status?: string };

/** Returns a page of results, in the run's order of customers. 404, 400 `invalid_cursor`. */
export async function listResults(tx: Tx, campaignId: string, runId: string, query: ResultQuery) {
  const run = await getRun(tx, campaignId, runId);
  const { cursor, status = null } = query;
  const limit = pageSize(campaignResultPage, query.limit);
  const after = cursor === undefined ? null : await readCursor(tx, run.id, cursor);
  const rows = await selectResults(tx, run.id, { after, status, limit: limit + 1 });
  const total = await countResults(tx, run.id, status);
  const page = pageOf({ rows, limit, total, cursorOf: ({ place }) => cursorAt(run.id, place) });
  return { data: await showResults(tx, page.rows), pagination: page.pagination satisfies Pagination };
}

/** Includes the run, so that a cursor doesn't work for another run's list. */
const cursorAt = (runId: string, place: number): string => `${runId}.${place}`;

async function readCursor(tx: Tx, runId: string, cursor: string): Promise<number> {
  const [, ofRun, digits] = /^([0-9a-f-]{36})\.(\d{1,9})$/.exec(cursor) ?? [];
  const place = ofRun === runId ? Number(digits) : null;
  if (place !== null) {
    const [row] = await selectResults(tx, runId, { after: place - 1, status: null, limit: 1 });
    if (row?.place === place) return place;
  }
  throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
}

/** Returns the file of a run. 404 until it's written. */
export async function readFile(
  tx: Tx,
  folder: PrivateFolder,
  campaignId: string,
  runId: string,
): Promise<FileFacts & { readonly content: string }> {
  const run = await getRun(tx, campaignId, runId);
  const file = await contentOf(folder, run);
  if (file === null) throw new AppError('not_found', { detail: 'The run has no file.' });
  return file;
}
