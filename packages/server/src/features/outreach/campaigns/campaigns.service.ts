import {
  type Campaign,
  type CampaignChange,
  type CampaignCreate,
  type CampaignDetail,
  campaignPage,
  campaignResultsShown,
  campaignRunsShown,
  pageSize,
} from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { parseCron } from '../../../platform/time/cron.ts';
import { zoneProblem } from '../../../platform/time/zones.ts';
import { readRelated, requireLive } from '../../catalogue/catalogue-records/index.ts';
import { type FileConfigPorts, readFileConfig } from '../../catalogue/channels/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { countRunDeliveries } from '../deliveries/index.ts';
import {
  type CampaignRow,
  deleteCampaign,
  insertCampaign,
  selectCampaign,
  selectCampaigns,
  updateCampaign,
} from './campaigns.store.ts';
import { deleteRows, selectResults } from './results.store.ts';
import { enqueueFile } from './run-jobs.ts';
import { selectLatestRuns, selectRunIds, selectRuns } from './runs.store.ts';
import { nextRunOf } from './schedule.rules.ts';
import { offerNames, showResults, showRuns, statusWith } from './show-run.service.ts';

const notFound = () => new AppError('not_found', { detail: 'This campaign does not exist.' });

/** Throws 404. */
export async function getCampaignRow(tx: Tx, id: string, lock = false): Promise<CampaignRow> {
  const row = await selectCampaign(tx, id, lock);
  if (row === null) throw notFound();
  return row;
}

export async function listCampaigns(
  tx: Tx,
  query: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly status?: string | undefined;
  },
): Promise<{ runs: Campaign[]; total: number }> {
  const { rows, total } = await selectCampaigns(tx, {
    status: query.status ?? null,
    limit: pageSize(campaignPage, query.limit),
    offset: query.offset ?? 0,
  });
  return { runs: await showCampaigns(tx, rows), total };
}

/** Returns a campaign with its newest runs, and the first results of the newest. 404. */
export async function readCampaign(tx: Tx, id: string): Promise<CampaignDetail> {
  const row = await getCampaignRow(tx, id);
  const [campaign] = await showCampaigns(tx, [row]);
  const runs = await selectRuns(tx, row.id, campaignRunsShown);
  const [newest] = runs;
  const results =
    newest === undefined
      ? []
      : await selectResults(tx, newest.id, { after: null, status: null, limit: campaignResultsShown });
  const shown = await showResults(tx, results);
  return { ...campaign!, runs: await showRuns(tx, runs), offers: offerNames(shown), results: shown };
}

const defaults = {
  description: '',
  status: 'draft',
  scheduleType: 'manual',
  scheduleDayOfWeek: null,
  scheduleDayOfMonth: null,
  scheduleTime: '09:00',
  scheduleTimezone: 'UTC',
  scheduleCron: null,
  frequencyCaps: null,
  fileConfig: null,
  channelIds: [] as string[],
  deliveryGuarantee: 'at_most_once',
} as const;

/** Creates a campaign, which starts no run. Throws 400, 422 `invalid_cron`, 503 `not_configured`. */
export async function createCampaign(tx: Tx, body: CampaignCreate, ports: FileConfigPorts): Promise<Campaign> {
  const names = await requireReferences(tx, body);
  const row = scheduled(tx, {
    ...defaults,
    ...stored(body, ports),
    name: body.name ?? `${names.flow} to ${names.segment}`.slice(0, 255),
    decisionFlowId: body.decisionFlowId.toLowerCase(),
    segmentId: body.segmentId.toLowerCase(),
    ...{ id: newId(), tenantId: tx.tenantId, nextRunAt: null, lastSkipAt: null, lastSkipReason: null, runCount: 0 },
    ...{ createdAt: tx.now, updatedAt: tx.now },
  });
  await insertCampaign(tx, row);
  await auditCampaign(tx, 'create', row, { after: auditView(row) });
  return (await showCampaigns(tx, [row]))[0]!;
}

/** Changes the given properties; a changed schedule counts from now. Throws 404 and what creating throws. */
export async function changeCampaign(
  tx: Tx,
  id: string,
  change: CampaignChange,
  ports: FileConfigPorts,
): Promise<Campaign> {
  const before = await getCampaignRow(tx, id, true);
  const ids = { decisionFlowId: before.decisionFlowId, segmentId: before.segmentId };
  // A kept record may refer to a deleted one.
  await requireReferences(tx, change);
  const row = scheduled(tx, {
    ...before,
    ...stored(change, ports),
    decisionFlowId: change.decisionFlowId?.toLowerCase() ?? ids.decisionFlowId,
    segmentId: change.segmentId?.toLowerCase() ?? ids.segmentId,
    updatedAt: tx.now,
  });
  await updateCampaign(tx, row);
  await auditCampaign(tx, 'update', row, { before: auditView(before), after: auditView(row) });
  return (await showCampaigns(tx, [row]))[0]!;
}

