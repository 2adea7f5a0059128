import { creativeResource } from '@arbiter/contract';
import type { SnapshotCreative } from '@arbiter/engine';
import { columns, computed, expression, type RowOf, select, selectList } from '../../../db/columns.ts';
import { uuidArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { mapInTurns } from '../../../platform/turns.ts';
import {
  type BucketPage,
  type BucketPrint,
  createSharedValues,
  pageSql,
  pageValues,
  printColumns,
  type RecordRow,
  recordSpec,
  type SharedValues,
} from '../catalogue-records/index.ts';

/** A row of `creatives`. */
export type CreativeRow = RecordRow<typeof creativeResource, { metrics: Record<string, never> }>;

/** Metrics are counted elsewhere, not changed: the column is empty, and left out of the chain of changes. */
export const creativeSpec = recordSpec<typeof creativeResource, { metrics: Record<string, never> }>(creativeResource, {
  unaudited: ['metrics'],
});

/** JSON is read as text, to be parsed once for equal texts. */
const snapshotColumns = selectList(
  columns(creativeSpec, [
    'id',
    'name',
    'offerId',
    'channelId',
    'placementId',
    'contentItemId',
    'templateType',
    'abTestVariant',
    'weight',
  ]),
  computed({
    content: expression<string>('content::text'),
    personalization: expression<string>('personalization::text'),
    constraints: expression<string>('constraints::text'),
  }),
);

const inDecisions = `from arbiter.creatives where tenant_id = $1 and deleted_at is null and status = 'active'`;

/**
 * Creatives that decisions can use (not deleted, active) as the engine reads them, by id: a page of those whose
 * offer is in the buckets.
 */
export async function snapshotCreatives(tx: Tx, page: BucketPage, shared: SharedValues): Promise<SnapshotCreative[]> {
  const rows = await select(tx, snapshotColumns, `${inDecisions} ${pageSql('offer_id', 2)}`, [
    tx.tenantId,
    ...pageValues(page),
  ]);
  return mapInTurns(rows, (row) => toSnapshot(row, shared));
}

/** Returns the creatives of some offers, except deleted and archived ones, by id. */
export async function snapshotCreativesOf(tx: Tx, offerIds: readonly string[]): Promise<SnapshotCreative[]> {
  const shared = createSharedValues();
  const rows = await select(
    tx,
    snapshotColumns,
    `from arbiter.creatives
     where tenant_id = $1 and deleted_at is null and status <> 'archived' and offer_id = any($2::uuid[]) order by id`,
    [tx.tenantId, offerIds],
  );
  return mapInTurns(rows, (row) => toSnapshot(row, shared));
}

/** Returns a row in the engine's form. */
export const toSnapshot = (row: RowOf<typeof snapshotColumns>, shared: SharedValues): SnapshotCreative => ({
  id: row.id,
  name: row.name,
  offerId: shared.text(row.offerId),
  channelId: shared.text(row.channelId),
  placementId: shared.text(row.placementId),
  templateType: shared.text(row.templateType),
  // Left out when empty, so that plans keep their hashes.
  ...(row.contentItemId === null ? {} : { contentItemId: shared.text(row.contentItemId) }),
  content: JSON.parse(row.content),
  personalization: shared.json(row.personalization),
  constraints: shared.json(row.constraints),
  abTestVariant: shared.text(row.abTestVariant),
  weight: row.weight,
});

/** Whether the creatives of `snapshotCreatives` are still the same, by bucket of their offer. */
export async function fingerprintCreatives(tx: Tx): Promise<BucketPrint[]> {
  return tx.query(`select ${printColumns('offer_id')} ${inDecisions} group by 1 order by 1`, [tx.tenantId]);
}

const facts = columns(creativeSpec, ['id', 'name', 'offerId', 'channelId', 'placementId']);

export type CreativeFacts = RowOf<typeof facts>;

/** Returns what history shows of these creatives, deleted ones included, by ID. */
export async function readCreativeFacts(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, CreativeFacts>> {
  const rows = await select(tx, facts, 'from arbiter.creatives where tenant_id = $1 and id = any($2::uuid[])', [
    tx.tenantId,
    uuidArray(ids),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

const textColumns = selectList(
  columns(creativeSpec, ['id', 'contentItemId', 'templateType', 'deletedAt']),
  computed({
    content: expression<SnapshotCreative['content']>('content'),
    personalization: expression<SnapshotCreative['personalization']>('personalization'),
  }),
);

/** What a creative shows, whatever its status; null if the tenant has none of this id. */
export async function findCreativeTexts(tx: Tx, id: string): Promise<RowOf<typeof textColumns> | null> {
  const [row] = await select(tx, textColumns, 'from arbiter.creatives where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}
