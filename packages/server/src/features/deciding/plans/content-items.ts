import type { SnapshotContentItem, SnapshotCreative } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { bucketOf } from '../../catalogue/catalogue-records/index.ts';
import { type PublishedName, publishedNames, readPublished } from '../../catalogue/content/index.ts';
import { newPiece, type Piece } from './plan-pieces.ts';

/**
 * The published content that creatives name, as this process holds it: in groups, so that the next catalogue version
 * reuses unchanged groups with their hashes.
 */
export interface ContentItems {
  readonly groups: readonly ContentGroup[];
  /** All of them, group by group. */
  readonly items: readonly SnapshotContentItem[];
}

interface ContentGroup {
  readonly number: number;
  /** Its items with their published version numbers. */
  readonly fingerprint: string;
  readonly items: readonly SnapshotContentItem[];
  readonly piece: Piece;
}

export const noContentItems: ContentItems = { groups: [], items: [] };

/** Maximum groups of a catalogue's items. */
const groupCount = 64;

/** Reads the content that these creatives name. Doesn't query the database while none names an item. */
export async function readContentItems(
  tx: Tx,
  creatives: readonly SnapshotCreative[],
  before: ContentItems,
): Promise<ContentItems> {
  const named = new Set<string>();
  for (const { contentItemId } of creatives) if (contentItemId !== undefined) named.add(contentItemId);
  if (named.size === 0) return noContentItems;
  const published = (await publishedNames(tx)).filter(({ id }) => named.has(id));
  const known = new Map(before.groups.map((group) => [group.number, group]));
  const groups: ContentGroup[] = [];
  for (const [number, names] of Map.groupBy(published, ({ id }) => bucketOf(id) % groupCount)) {
    const fingerprint = names.map(({ id, version }) => `${id} ${version}`).join();
    const earlier = known.get(number);
    groups.push(earlier?.fingerprint === fingerprint ? earlier : await readGroup(tx, number, fingerprint, names));
  }
  groups.sort((a, b) => a.number - b.number);
  return { groups, items: groups.flatMap(({ items }) => items) };
}

async function readGroup(
  tx: Tx,
  number: number,
  fingerprint: string,
  names: readonly PublishedName[],
): Promise<ContentGroup> {
  const items = (await readPublished(tx, names)).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { number, fingerprint, items, piece: newPiece({ contentItems: items }) };
}
