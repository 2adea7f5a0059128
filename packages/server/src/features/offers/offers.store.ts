import type { OfferStatus } from '@arbiter/contract';
import type { SnapshotOffer, SnapshotOfferCategory } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import type { GovernedRow, RecordSpec } from '../records/index.ts';

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

const emptyToNull = (column: string) => `nullif(${column}, '{}'::jsonb) as "${column}"`;

/**
 * Offers that are not deleted and have one of these statuses, as the engine reads them, by id. One statement: it runs at
 * every change of the catalogue, with thousands of offers.
 */
export async function selectSnapshotOffers(tx: Tx, statuses: readonly OfferStatus[]): Promise<SnapshotOffer[]> {
  return tx.query<SnapshotOffer>(
    `select id, name, status, category_id as "categoryId", sub_category_id as "subCategoryId", category, priority,
       business_value as "businessValue", mandatory,
       (extract(epoch from mandatory_expires_at) * 1000)::float8 as "mandatoryExpiresAt",
       emergency_excluded as "emergencyExcluded", description, short_desc as "shortDesc",
       ${emptyToNull('schedule')}, ${emptyToNull('eligibility')}, metadata, tags, product_type as "productType",
       margin, revenue_value as "revenueValue"
     from arbiter.offers where tenant_id = $1 and deleted_at is null and status = any($2::text[]) order by id`,
    [tx.tenantId, statuses],
  );
}

/** Offers with a category that are deleted or have none of these statuses, by id. */
export async function selectOfferCategories(
  tx: Tx,
  exceptStatuses: readonly OfferStatus[],
): Promise<SnapshotOfferCategory[]> {
  return tx.query<SnapshotOfferCategory>(
    `select id, category_id as "categoryId", sub_category_id as "subCategoryId" from arbiter.offers
     where tenant_id = $1 and category_id is not null and (deleted_at is not null or status <> all($2::text[])) order by id`,
    [tx.tenantId, exceptStatuses],
  );
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
