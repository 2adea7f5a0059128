import type { HistoryRow } from '../../deciding/interactions/index.ts';

const two = (number: number): string => String(number).padStart(2, '0');

/**
 * Folder of a tenant's export files within the exports folder. Uses only ids: names may contain anything
 * (docs/design/quality.md T14).
 */
export const folderOf = (tenantId: string): string => `${encodeURIComponent(tenantId)}/interaction_history`;

/** Path of the file of a batch; days are days of UTC. */
export function pathOf(tenantId: string, at: Date): string {
  const day = `year=${at.getUTCFullYear()}/month=${two(at.getUTCMonth() + 1)}/day=${two(at.getUTCDate())}`;
  return `${folderOf(tenantId)}/${day}/batch-${at.getTime()}.json`;
}

/** Returns one line of a file: a row of interaction history as the API shows it. */
export function lineOf({ outcomeKey, conversionValue, occurredAt, createdAt, ...row }: HistoryRow): string {
  const line = {
    id: row.id,
    customerId: row.customerId,
    offerId: row.offerId,
    creativeId: row.creativeId,
    channelId: row.channelId,
    placementId: row.placementId,
    interactionType: row.interactionType,
    outcomeTypeKey: outcomeKey,
    classification: row.classification,
    direction: row.direction,
    recommendationId: row.recommendationId,
    rank: row.rank,
    campaignId: row.campaignId,
    journeyId: row.journeyId,
    conversionValue: conversionValue === null ? null : Number(conversionValue),
    context: row.context,
    attributes: row.attributes,
    timestamp: occurredAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
  return `${JSON.stringify(line)}\n`;
}
