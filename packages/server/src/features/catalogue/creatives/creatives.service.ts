import type { Creative, CreativeCreate } from '@arbiter/contract';
import { shownContent } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { invalid, refuseProblems } from '../../../platform/app-error.ts';
import {
  type Addressed,
  cascadeSoftDelete,
  createRecord,
  findRecords,
  readRelated,
  requireLive,
  softDeleteRecord,
  type TellChange,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { publishedContent, requireContentItem } from '../content/index.ts';
import {
  type CreativeCounts,
  type CreativeFields,
  contentProblems,
  metricsOf,
  personalizationProblems,
  placementProblems,
} from './creatives.rules.ts';
import { type CreativeRow, creativeSpec } from './creatives.store.ts';

/** What can be said against the fields alone. */
function checkShape(fields: CreativeFields): void {
  refuseProblems([
    ...(fields.personalization === undefined ? [] : personalizationProblems(fields.personalization)),
    ...(fields.content === undefined ? [] : contentProblems(fields.content, (text) => Buffer.byteLength(text, 'utf8'))),
  ]);
}

/** The content item must be there and not be archived, unless the creative named it already. */
async function checkContentItem(tx: Tx, fields: CreativeFields, current: CreativeRow | null): Promise<void> {
  const { contentItemId } = fields;
  if (typeof contentItemId !== 'string' || contentItemId.toLowerCase() === current?.contentItemId) return;
  await requireContentItem(tx, contentItemId, '/contentItemId');
}

/**
 * The offer must be live. Locked before the creative's own row, in the order in which deleting an offer locks, so that
 * both cannot wait for each other.
 */
async function checkOffer(tx: Tx, fields: CreativeFields): Promise<void> {
  if (fields.offerId !== undefined) await requireLive(tx, 'offer', fields.offerId, '/offerId');
}

/** Channel and placement after the write: live, the placement one of the channel, its schema kept when active. */
async function checkPlace(tx: Tx, fields: CreativeFields, current: CreativeRow | null): Promise<void> {
  if (fields.channelId !== undefined) await requireLive(tx, 'channel', fields.channelId, '/channelId');
  const channelId = fields.channelId?.toLowerCase() ?? current?.channelId;
  const placementId = fields.placementId === undefined ? (current?.placementId ?? null) : fields.placementId;
  if (placementId === null) return;
  const moved =
    fields.placementId !== undefined || fields.channelId !== undefined || fields.contentItemId !== undefined;
  if (!moved && fields.status !== 'active' && fields.content === undefined) return;
  const placement = await requireLive(tx, 'placement', placementId, '/placementId', ['channelId', 'schema']);
  if (placement.channelId !== channelId) throw invalid('/placementId', 'must be a placement of the channel');
  const status = fields.status ?? current?.status ?? 'draft';
  if (status !== 'active') return;
  const own = fields.content ?? current?.content ?? {};
  const contentItemId = fields.contentItemId === undefined ? (current?.contentItemId ?? null) : fields.contentItemId;
  const item = contentItemId === null ? null : await publishedContent(tx, contentItemId);
  // Texts in parts are there; how long they become is not known.
  const { html, text } = item ?? {};
  const parts = { ...(html === undefined ? {} : { html }), ...(text === undefined ? {} : { text }) };
  refuseProblems(
    placementProblems(placement.schema ?? {}, { ...parts, ...shownContent<unknown>({ content: own }, item) }),
  );
}

export async function createCreative(tx: Tx, body: CreativeCreate, tell: TellChange): Promise<CreativeRow> {
  checkShape(body);
  await checkOffer(tx, body);
  await checkContentItem(tx, body, null);
  await checkPlace(tx, body, null);
  const row = await createRecord(tx, creativeSpec, body);
  tell(tx, { trigger: 'creative.created', ...about(row) });
  return row;
}

const about = ({ id, offerId }: CreativeRow) => ({ entityType: 'creative', entityId: id, offerId }) as const;

/** Changes the supplied fields; `version` + 1. */
export async function updateCreative(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  fields: CreativeFields,
  tell: TellChange,
): Promise<CreativeRow> {
  checkShape(fields);
  await checkOffer(tx, fields);
  let status: CreativeRow['status'] | null = null;
  const row = await updateRecord(tx, creativeSpec, id, {
    rowVersion,
    change: async (current) => {
      status = current.status;
      await checkContentItem(tx, fields, current);
      await checkPlace(tx, fields, current);
      return fields;
    },
  });
  if (row.status !== status) tell(tx, { trigger: 'creative.status_changed', ...about(row) });
  return row;
}

/** Who counts what creatives do: declared here, plugged by `main` (docs/architecture.md). */
export interface CreativePorts {
  /** Told of changes that flows may have to follow. */
  readonly tellChange: TellChange;
  /** Counts of these creatives, without those that have none. */
  creativeCounts(
    tx: Tx,
    ids: readonly string[],
  ): Promise<readonly (CreativeCounts & { readonly creativeId: string })[]>;
}

/** Creatives as answers carry them, with their offer, channel and placement, and their counts. */
export async function showCreatives(
  tx: Tx,
  rows: readonly CreativeRow[],
  { creativeCounts }: Pick<CreativePorts, 'creativeCounts'>,
): Promise<Creative[]> {
  const found = await creativeCounts(
    tx,
    rows.map((row) => row.id),
  );
  const counts = new Map(found.map((row) => [row.creativeId, row]));
  const offers = await readRelated(
    tx,
    'offer',
    rows.map((row) => row.offerId),
    ['name', 'status'],
  );
  const channels = await readRelated(
    tx,
    'channel',
    rows.map((row) => row.channelId),
    ['name', 'key', 'channelType', 'status'],
  );
  const placements = await readRelated(
    tx,
    'placement',
    rows.map((row) => row.placementId),
    ['name', 'key', 'status'],
  );
  return rows.map((row) => ({
    ...toWire(row),
    offer: offers.get(row.offerId) ?? null,
    channel: channels.get(row.channelId) ?? null,
    metrics: metricsOf(counts.get(row.id) ?? null),
    placement: (row.placementId === null ? undefined : placements.get(row.placementId)) ?? null,
  }));
}

export async function deleteCreative(tx: Tx, id: string, addressed: Addressed): Promise<{ success: true; id: string }> {
  const row = await softDeleteRecord(tx, creativeSpec, id, { addressed });
  return { success: true, id: row.id };
}

/**
 * The creatives' part of deleting an offer (port `OfferDependants`): every live one is soft-deleted, version + 1, one
 * audit row each. The caller holds the offer's row, so no creative can be added in the meantime (docs/design/quality.md E13).
 */
export async function deleteCreativesOfOffer(tx: Tx, offerId: string): Promise<number> {
  const rows = await findRecords(tx, creativeSpec, 'offerId', [offerId], 'delete');
  await cascadeSoftDelete(tx, creativeSpec, rows);
  return rows.length;
}
