import type { CreativeConstraints, OfferStatus, PersonalizationEntry } from '@arbiter/contract';
import type { SnapshotCreative } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import { type GovernedRow, type RecordSpec, toWire } from '../records/index.ts';

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

/** Creatives that can take part in decisions: not deleted, active; by id. One statement, at every catalogue change. */
export async function snapshotCreatives(tx: Tx): Promise<SnapshotCreative[]> {
  return tx.query<SnapshotCreative>(
    `select id, name, offer_id as "offerId", channel_id as "channelId", placement_id as "placementId",
       template_type as "templateType", content, personalization, constraints, ab_test_variant as "abTestVariant", weight
     from arbiter.creatives where tenant_id = $1 and deleted_at is null and status = 'active' order by id`,
    [tx.tenantId],
  );
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
