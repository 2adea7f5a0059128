import type { ReportParams } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import type { ReportFilter } from '../report-rendering/index.ts';

const kinds = [
  ['offerId', 'Offer', 'offer'],
  ['channelId', 'Channel', 'channel'],
  ['categoryId', 'Category', 'category'],
  ['segmentId', 'Segment', 'segment'],
  ['modelId', 'Model', 'algorithmModel'],
  ['experimentId', 'Experiment', 'experiment'],
] as const;

/** Describes in words what the parameters filter by: records by name, unknown ones by ID. */
export async function describeFilters(tx: Tx, params: ReportParams): Promise<ReportFilter[]> {
  const filters: ReportFilter[] = [];
  for (const [param, label, kind] of kinds) {
    const id = params[param]?.toLowerCase();
    if (id === undefined) continue;
    const record = (await readRelated(tx, kind, [id], ['name'])).get(id);
    filters.push({ label, value: record?.name ?? id });
  }
  const { decisionFlowKey, baselineDays } = params;
  if (decisionFlowKey !== undefined) filters.push({ label: 'Flow', value: decisionFlowKey });
  if (baselineDays !== undefined) filters.push({ label: 'Compared with', value: `the previous ${baselineDays} days` });
  return filters;
}
