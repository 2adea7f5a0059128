import { type OfferStatus, offerResource } from '@arbiter/contract';
import type { SnapshotOffer, SnapshotOfferCategory } from '@arbiter/engine';
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

/** A row of `offers`. */
export type OfferRow = RecordRow<typeof offerResource>;

export const offerSpec = recordSpec(offerResource);

/** Reads empty parts as null. Reads JSON as text, so that equal texts are parsed once. */
const emptyToNull = (column: string) => expression<string | null>(`nullif(${column}, '{}'::jsonb)::text`);

/** SQL: whether the offer's stock is tracked. */
const tracked = `(inventory ->> 'totalStock') is not null`;

/** Caps and prices of a budget. */
export const budgetKeys = [
  'dailyCapCents',
  'lifetimeCapCents',
  'dailyMaxImpressions',
  'maxPerDay',
  'lifetimeMaxImpressions',
  'costPerImpressionCents',
  'costPerClickCents',
  'costPerConversionCents',
];
/** SQL: whether the offer has a cap or a price, so it is counted across all customers. */
const limited = `jsonb_strip_nulls(budget) ?| array['${budgetKeys.join("','")}']`;

const snapshotColumns = selectList(
  columns(offerSpec, [
    'id',
    'name',
    'status',
    'categoryId',
    'subCategoryId',
    'category',
    'priority',
    'businessValue',
    'mandatory',
    'emergencyExcluded',
    'description',
    'shortDesc',
    'productType',
    'margin',
    'revenueValue',
  ]),
  computed({
    mandatoryExpiresAt: expression<number | null>('(extract(epoch from mandatory_expires_at) * 1000)::float8'),
    schedule: emptyToNull('schedule'),
    frequencyCaps: emptyToNull('frequency_caps'),
    eligibility: emptyToNull('eligibility'),
    tracksStock: expression<boolean>(tracked),
    budget: expression<string | null>(`case when ${limited} then budget::text end`),
    metadata: expression<string>('metadata::text'),
    tags: expression<string>('tags::text'),
  }),
);

const inDecisions = `from arbiter.offers where tenant_id = $1 and deleted_at is null and status = any($2::text[])`;

/**
 * Returns a page of the offers that decisions can use (not deleted, with one of these statuses) in the
 * engine's form, by id. Paged because there may be thousands and decisions go on in the meantime. `budgets: false` leaves
 * budgets out, for tenants with budgets off.
 */
export async function snapshotOffers(
  tx: Tx,
  statuses: readonly OfferStatus[],
  page: BucketPage,
  shared: SharedValues,
  budgets: boolean,
): Promise<SnapshotOffer[]> {
  const rows = await select(tx, snapshotColumns, `${inDecisions} ${pageSql('id', 3)}`, [
    tx.tenantId,
    statuses,
    ...pageValues(page),
  ]);
  return mapInTurns(rows, (row) => toSnapshot(row, shared, budgets));
}

/**
 * Returns offers by id in the given order, whatever their status. Leaves out missing and deleted offers, and budgets
 * unless asked for.
 */
export async function snapshotOffersNamed(
  tx: Tx,
  ids: readonly string[],
  { budgets = false }: { readonly budgets?: boolean } = {},
): Promise<SnapshotOffer[]> {
  const shared = createSharedValues();
  const rows = await select(
    tx,
    snapshotColumns,
    'from arbiter.offers where tenant_id = $1 and deleted_at is null and id = any($2::uuid[])',
    [tx.tenantId, ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id.toLowerCase());
    return row === undefined ? [] : [toSnapshot(row, shared, budgets)];
  });
}

/** Returns a row in the engine's form. */
export function toSnapshot(row: RowOf<typeof snapshotColumns>, shared: SharedValues, budgets: boolean): SnapshotOffer {
  return {
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
    // Left out when empty, so that plans without caps keep their hashes.
    ...(row.frequencyCaps === null ? {} : { frequencyCaps: shared.json(row.frequencyCaps) }),
    ...(row.tracksStock ? { tracksStock: true as const } : {}),
    ...(budgets && row.budget !== null ? { budget: shared.json(row.budget) } : {}),
    eligibility: row.eligibility === null ? null : shared.json(row.eligibility),
    metadata: shared.json(row.metadata),
    tags: shared.json(row.tags),
    productType: shared.text(row.productType),
    margin: row.margin,
    revenueValue: row.revenueValue,
  };
}

/** Returns fingerprints of the offers of `snapshotOffers`, one per bucket; empty buckets are left out. */
export async function fingerprintOffers(tx: Tx, statuses: readonly OfferStatus[]): Promise<BucketPrint[]> {
  return tx.query(`select ${printColumns('id')} ${inDecisions} group by 1 order by 1`, [tx.tenantId, statuses]);
}

