import type { CampaignRunError } from '@arbiter/contract';
import { compareText, h32 } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { rest, takeTurns } from '../../../platform/turns.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { activeChannels } from '../../catalogue/channels/index.ts';
import { memberIds } from '../../catalogue/segments/index.ts';
import { insertMembers } from './results.store.ts';
import { markStarted, type RunRow } from './runs.store.ts';

/** Members that are read in one statement, and written in one. */
const membersPerRead = 5_000;
const membersPerWrite = 1_000;
/** Members that are sorted at once. */
const membersPerGroup = 1_000;

/** Why a run can't start. */
export interface StartProblem {
  readonly code: Extract<CampaignRunError, 'flow_not_published' | 'segment_unavailable'>;
  readonly message: string;
}

/**
 * Starts a locked run: keeps the published version of its flow, its channels and the members of its segment, in an order
 * of its own. Rests between its pieces while calls come in (`hasCalls`). Returns why it can't start.
 */
export async function freezeRun(tx: Tx, run: RunRow, hasCalls: () => boolean): Promise<StartProblem | null> {
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
  for (let from = 0; from < ordered.length; from += membersPerWrite) {
    const startedAt = performance.now();
    await insertMembers(tx, run.id, from, ordered.slice(from, from + membersPerWrite));
    if (hasCalls()) await rest(performance.now() - startedAt);
  }
  const channelIds = run.channelIds.length > 0 ? run.channelIds : await defaultChannels(tx);
  await markStarted(tx, run.id, { flowVersion: Number(version), channelIds, totalCustomers: ordered.length });
  return null;
}

/** Null: the segment is gone, or can't be evaluated. */
async function readMembers(tx: Tx, segmentId: string): Promise<string[] | null> {
  const members: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: string[] | null = await memberIds(tx, segmentId, after, membersPerRead).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    });
    if (page === null) return null;
    members.push(...page);
    if (page.length < membersPerRead) return members;
    after = page.at(-1) ?? null;
  }
}

interface Hashed {
  readonly customerId: string;
  readonly hash: number;
}

/**
 * Orders customers by a hash with the run, so that caps don't always favor the same ones. Each appears once. Sorts in groups, by the
 * upper part of the hash: sorting a million at once would block the event loop for seconds.
 */
export async function inOrder(runId: string, customerIds: readonly string[]): Promise<string[]> {
  const turns = takeTurns();
  const groups: Hashed[][] = Array.from({ length: Math.ceil(customerIds.length / membersPerGroup) }, () => []);
  for (const customerId of customerIds) {
    const hash = h32(`${runId}:${customerId}`);
    groups[Math.floor((hash / 2 ** 32) * groups.length)]!.push({ customerId, hash });
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  const ordered: string[] = [];
  for (const group of groups) {
    group.sort((a, b) => a.hash - b.hash || compareText(a.customerId, b.customerId));
    for (const { customerId } of group) if (customerId !== ordered.at(-1)) ordered.push(customerId);
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  return ordered;
}

/** All active channels that deliver on their own; all active ones when there are none. */
async function defaultChannels(tx: Tx): Promise<string[]> {
  const active = await activeChannels(tx);
  const batch = active.filter(({ deliveryMode }) => deliveryMode !== 'api');
  return (batch.length > 0 ? batch : active).map(({ id }) => id);
}
