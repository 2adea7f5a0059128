import { readList, readWord } from '../config-values.ts';
import type { ResponseStage } from '../plan/program.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import { integer, listOf, oneOf } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const formats = ['standard', 'minimal', 'grouped'] as const;

/** Fields of an item (docs/design/api-decisioning.md 2). */
const itemFields = [
  'rank',
  'placementRank',
  'interactionId',
  'recommendationId',
  'offerId',
  'offerName',
  'shortDesc',
  'description',
  'categoryId',
  'categoryName',
  'subCategoryId',
  'subCategoryName',
  'productType',
  'priority',
  'mandatory',
  'score',
  'scoreComponents',
  'modelKey',
  'modelType',
  'propensitySource',
  'selection',
  'creativeId',
  'creativeName',
  'templateType',
  'abTestVariant',
  'channelId',
  'channelName',
  'channelType',
  'placementId',
  'placementName',
  'content',
  'personalization',
  'metadata',
  'impressionRecorded',
  'reservation',
] as const;

/** Shape and size of the answer. */
export const response: NodeKind = {
  type: 'response',
  phase: 3,
  single: true,
  keys: { responseFormat: oneOf(formats), includeFields: listOf(itemFields, 40), limit: integer(1, 50) },
  required: [],
};

export function compileResponse(node: FlowNode | undefined): ResponseStage {
  const config = node?.config ?? {};
  return {
    nodeId: node?.id ?? null,
    format: readWord(config.responseFormat, formats) ?? 'standard',
    includeFields: readList(config.includeFields) ?? [],
  };
}
