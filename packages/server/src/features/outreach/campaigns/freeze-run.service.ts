import type { CampaignRunError } from '@arbiter/contract';
import { compareText, h32 } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { activeChannels } from '../../catalogue/channels/index.ts';
import { memberIds } from '../../catalogue/segments/index.ts';
import { insertMembers } from './results.store.ts';
import { markStarted, type RunRow } from './runs.store.ts';

/** Members that are read and written in one statement. */
const membersPerPage = 5_000;

/** Why a run can't start. */
export interface StartProblem {
  readonly code: Extract<CampaignRunError, 'flow_not_published' | 'segment_unavailable'>;
  readonly message: string;
}

/**
 * Starts a locked run: keeps the published version of its flow, its channels and the members of its segment, in an order
 * of its own. Returns why it can't start.
 */
export async function freezeRun(tx: Tx, run: RunRow): Promise<StartProblem | null> {
  const { decisionFlowId, segmentId } = run;
  const flows = await readRelated(tx, 'decisionFlow', [decisionFlowId], ['status', 'publishedVersion', 'deletedAt']);
  const flow = flows.get(decisionFlowId);
  const version = flow?.publishedVersion ?? null;
  if (flow === undefined || flow.deletedAt !== null || flow.status !== 'active' || version === null) {
    return { code: 'flow_not_published', message: 'The decision flow is inactive or has no published version.' };
  }
  const segments = await readRelated(tx, 'segment', [segmentId], ['status']);
  const members = segments.get(segmentId)?.status === 'archived' ? null : await readMembers(tx, segmentId);
  if (members === null) return { code: 'segment_unavailable', message: 'The segment is archived or deleted.' };
  const ordered = await inOrder(run.id, members);
  for (let from = 0; from < ordered.length; from += membersPerPage) {
    await insertMembers(tx, run.id, from, ordered.slice(from, from + membersPerPage));
  }
  const channelIds = run.channelIds.length > 0 ? run.channelIds : await defaultChannels(tx);
  await markStarted(tx, run.id, { flowVersion: Number(version), channelIds, totalCustomers: ordered.length });
  return null;
}

/** Null: the segment is gone, or can't be evaluated. */
async function readMembers(tx: Tx, segmentId: string): Promise<string[] | null> {
  const members: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: string[] | null = await memberIds(tx, segmentId, after, membersPerPage).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    });
    if (page === null) return null;
    members.push(...page);
    if (page.length < membersPerPage) return members;
    after = page.at(-1) ?? null;
  }
}

/** Orders customers by a hash with the run, so that caps don't always favor the same ones. */
async function inOrder(runId: string, customerIds: readonly string[]): Promise<string[]> {
  const turns = takeTurns();
  const hashed: { readonly customerId: string; readonly hash: number }[] = [];
  for (const customerId of new Set(customerIds)) {
    hashed.push({ customerId, hash: h32(`${runId}:${customerId}`) });
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  return hashed
    .sort((a, b) => a.hash - b.hash || compareText(a.customerId, b.customerId))
    .map(({ customerId }) => customerId);
}

/** All active channels that deliver on their own; all active ones when there are none. */
async function defaultChannels(tx: Tx): Promise<string[]> {
  const active = await activeChannels(tx);
  const batch = active.filter(({ deliveryMode }) => deliveryMode !== 'api');
  return (batch.length > 0 ? batch : active).map(({ id }) => id);
}
