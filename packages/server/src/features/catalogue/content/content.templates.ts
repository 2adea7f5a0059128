import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { findRecord, requireLive } from '../catalogue-records/index.ts';
import { type ContentRecord, contentSpec, selectFamily, selectVersion, type TemplateUse } from './content.store.ts';
import { type ContentParts, mergeParts } from './merge.rules.ts';

/** Levels of items, including the lowest (docs/design/api-catalogue.md 3.3). */
const maxLevels = 5;

/**
 * Throws 400 unless the item may have this parent: a template that isn't archived, without a cycle, at most five levels
 * in total. `itemId` is null for a new item. The caller holds `lockTemplates`.
 */
export async function checkParent(tx: Tx, parentId: string, itemId: string | null): Promise<void> {
  const path = '/parentTemplateId';
  const parent = await requireLive(tx, 'contentItem', parentId, path, ['isTemplate', 'status']);
  if (!parent.isTemplate) throw invalid(path, 'must be a content item with isTemplate: true');
  if (parent.status === 'archived') throw invalid(path, 'must not be an archived content item');
  const { above, levelsBelow } = await selectFamily(tx, parent.id, itemId);
  if (itemId !== null && above.includes(itemId)) throw invalid(path, 'must not make the item its own template');
  const levels = above.length + 1 + levelsBelow;
  if (levels > maxLevels) throw invalid(path, `would stack ${levels} items; the limit is ${maxLevels}`);
}

/** An item merged with its templates, and the template versions used. */
export interface MergedContent {
  readonly parts: ContentParts;
  readonly from: readonly TemplateUse[];
}

const ownParts = ({ content, blocks, personalization }: ContentParts): ContentParts => ({
  content,
  blocks,
  personalization,
});

/**
 * Merges an item's working copy with its current templates. Uses each template's last published version, which includes
 * its own templates, or else its working copy merged with its own templates. A template that was archived keeps
 * counting.
 */
export async function mergeWithTemplates(
  tx: Tx,
  item: ContentParts & Pick<ContentRecord, 'parentTemplateId'>,
): Promise<MergedContent> {
  const layers: ContentParts[] = [ownParts(item)];
  const from: TemplateUse[] = [];
  for (let parentId = item.parentTemplateId; parentId !== null && from.length < maxLevels; ) {
    const parent = await findRecord(tx, contentSpec, parentId);
    if (parent === null) throw new AppError('internal', { detail: 'The parent template no longer exists.' });
    const { publishedVersion } = parent;
    from.push({ id: parent.id, version: publishedVersion });
    const published = publishedVersion === null ? null : await selectVersion(tx, parent.id, publishedVersion);
    layers.push(published?.merged ?? ownParts(parent));
    parentId = published === null ? parent.parentTemplateId : null;
  }
  return { parts: layers.reduceRight((template, own) => mergeParts(template, own)), from };
}
