import type { Creative, CreativeCreate, CreativeUpdate, OfferStatus } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { AppError, invalid, refuseProblems } from '../../platform/app-error.ts';
import {
  type Addressed,
  cascadeSoftDelete,
  createRecord,
  getRecord,
  type ListOptions,
  listRecords,
  newestFirst,
  type Pagination,
  type RelatedRow,
  readRelated,
  requireLive,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../records/index.ts';
import { type CreativeFields, contentProblems, personalizationProblems, placementProblems } from './creatives.rules.ts';
import { type CreativeRow, creativeSpec, lockCreativesOfOffer } from './creatives.store.ts';

/** What can be said against the fields alone. */
function checkShape(fields: CreativeFields): void {
  refuseProblems([
    ...(fields.personalization === undefined ? [] : personalizationProblems(fields.personalization)),
    ...(fields.content === undefined ? [] : contentProblems(fields.content, (text) => Buffer.byteLength(text, 'utf8'))),
  ]);
  if (typeof fields.contentItemId === 'string') {
    // There is no content room yet, so no id names a content item.
    throw new AppError('reference_not_found', {
      detail: '/contentItemId does not name a content item of this tenant.',
      errors: [{ path: '/contentItemId', message: 'does not name a content item' }],
    });
  }
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
  const moved = fields.placementId !== undefined || fields.channelId !== undefined;
  if (!moved && fields.status !== 'active' && fields.content === undefined) return;
  const placement = await requireLive(tx, 'placement', placementId, '/placementId', ['id', 'channelId', 'schema']);
  if (placement.channelId !== channelId) throw invalid('/placementId', 'is not a placement of the channel');
  const status = fields.status ?? current?.status ?? 'draft';
  if (status !== 'active') return;
  refuseProblems(placementProblems(Object(placement.schema), fields.content ?? current?.content ?? {}));
}

export async function createCreative(tx: Tx, body: CreativeCreate): Promise<Creative> {
  checkShape(body);
  await checkOffer(tx, body);
  await checkPlace(tx, body, null);
  return withRelations(tx, await createRecord(tx, creativeSpec, body));
}

/** Changes the supplied fields; `version` + 1. */
export async function updateCreative(tx: Tx, body: CreativeUpdate): Promise<Creative> {
  const { id, rowVersion, ...fields } = body;
  checkShape(fields);
  await checkOffer(tx, fields);
  const row = await updateRecord(tx, creativeSpec, id, {
    rowVersion,
    change: async (current) => {
      await checkPlace(tx, fields, current);
      return fields;
    },
  });
  return withRelations(tx, row);
}

const refOf = (row: RelatedRow | undefined) =>
  row === undefined ? null : { id: String(row.id), name: String(row.name), status: String(row.status) };

const keyedRefOf = (row: RelatedRow | undefined) => {
  const ref = refOf(row);
  return ref === null ? null : { ...ref, key: String(row?.key) };
};

async function allWithRelations(tx: Tx, rows: readonly CreativeRow[]): Promise<Creative[]> {
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
  return rows.map((row) => {
    const channel = channels.get(row.channelId);
    const channelRef = keyedRefOf(channel);
    return {
      ...toWire(row),
      personalization: [...row.personalization],
      offer: refOf(offers.get(row.offerId)),
      channel: channelRef === null ? null : { ...channelRef, channelType: String(channel?.channelType) },
      placement: keyedRefOf(row.placementId === null ? undefined : placements.get(row.placementId)),
    };
  });
}

async function withRelations(tx: Tx, row: CreativeRow): Promise<Creative> {
  const [creative] = await allWithRelations(tx, [row]);
  if (creative === undefined) throw new Error('one row has one answer');
  return creative;
}

/** The live creative with its relations, or with `includeDeleted` a deleted one as well; 404 otherwise. */
export async function readCreative(tx: Tx, id: string, includeDeleted = false): Promise<Creative> {
  return withRelations(tx, await getRecord(tx, creativeSpec, id, { includeDeleted }));
}

export interface CreativeFilters {
  readonly status?: OfferStatus | undefined;
  readonly offerId?: string | undefined;
  readonly channelId?: string | undefined;
  readonly placementId?: string | undefined;
}

/** One page, newest first. */
export async function listCreatives(
  tx: Tx,
  filters: CreativeFilters,
  page: Pick<ListOptions<CreativeRow>, 'limit' | 'cursor' | 'search' | 'includeDeleted'>,
): Promise<{ data: Creative[]; pagination: Pagination }> {
  const { rows, pagination } = await listRecords(tx, creativeSpec, {
    ...page,
    filters,
    order: newestFirst,
    defaultLimit: 25,
    maximumLimit: 200,
  });
  return { data: await allWithRelations(tx, rows), pagination };
}

export async function deleteCreative(tx: Tx, id: string, addressed: Addressed): Promise<{ success: true; id: string }> {
  const row = await softDeleteRecord(tx, creativeSpec, id, { addressed });
  return { success: true, id: row.id };
}

/**
 * The creatives' part of deleting an offer (port `OfferDependants`): every live one is soft-deleted, version + 1, one
 * audit row each. The caller holds the offer's row, so no creative can be added meanwhile (quality.md E13).
 */
export async function deleteCreativesOfOffer(tx: Tx, offerId: string): Promise<number> {
  const rows = await lockCreativesOfOffer(tx, offerId);
  await cascadeSoftDelete(tx, creativeSpec, rows);
  return rows.length;
}