/** Deletes a campaign with its runs. A run in progress stops, because its next chunk can't commit. 404. */
export async function removeCampaign(tx: Tx, id: string): Promise<void> {
  const row = await getCampaignRow(tx, id, true);
  const runIds = await selectRunIds(tx, row.id);
  await deleteCampaign(tx, row.id);
  await deleteRows(tx, runIds);
  for (const runId of runIds) await enqueueFile(tx, runId);
  await auditCampaign(tx, 'delete', row, { before: auditView(row) });
}

/** Checks what the body names. Returns the names of flow and segment; empty for those that it leaves out. */
async function requireReferences(tx: Tx, body: CampaignChange): Promise<{ flow: string; segment: string }> {
  const names = { flow: '', segment: '' };
  if (body.decisionFlowId !== undefined) {
    const flow = await requireLive(tx, 'decisionFlow', body.decisionFlowId, '/decisionFlowId', ['name']);
    names.flow = flow.name;
  }
  if (body.segmentId !== undefined) {
    names.segment = (await requireLive(tx, 'segment', body.segmentId, '/segmentId', ['name'])).name;
  }
  for (const [at, channelId] of (body.channelIds ?? []).entries()) {
    await requireLive(tx, 'channel', channelId, `/channelIds/${at}`);
  }
  return names;
}

/** The properties of a body as they are stored. */
function stored(change: CampaignChange, ports: FileConfigPorts) {
  const { scheduleDayOfMonth, channelIds, fileConfig, decisionFlowId: _, segmentId: __, ...body } = change;
  return {
    ...body,
    ...(fileConfig === undefined ? {} : { fileConfig: fileConfig === null ? null : readFileConfig(fileConfig, ports) }),
    ...(scheduleDayOfMonth === undefined
      ? {}
      : { scheduleDayOfMonth: scheduleDayOfMonth === null ? null : String(scheduleDayOfMonth) }),
    ...(channelIds === undefined ? {} : { channelIds: channelIds.map((id) => id.toLowerCase()) }),
  };
}

/** Returns the campaign with its next run from now. Throws 400 for an invalid zone and 422 `invalid_cron`. */
function scheduled(tx: Tx, row: CampaignRow): CampaignRow {
  const problem = zoneProblem(row.scheduleTimezone);
  if (problem !== null) throw invalid('/scheduleTimezone', problem);
  assertCron(row.scheduleCron);
  const next = row.status === 'active' ? nextRunOf(row, tx.now.getTime()) : null;
  return { ...row, nextRunAt: next === null ? null : new Date(next) };
}

function assertCron(text: string | null): void {
  if (text === null) return;
  try {
    parseCron(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError('invalid_cron', {
      detail: `The cron expression ${error.message}.`,
      errors: [{ path: '/scheduleCron', message: error.message }],
    });
  }
}

async function showCampaigns(tx: Tx, rows: readonly CampaignRow[]): Promise<Campaign[]> {
  const flows = await readRelated(
    tx,
    'decisionFlow',
    rows.map(({ decisionFlowId }) => decisionFlowId),
    ['name'],
  );
  const segments = await readRelated(
    tx,
    'segment',
    rows.map(({ segmentId }) => segmentId),
    ['name', 'customerCount'],
  );
  const latest = await selectLatestRuns(
    tx,
    rows.map(({ id }) => id),
  );
  const deliveries = await countRunDeliveries(
    tx,
    [...latest.values()].map(({ id }) => id),
  );
  return rows.map(({ lastSkipAt, lastSkipReason: _, ...row }) => {
    const segment = segments.get(row.segmentId);
    const run = latest.get(row.id);
    const count = segment?.customerCount;
    return {
      ...row,
      channelIds: [...row.channelIds],
      nextRunAt: row.nextRunAt?.toISOString() ?? null,
      lastSkip: lastSkipAt === null ? null : { at: lastSkipAt.toISOString(), reason: 'run_in_progress' },
      decisionFlowName: flows.get(row.decisionFlowId)?.name ?? null,
      segmentName: segment?.name ?? null,
      segmentCustomerCount: count == null ? null : Number(count),
      lastRunAt: run?.startedAt?.toISOString() ?? null,
      latestRun:
        run === undefined
          ? null
          : { id: run.id, status: statusWith(run.status, deliveries.get(run.id)), runNumber: run.runNumber },
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  });
}

/** What the audit log stores. Running isn't a change of the campaign. */
function auditView(row: CampaignRow) {
  const {
    tenantId: _t,
    nextRunAt: _n,
    lastSkipAt: _a,
    lastSkipReason: _r,
    runCount: _c,
    updatedAt: _u,
    ...shown
  } = row;
  return { ...shown, createdAt: row.createdAt.toISOString() };
}

async function auditCampaign(
  tx: Tx,
  action: 'create' | 'update' | 'delete',
  { id, name }: CampaignRow,
  change: { readonly before?: object; readonly after?: object },
): Promise<void> {
  await recordAudit(tx, { action, entityType: 'campaign', entityId: id, entityName: name, ...change });
}
