import type { CampaignResult, CampaignRun } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { countRunDeliveries, type RunDeliveries, selectStatuses } from '../deliveries/index.ts';
import type { ItemCounts } from './chunks/caps.rules.ts';
import type { ResultRow } from './results.store.ts';
import type { RunRow } from './runs.store.ts';

const round2 = (value: number): number => Math.round(value * 100) / 100;

const byCount = (counts: ItemCounts): [id: string, count: number][] =>
  Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

/** Runs as answers carry them, with today's names of offers and channels. */
export async function showRuns(tx: Tx, rows: readonly RunRow[]): Promise<CampaignRun[]> {
  const offerIds = rows.flatMap(({ offerCounts }) => Object.keys(offerCounts));
  const channelIds = rows.flatMap(({ channelCounts }) => Object.keys(channelCounts));
  const offers = await readRelated(tx, 'offer', offerIds, ['name']);
  const channels = await readRelated(tx, 'channel', channelIds, ['name']);
  const names = {
    offer: (id: string) => offers.get(id)?.name ?? '',
    channel: (id: string) => channels.get(id)?.name ?? '',
  };
  const deliveries = await countRunDeliveries(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => showRun(row, deliveries.get(row.id) ?? noDeliveries, tx.now, names));
}

interface NamesById {
  readonly offer: (id: string) => string;
  readonly channel: (id: string) => string;
}

const noDeliveries: RunDeliveries = { queued: 0, sent: 0, failed: 0, doubtful: 0 };

/** A run is complete once all decisions are made; its messages may fail later. */
export const statusWith = (status: RunRow['status'], deliveries: RunDeliveries = noDeliveries): RunRow['status'] =>
  status === 'completed' && deliveries.failed > 0 ? 'completed_with_errors' : status;

function showRun(row: RunRow, deliveries: RunDeliveries, now: Date, names: NamesById): CampaignRun {
  const { totalCustomers, nextPlace, totalItems, startedAt, completedAt, errorCode } = row;
  const processed = row.decidedCustomers + row.emptyCustomers + row.failedCustomers;
  const share = (count: number): number => (totalItems === 0 ? 0 : round2((100 * count) / totalItems));
  const hasEnded = completedAt !== null;
  const elapsedMs = startedAt === null ? null : (completedAt ?? now).getTime() - startedAt.getTime();
  return {
    id: row.id,
    campaignId: row.campaignId,
    runNumber: row.runNumber,
    triggeredBy: row.triggeredBy,
    triggeredByUserId: row.triggeredByUserId,
    status: statusWith(row.status, deliveries),
    error: errorCode === null ? null : { code: errorCode, message: row.errorMessage ?? '' },
    decisionFlowId: row.decisionFlowId,
    decisionFlowVersion: row.decisionFlowVersion,
    segmentId: row.segmentId,
    createdAt: row.createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    durationMs: hasEnded ? elapsedMs : null,
    totalCustomers,
    processedCustomers: processed,
    customersWithRecommendations: row.decidedCustomers,
    totalRecommendations: totalItems,
    avgOffersPerCustomer: processed === 0 ? 0 : round2(totalItems / processed),
    skippedCustomers: row.skippedCustomers,
    skippedByCaps: row.skippedByCaps,
    failedCustomers: row.failedCustomers,
    deliveries: { ...deliveries },
    failedDeliveries: deliveries.failed,
    offerBreakdown: byCount(row.offerCounts).map(([offerId, count]) => ({
      ...{ offerId, offerName: names.offer(offerId), count, percent: share(count) },
    })),
    channelBreakdown: byCount(row.channelCounts).map(([channelId, count]) => ({
      ...{ channelId, channelName: names.channel(channelId), count, percent: share(count) },
    })),
    volumeCapReached: row.isCapped ? 'total' : null,
    fileUrl: row.filePath === null ? null : `/api/v1/runs/${row.campaignId}/campaign-runs/${row.id}/file`,
    progressPercent: hasEnded ? 100 : totalCustomers === 0 ? 0 : round2((100 * nextPlace) / totalCustomers),
    etaSeconds:
      hasEnded || elapsedMs === null || nextPlace === 0
        ? null
        : Math.ceil((elapsedMs * (totalCustomers - nextPlace)) / nextPlace / 1000),
  };
}

/** Results as answers carry them, with the status that each message has now. */
export async function showResults(tx: Tx, rows: readonly ResultRow[]): Promise<CampaignResult[]> {
  const ids = rows.flatMap(({ items }) => (items ?? []).flatMap(({ deliveryId }) => deliveryId ?? []));
  const statuses = await selectStatuses(tx, ids);
  return rows.map((row) => showResult(row, statuses));
}

function showResult(row: ResultRow, statuses: ReadonlyMap<string, string>): CampaignResult {
  const items = row.items ?? [];
  return {
    customerId: row.customerId,
    status: row.status,
    skipReason: row.skipReason,
    requestId: row.requestId,
    count: items.length,
    decisions: items.map(({ rank, offerId, offerName, creativeId, channelId, score, deliveryId = null }) => ({
      ...{ rank, offerId, offerName, creativeId, channelId, score, deliveryId },
      deliveryStatus: deliveryId === null ? null : (statuses.get(deliveryId) ?? null),
    })),
    error: row.error,
    processedAt: row.processedAt.toISOString(),
  };
}

/** Names of the offers in results, by id. */
export const offerNames = (results: readonly CampaignResult[]): Record<string, string> =>
  Object.fromEntries(
    results.flatMap(({ decisions }) => decisions.map(({ offerId, offerName }) => [offerId, offerName])),
  );
