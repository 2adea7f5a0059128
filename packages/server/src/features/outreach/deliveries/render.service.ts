import { compileCreative, emptyScope, type JsonObject } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { isObject } from '../../../platform/json.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { publishedContent } from '../../catalogue/content/index.ts';
import { findCreativeTexts } from '../../catalogue/creatives/index.ts';
import { messageContent } from './content.rules.ts';
import type { DeliveryRow } from './deliveries.store.ts';
import type { MessageContent } from './message.ts';

/** Columns of an offer that texts can name as `offer.*`. */
const offerColumns = [
  ...(['name', 'status', 'categoryId', 'subCategoryId', 'category', 'priority', 'businessValue'] as const),
  ...(['description', 'shortDesc', 'metadata', 'tags', 'productType', 'margin', 'revenueValue'] as const),
] as const;

/**
 * Renders a message by the rules of decisions: the creative's content over the published version of its content item,
 * with the customer's current attributes. Null without a creative, or if it was deleted.
 */
export async function renderMessage(
  tx: Tx,
  { creativeId, offerId }: Pick<DeliveryRow, 'creativeId' | 'offerId'>,
  profile: Readonly<Record<string, unknown>>,
): Promise<MessageContent | null> {
  const creative = creativeId === null ? null : await findCreativeTexts(tx, creativeId);
  if (creative === null || creative.deletedAt !== null) return null;
  const offer = (await readRelated(tx, 'offer', [offerId], offerColumns)).get(offerId);
  const names = customFieldsOf(offer?.metadata);
  const item = creative.contentItemId === null ? null : await publishedContent(tx, creative.contentItemId);
  const template = compileCreative(creative, item);
  const scope = Object.assign(emptyScope(), {
    customer: profile,
    offer: { ...offer, customFields: names },
    attributes: {},
  });
  return messageContent(template.render(scope, names), offer?.name ?? '');
}

/** Custom fields come from JSON. */
function customFieldsOf(metadata: unknown): JsonObject {
  const fields = isObject(metadata) ? metadata.customFields : undefined;
  return isObject(fields) ? (fields as JsonObject) : {};
}