const besideDecisions = `from arbiter.offers
  where tenant_id = $1 and category_id is not null and (deleted_at is not null or status <> all($2::text[]))`;

/**
 * Returns the categories of offers that `snapshotOffers` leaves out, deleted ones included: category caps count their
 * contacts.
 */
export async function snapshotOtherOffers(
  tx: Tx,
  exceptStatuses: readonly OfferStatus[],
  page: BucketPage,
  shared: SharedValues,
): Promise<SnapshotOfferCategory[]> {
  const rows = await select(
    tx,
    columns(offerSpec, ['id', 'categoryId', 'subCategoryId']),
    `${besideDecisions} ${pageSql('id', 3)}`,
    [tx.tenantId, exceptStatuses, ...pageValues(page)],
  );
  return mapInTurns(rows, (row) => ({
    id: row.id,
    categoryId: shared.text(row.categoryId),
    subCategoryId: shared.text(row.subCategoryId),
  }));
}

/** Like `fingerprintOffers`, for the offers of `snapshotOtherOffers`. */
export async function fingerprintOtherOffers(tx: Tx, exceptStatuses: readonly OfferStatus[]): Promise<BucketPrint[]> {
  return tx.query(`select ${printColumns('id')} ${besideDecisions} group by 1 order by 1`, [
    tx.tenantId,
    exceptStatuses,
  ]);
}

const facts = selectList(
  columns(offerSpec, ['id', 'name', 'categoryId', 'status', 'budget', 'deletedAt']),
  computed({ tracksStock: expression<boolean>(tracked) }),
);

export type OfferFacts = RowOf<typeof facts>;

/** Returns what history shows of an offer, even a deleted one; null if the tenant has no such offer. */
export async function findOfferFacts(tx: Tx, id: string): Promise<OfferFacts | null> {
  return (await readOfferFacts(tx, [id])).get(id.toLowerCase()) ?? null;
}

/** Returns what history shows of these offers, deleted ones included, by ID. */
export async function readOfferFacts(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, OfferFacts>> {
  const rows = await select(tx, facts, 'from arbiter.offers where tenant_id = $1 and id = any($2::uuid[])', [
    tx.tenantId,
    uuidArray(ids),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

const assemblyColumns = selectList(
  columns(offerSpec, ['id', 'status', 'categoryId', 'subCategoryId']),
  computed({ isDeleted: expression<boolean>('deleted_at is not null') }),
);

/** Returns what the auto-assembly of flows needs from these offers, deleted ones included, by id. */
export async function readAssemblyOffers(tx: Tx, ids: readonly string[]): Promise<RowOf<typeof assemblyColumns>[]> {
  return select(tx, assemblyColumns, 'from arbiter.offers where tenant_id = $1 and id = any($2::uuid[]) order by id', [
    tx.tenantId,
    ids,
  ]);
}

/** True if the tenant has an offer that isn't deleted. */
export async function hasOffers(tx: Tx): Promise<boolean> {
  return (
    (await tx.query('select from arbiter.offers where tenant_id = $1 and deleted_at is null limit 1', [tx.tenantId]))
      .length > 0
  );
}

/**
 * Returns offers, neither deleted nor archived, whose eligibility refers to a segment by id or name, by id.
 * `restricting`: only those that exclude the segment's members.
 */
export async function offersNamingSegment(
  tx: Tx,
  { id, name }: { readonly id: string; readonly name: string },
  kind: 'any' | 'restricting',
): Promise<Pick<OfferRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(offerSpec, ['id', 'name']),
    `from arbiter.offers
     where tenant_id = $1 and deleted_at is null and status <> 'archived'
       and (eligibility -> 'excludedSegments' ?| array[$2, $3]
         or $4 = 'any' and eligibility -> 'requiredSegments' ?| array[$2, $3])
     order by id`,
    [tx.tenantId, id, name, kind],
  );
}

/** A live offer with a limit on its total cost. */
export interface BudgetedOffer {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly budget: Readonly<Record<string, unknown>>;
  readonly lifetimeCapCents: number;
}

/** Returns offers with a limit on their total cost, oldest first. */
export async function selectBudgetedOffers(tx: Tx): Promise<BudgetedOffer[]> {
  return tx.query<BudgetedOffer>(
    `select id, name, status, budget, (budget ->> 'lifetimeCapCents')::float8 as "lifetimeCapCents" from offers
      where tenant_id = $1 and deleted_at is null and jsonb_typeof(budget -> 'lifetimeCapCents') = 'number' order by id`,
    [tx.tenantId],
  );
}

/** SQL: the sub-category that an offer of the tenant ($1) has now. The argument is a column or a parameter. */
export const subCategoryOf = (offerId: string): string =>
  `(select o.sub_category_id from arbiter.offers o where o.tenant_id = $1 and o.id = ${offerId})`;
