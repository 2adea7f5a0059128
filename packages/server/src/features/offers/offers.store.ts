import type { OfferStatus } from '@arbiter/contract';
import type { SnapshotOffer, SnapshotOfferCategory } from '@arbiter/engine';
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
} from '../records/index.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A row of `offers`. */
export interface OfferRow extends GovernedRow {
  readonly name: string;
  readonly status: OfferStatus;
  readonly categoryId: string | null;
  readonly subCategoryId: string | null;
  readonly category: string;
  readonly group: string;
  readonly priority: number;
  readonly businessValue: number;
  readonly mandatory: boolean;
  readonly mandatoryReason: string | null;
  readonly mandatoryExpiresAt: Date | null;
  readonly mandatoryApprovedBy: string | null;
  readonly emergencyExcluded: boolean;
  readonly description: string;
  readonly shortDesc: string;
  readonly eligibility: JsonObject;
  readonly budget: JsonObject;
  readonly schedule: JsonObject;
  readonly inventory: JsonObject;
  readonly frequencyCaps: JsonObject;
  readonly metadata: JsonObject;
  readonly tags: readonly string[];
  readonly productType: string | null;
  readonly margin: number | null;
  readonly revenueValue: number | null;
  readonly version: number;
  readonly deletedAt: Date | null;
}

export const offerSpec: RecordSpec<OfferRow> = {
  table: 'offers',
  noun: 'offer',
  entityType: 'offer',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['eligibility', 'budget', 'schedule', 'inventory', 'frequencyCaps', 'metadata', 'tags'],
  idColumns: ['categoryId', 'subCategoryId'],
  searchColumns: ['name'],
  uniques: { offers_name: { code: 'duplicate_name', path: '/name' } },
  nameOf: (row) => row.name,
};

const emptyToNull = (column: string) => `nullif(${column}, '{}'::jsonb)::text as "${column}"`;

type OfferSnapshotRow = Omit<SnapshotOffer, 'schedule' | 'eligibility' | 'metadata' | 'tags'> & {
  readonly schedule: string | null;
  readonly eligibility: string | null;
  readonly metadata: string;
  readonly tags: string;
};

const inDecisions = `from arbiter.offers where tenant_id = $1 and deleted_at is null and status = any($2::text[])`;

/**
 * Offers that can take part in decisions (not deleted, with one of these statuses) as the engine reads them, by id: a page
 * of them, because there may be thousands and they are read while decisions are made.
 */
export async function snapshotOffers(
  tx: Tx,
  statuses: readonly OfferStatus[],
  page: BucketPage,
  shared: SharedValues,
): Promise<SnapshotOffer[]> {
  const rows = await tx.query<OfferSnapshotRow>(
    `select id, name, status, category_id as "categoryId", sub_category_id as "subCategoryId", category, priority,
       business_value as "businessValue", mandatory,
       (extract(epoch from mandatory_expires_at) * 1000)::float8 as "mandatoryExpiresAt",
       emergency_excluded as "emergencyExcluded", description, short_desc as "shortDesc",
       ${emptyToNull('schedule')}, ${emptyToNull('eligibility')}, metadata::text as metadata, tags::text as tags,
       product_type as "productType", margin, revenue_value as "revenueValue"
     ${inDecisions} ${pageSql('id', 3)}`,
    [tx.tenantId, statuses, ...pageValues(page)],
  );
  return mapInTurns(rows, (row) => ({
    id: row.id,
    name: row.name,
    status: shared.text(row.status),
    categoryId: shared.text(row.categoryId),
    subCategoryId: shared.text(row.subCategoryId),
    category: shared.text(row.category),
    priority: row.priority,
    businessValue: row.businessValue,
    mandatory: row.mandatory,
    mandatoryExpiresAt: row.mandatoryExpiresAt,
    emergencyExcluded: row.emergencyExcluded,
    description: shared.text(row.description),
    shortDesc: row.shortDesc,
    schedule: row.schedule === null ? null : shared.json(row.schedule),
    eligibility: row.eligibility === null ? null : shared.json(row.eligibility),
    metadata: shared.json(row.metadata),
    tags: shared.json(row.tags),
    productType: shared.text(row.productType),
    margin: row.margin,
    revenueValue: row.revenueValue,
  }));
}

/** Whether the offers of `snapshotOffers` are still the same, bucket by bucket; buckets without any are left out. */
export async function printOffers(tx: Tx, statuses: readonly OfferStatus[]): Promise<BucketPrint[]> {
  return tx.query(`select ${printColumns('id')} ${inDecisions} group by 1 order by 1`, [tx.tenantId, statuses]);
}

const besideDecisions = `from arbiter.offers
  where tenant_id = $1 and category_id is not null and (deleted_at is not null or status <> all($2::text[]))`;

/** Categories of the offers that `snapshotOffers` leaves out, deleted ones too: category caps count their contacts. */
export async function snapshotOtherOffers(
  tx: Tx,
  exceptStatuses: readonly OfferStatus[],
  page: BucketPage,
  shared: SharedValues,
): Promise<SnapshotOfferCategory[]> {
  const rows = await tx.query<SnapshotOfferCategory>(
    `select id, category_id as "categoryId", sub_category_id as "subCategoryId" ${besideDecisions}
     ${pageSql('id', 3)}`,
    [tx.tenantId, exceptStatuses, ...pageValues(page)],
  );
  return mapInTurns(rows, (row) => ({
    id: row.id,
    categoryId: shared.text(row.categoryId),
    subCategoryId: shared.text(row.subCategoryId),
  }));
}

/** As `printOffers`, for the offers of `snapshotOtherOffers`. */
export async function printOtherOffers(tx: Tx, exceptStatuses: readonly OfferStatus[]): Promise<BucketPrint[]> {
  return tx.query(`select ${printColumns('id')} ${besideDecisions} group by 1 order by 1`, [
    tx.tenantId,
    exceptStatuses,
  ]);
}

/** What history says of an offer, deleted ones included; null when the tenant has none of that id. */
export async function findOfferFacts(
  tx: Tx,
  id: string,
): Promise<{ readonly id: string; readonly name: string; readonly categoryId: string | null } | null> {
  const [row] = await tx.query<{ id: string; name: string; categoryId: string | null }>(
    'select id, name, category_id as "categoryId" from arbiter.offers where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** True when the tenant has, or ever had, an offer. */
export async function hasOffers(tx: Tx): Promise<boolean> {
  return (await tx.query('select from arbiter.offers where tenant_id = $1 limit 1', [tx.tenantId])).length > 0;
}
