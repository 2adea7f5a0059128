import type { SnapshotContentItem } from '@arbiter/engine';
import { takeTurns } from '../../../platform/turns.ts';
import { betweenBlocks, hasText, writeBlocksHtml, writeBlocksText } from './blocks-markup.rules.ts';
import { writeMarkup } from './markup.rules.ts';
import type { ContentParts } from './merge.rules.ts';
import { writeSanitizedHtml } from './sanitize.rules.ts';

/**
 * What decisions show of an item: its texts, checked, and parsed where they are HTML (docs/design/api-catalogue.md 3.2,
 * 3.4).
 */
export type ShownContent = Omit<SnapshotContentItem, 'id'>;

/**
 * Returns what is shown of an item merged with its templates. Blocks become `html` and `text`, unless the content has
 * that key itself. The author's HTML passes the same rules as HTML in blocks. Deterministic. Parsing HTML takes
 * milliseconds, so this yields between blocks.
 */
export async function shownParts({ content, blocks, personalization }: ContentParts): Promise<ShownContent> {
  const { html, ...others } = content;
  const isOwnHtml = typeof html === 'string';
  const writtenHtml = writeMarkup();
  const writtenText = writeMarkup();
  const turns = takeTurns();
  if (isOwnHtml) writeSanitizedHtml(writtenHtml, html);
  for (const block of blocks) {
    if (!isOwnHtml) writeBlocksHtml(writtenHtml, [block]);
    if (hasText(block) && writtenText.parts.length > 0) writtenText.literal(betweenBlocks);
    writeBlocksText(writtenText, [block]);
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  return {
    content: asJson(isOwnHtml ? others : content),
    personalization: asJson(personalization),
    ...(isOwnHtml || (blocks.length > 0 && !('html' in content)) ? { html: writtenHtml.parts } : {}),
    ...(blocks.length > 0 && !('text' in content) ? { text: writtenText.parts } : {}),
  };
}

/** Converts between two JSON types. */
function asJson(value: Readonly<Record<string, unknown>>): ShownContent['content'] {
  return value as ShownContent['content'];
}
