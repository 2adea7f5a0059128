import type { CreativeConstraints, OfferStatus, PersonalizationEntry } from '@arbiter/contract';
import type { SnapshotCreative } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import { mapInTurns } from '../../platform/turns.ts';
import {
  type BucketPage,
  type BucketPrint,
  type GovernedRow,
  pageSql,
  pageValues,
  printColumns,
  type RecordSpec,
  type SharedValues,
  toWire,
} from '../records/index.ts';

/** A row of `creatives`. */
export interface CreativeRow extends GovernedRow {
  readonly name: string;
  readonly offerId: string;
  readonly channelId: string;
  readonly placementId: string | null;
  readonly contentItemId: string | null;
  readonly status: OfferStatus;
  readonly templateType: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly personalization: readonly PersonalizationEntry[];
  readonly constraints: CreativeConstraints;
  readonly abTestVariant: string | null;
  readonly weight: number;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly deletedAt: Date | null;
}

export const creativeSpec: RecordSpec<CreativeRow> = {
  table: 'creatives',
  noun: 'creative',
  entityType: 'creative',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['content', 'personalization', 'constraints', 'metrics'],
  idColumns: ['offerId', 'channelId', 'placementId', 'contentItemId'],
  searchColumns: ['name'],
  uniques: { creatives_name: { code: 'duplicate_name', path: '/name' } },
  nameOf: (row) => row.name,
  // Metrics are counted, not changed: they are no part of the chain of changes.
  auditView: (row) => {
    const { tenantId: _tenant, metrics: _metrics, ...shown } = toWire(row);
    return shown;
  },
};

/** Live creatives of an offer, locked against every other change, by id. */
export async function lockCreativesOfOffer(tx: Tx, offerId: string): Promise<CreativeRow[]> {
  return tx
    .kysely<{ creatives: CreativeRow }>()
    .selectFrom('creatives')
    .selectAll()
    .where('tenantId', '=', tx.tenantId)
    .where('offerId', '=', offerId)
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
}

type CreativeSnapshotRow = Omit<SnapshotCreative, 'content' | 'personalization' | 'constraints'> & {
  readonly content: string;
  readonly personalization: string;
  readonly constraints: string;
};

const inDecisions = `from arbiter.creatives where tenant_id = $1 and deleted_at is null and status = 'active'`;

/**
 * Creatives that can take part in decisions (not deleted, active) as the engine reads them, by id: a page of those whose
 * offer is in the buckets.
 */
export async function snapshotCreatives(tx: Tx, page: BucketPage, shared: SharedValues): Promise<SnapshotCreative[]> {
  const rows = await tx.query<CreativeSnapshotRow>(
    `select id, name, offer_id as "offerId", channel_id as "channelId", placement_id as "placementId",
       template_type as "templateType", content::text as content, personalization::text as personalization,
       constraints::text as constraints, ab_test_variant as "abTestVariant", weight
     ${inDecisions} ${pageSql('offer_id', 2)}`,
    [tx.tenantId, ...pageValues(page)],
  );
  return mapInTurns(rows, (row) => ({
    id: row.id,
    name: row.name,
    offerId: shared.text(row.offerId),
    channelId: shared.text(row.channelId),
    placementId: shared.text(row.placementId),
    templateType: shared.text(row.templateType),
    content: JSON.parse(row.content),
    personalization: shared.json(row.personalization),
    constraints: shared.json(row.constraints),
    abTestVariant: shared.text(row.abTestVariant),
    weight: row.weight,
  }));
}

/** Whether the creatives of `snapshotCreatives` are still the same, by bucket of their offer. */
export async function printCreatives(tx: Tx): Promise<BucketPrint[]> {
  return tx.query(`select ${printColumns('offer_id')} ${inDecisions} group by 1 order by 1`, [tx.tenantId]);
}

export interface CreativeFacts {
  readonly id: string;
  readonly name: string;
  readonly offerId: string;
  readonly channelId: string;
  readonly placementId: string | null;
}

/** What history says of a creative, deleted ones included; null when the tenant has none of that id. */
export async function findCreativeFacts(tx: Tx, id: string): Promise<CreativeFacts | null> {
  const [row] = await tx.query<CreativeFacts>(
    `select id, name, offer_id as "offerId", channel_id as "channelId", placement_id as "placementId"
     from arbiter.creatives where tenant_id = $1 and id = $2`,
    [tx.tenantId, id],
  );
  return row ?? null;
}
