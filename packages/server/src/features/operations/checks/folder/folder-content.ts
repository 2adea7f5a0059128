import { ContentCreate } from '@arbiter/contract';
import type { Json, SnapshotContentItem } from '@arbiter/engine';
import Type from 'typebox';
import Value from 'typebox/value';
import { isObject } from '../../../../platform/json.ts';
import { type ContentParts, mergeParts, shownParts, withIds } from '../../../catalogue/content/index.ts';
import type { FolderObject } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';

const Parts = Type.Partial(Type.Pick(ContentCreate, ['content', 'blocks', 'personalization']));

/** The own parts of an item that are published: what its file says, or the working copy. Null: none. */
function publishedParts(values: FolderObject['values']): ContentParts | null {
  const parts: Json = Object.hasOwn(values, 'published') ? values.published! : values;
  if (parts === null) return null;
  const { content = {}, blocks = [], personalization = {} } = isObject(parts) ? parts : {};
  const own: unknown = { content, blocks, personalization };
  if (!Value.Check(Parts, own)) throw new Error('the parts of a content item were checked before');
  return {
    content: { ...own.content },
    blocks: withIds(own.blocks ?? []),
    personalization: { ...own.personalization },
  };
}

const noParts: ContentParts = { content: {}, blocks: [], personalization: {} };

/** Returns what decisions would show of content items once they're published, by id. */
export async function readContentItems(objects: readonly FolderObject[]): Promise<SnapshotContentItem[]> {
  const items = new Map(
    bodiesOf(objects, 'content', ContentCreate).map(({ id, body, values }) => [
      id,
      { template: body.parentTemplateId ?? null, own: publishedParts(values) },
    ]),
  );
  const merged = (id: string | null, above: readonly string[]): ContentParts | null => {
    const item = id === null || above.includes(id) ? undefined : items.get(id);
    if (id === null || item === undefined || item.own === null) return null;
    return mergeParts(merged(item.template, [...above, id]) ?? noParts, item.own);
  };
  const shown: SnapshotContentItem[] = [];
  for (const id of items.keys()) {
    const parts = merged(id, []);
    if (parts !== null) shown.push({ id, ...(await shownParts(parts)) });
  }
  return shown;
}
