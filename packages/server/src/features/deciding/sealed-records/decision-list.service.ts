import { type DecisionListRow, type decisionSources, defaultPage, type Pagination, pageSize } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { remarkArchived } from '../archived-months/index.ts';
import { firstOffersOf } from '../interactions/index.ts';
import { type DecisionFilters, readDecisionFilter } from './decision-filter.ts';
import { countDecisions, type ListedDecision, selectDecisions } from './decision-list.store.ts';
import { emptyCodes } from './empty-codes.ts';
import { hasRecord } from './sealed-records.store.ts';

/** A page of decisions, newest first (docs/design/api-settled.md, "Decisions as a list"). No record is opened. */
export async function listDecisions(
  tx: Tx,
  { cursor, limit: asked, ...filters }: DecisionFilters & { readonly cursor?: string; readonly limit?: number },
): Promise<{ data: DecisionListRow[]; pagination: Pagination }> {
  if (cursor !== undefined && !(isUuid(cursor) && (await hasRecord(tx, cursor)))) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const limit = pageSize(defaultPage, asked);
  const filter = await readDecisionFilter(tx, filters);
  const found = filter === null ? [] : await selectDecisions(tx, filter, cursor ?? null, limit + 1);
  const total = filter === null ? 0 : await countDecisions(tx, filter);
  await remarkArchived(tx, ['decisions'], filter ?? { from: null, to: null });
  const { rows, pagination } = pageOf({ rows: found, limit, total, cursorOf: (row) => row.id });
  const flowIds = rows.map(({ flowId }) => flowId);
  const flows = await readRelated(tx, 'decisionFlow', flowIds, ['key']);
  const shown = rows.filter(({ itemCount }) => itemCount > 0).map(({ id }) => id);
  const offerIds = await firstOffersOf(tx, shown);
  const offers = await readRelated(tx, 'offer', [...offerIds.values()], ['name']);
  const topOfferOf = (id: string): DecisionListRow['topOffer'] => {
    const offer = offers.get(offerIds.get(id) ?? '');
    return offer === undefined ? null : { offerId: offer.id, offerName: offer.name };
  };
  const data = rows.map((row) => show(row, flows.get(row.flowId)?.key ?? null, topOfferOf(row.id)));
  return { data, pagination };
}

const reasonOf = new Map(Object.entries(emptyCodes).map(([reason, code]) => [code, reason]));

function show(row: ListedDecision, flowKey: string | null, topOffer: DecisionListRow['topOffer']): DecisionListRow {
  return {
    requestId: row.requestId,
    recommendationId: row.id,
    traceId: row.traceId,
    customerId: row.customerId,
    source: row.source as (typeof decisionSources)[number],
    decidedAt: row.decidedAt.toISOString(),
    flow: { id: row.flowId, key: flowKey, version: row.flowVersion },
    configVersion: Number(row.configVersion),
    channelId: row.channelId,
    itemCount: row.itemCount,
    topOffer,
    emptyReason: row.emptyCode === null ? null : (reasonOf.get(row.emptyCode) ?? null),
    explored: row.explored === true,
    minProbability: row.minProbability,
  };
}
