import { isDeepStrictEqual } from 'node:util';
import type { Category, ErrorEntry, Offer, OfferCreate, OfferCreativeRef, SubCategory } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import type { Remark } from '../../../platform/remark.ts';
import { dayRange, zoneProblem } from '../../../platform/time/zones.ts';
import { readOfferVolumes } from '../../deciding/volumes/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import {
  type Addressed,
  createRecord,
  type NewRecord,
  type RelatedRow,
  readReferring,
  readRelated,
  requireLive,
  restorable,
  softDeleteRecord,
  type TellChange,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { customFieldProblems, effectiveFields } from './offers.custom-fields.ts';
import { eligibilityProblems, eligibilityRemarks, storedEligibility } from './offers.eligibility.ts';
import { checkGovernance, type GovernanceChange, noteGovernance } from './offers.governance.ts';
import { capRemarks, isBudget, limitProblems, totalStockOf, withoutCounters } from './offers.limits.ts';
import { type OfferFields, sizeProblems } from './offers.rules.ts';
import { needsZone, scheduleProblems } from './offers.schedule.ts';
import { type OfferRow, offerSpec } from './offers.store.ts';
import { changeStock, selectStock } from './stock.store.ts';

/** What is deleted along with an offer. Declared here, connected in `main` (docs/architecture.md). */
export interface OfferDependants {
  /**
   * Soft-deletes what shows the offer in this transaction, with version + 1 and one audit row each. Returns the count.
   * Called while the offer's row is locked, before it is written.
   */
  deleteWithOffer(tx: Tx, offerId: string): Promise<number>;
}

/** Returns the columns that a write sets. Absent fields stay as they are. */
export function columnsOf(fields: OfferFields): NewRecord<OfferRow> {
  const { mandatoryExpiresAt: expires, eligibility, budget, inventory, ...rest } = fields;
  return {
    ...rest,
    ...(budget === undefined ? {} : { budget: withoutCounters(budget) }),
    ...(inventory === undefined ? {} : { inventory: withoutCounters(inventory) }),
    ...(expires === undefined ? {} : { mandatoryExpiresAt: expires === null ? null : new Date(expires) }),
    ...(eligibility === undefined ? {} : { eligibility: storedEligibility(eligibility) }),
  };
}

/** Returns what's wrong with the fields on their own. `zone`: the tenant's. */
export function shapeProblems(fields: OfferFields, zone: string): ErrorEntry[] {
  const { schedule = {}, eligibility = {} } = fields;
  return [
    ...limitProblems(fields),
    ...sizeProblems(fields, (text) => Buffer.byteLength(text, 'utf8')),
    ...scheduleProblems(schedule, { problem: zoneProblem, dayRange }, zone),
    ...eligibilityProblems(eligibility),
  ];
}

async function checkShape(tx: Tx, fields: OfferFields): Promise<void> {
  const { schedule = {}, eligibility = {}, frequencyCaps = {} } = fields;
  refuseProblems(shapeProblems(fields, needsZone(schedule) ? (await readSettings(tx)).timezone : 'UTC'));
  tx.remarks.push(...offerRemarks({ eligibility, frequencyCaps }));
}

/** Returns warnings for parts of an offer without effect. */
export const offerRemarks = ({
  eligibility,
  frequencyCaps,
}: Pick<OfferRow, 'eligibility' | 'frequencyCaps'>): Remark[] => [
  ...eligibilityRemarks(eligibility),
  ...capRemarks(frequencyCaps),
];

/**
 * Checks the category and sub-category after the write: both exist, the sub-category belongs to the category, and the
 * custom values match the definitions. Runs only if the write changes one of them or activates the offer.
 */
async function checkCategories(tx: Tx, fields: OfferFields, current: OfferRow | null): Promise<void> {
  const touched = fields.categoryId !== undefined || fields.subCategoryId !== undefined;
  if (!touched && fields.metadata === undefined && fields.status !== 'active') return;
  const categoryId = fields.categoryId === undefined ? (current?.categoryId ?? null) : fields.categoryId;
  const subCategoryId = fields.subCategoryId === undefined ? (current?.subCategoryId ?? null) : fields.subCategoryId;
  const category =
    categoryId === null ? null : await requireLive(tx, 'category', categoryId, '/categoryId', ['customFields']);
  const subCategory =
    subCategoryId === null
      ? null
      : await requireLive(tx, 'subCategory', subCategoryId, '/subCategoryId', ['categoryId', 'customFields']);
  refuseProblems(
    categoryProblems({
      ...{ category, subCategory },
      metadata: fields.metadata ?? current?.metadata ?? {},
      isActive: (fields.status ?? current?.status ?? 'draft') === 'active',
    }),
  );
}

interface Categorized {
  readonly category: Pick<Category, 'id' | 'customFields'> | null;
  readonly subCategory: Pick<SubCategory, 'categoryId' | 'customFields'> | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isActive: boolean;
}

/** Returns what's wrong with an offer in its category and sub-category. */
export function categoryProblems({ category, subCategory, metadata, isActive }: Categorized): ErrorEntry[] {
  if (subCategory !== null && subCategory.categoryId !== category?.id) {
    return [{ path: '/subCategoryId', message: 'must be a sub-category of the category' }];
  }
  const fields = effectiveFields(category?.customFields ?? [], subCategory?.customFields ?? []);
  return customFieldProblems(fields, metadata, isActive);
}

/**
 * Throws 403 `feature_disabled` for a new budget if budgets are off for the tenant (docs/design/api-settled.md 106).
 */
async function checkBudgets(tx: Tx, { budget }: OfferFields, current: OfferRow | null): Promise<void> {
  if (budget === undefined || !isBudget(budget)) return;
  if (current !== null && isDeepStrictEqual(withoutCounters(budget), current.budget)) return;
  if ((await readSettings(tx)).enableBudgets) return;
  throw new AppError('feature_disabled', {
    detail: 'Budgets are disabled. Enable them with the setting enableBudgets.',
  });
}

export async function createOffer(tx: Tx, body: OfferCreate, tell: TellChange): Promise<OfferRow> {
  await checkBudgets(tx, body, null);
  await checkShape(tx, body);
  const governance = await checkGovernance(tx, null, body);
  await checkCategories(tx, body, null);
  const row = await createRecord(tx, offerSpec, columnsOf(body));
  const total = totalStockOf(row.inventory);
  if (total !== null) await changeStock(tx, row.id, null, total);
  await noteGovernance(tx, row, governance);
  tell(tx, { trigger: 'offer.created', ...about(row) });
  return row;
}

const about = ({ id }: OfferRow) => ({ entityType: 'offer', entityId: id, offerId: id }) as const;

/** Updates the supplied fields; `version` + 1. */
export async function updateOffer(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  fields: OfferFields,
  tell: TellChange,
): Promise<OfferRow> {
  await checkShape(tx, fields);
  let governance: GovernanceChange | null = null;
  let old: OfferRow | null = null;
  const row = await updateRecord(tx, offerSpec, id, {
    rowVersion,
    change: async (current) => {
      await checkBudgets(tx, fields, current);
      governance = await checkGovernance(tx, current, fields);
      await checkCategories(tx, fields, current);
      old = current;
      return columnsOf(fields);
    },
  });
  await followChange(tx, old ?? row, row, tell);
  await noteGovernance(tx, row, governance);
  return row;
}

/** Follow-up of an offer's change: its stock, and dependent records. */
async function followChange(tx: Tx, before: OfferRow, row: OfferRow, tell: TellChange): Promise<void> {
  const [had, has] = [totalStockOf(before.inventory), totalStockOf(row.inventory)];
  if (has !== had) await changeStock(tx, row.id, had, has);
  if (row.status !== before.status) tell(tx, { trigger: 'offer.status_changed', ...about(row) });
  else if (row.categoryId !== before.categoryId || row.subCategoryId !== before.subCategoryId) {
    tell(tx, { trigger: 'offer.updated', ...about(row) });
  }
}

const creativeColumns = ['name', 'status', 'channelId', 'placementId', 'templateType', 'weight', 'version'] as const;

/** Shows offers with their categories and creatives. */
export async function showOffers(tx: Tx, rows: readonly OfferRow[]): Promise<Offer[]> {
  const categories = await readRelated(
    tx,
    'category',
    rows.map((row) => row.categoryId),
    ['name', 'status'],
  );
  const subCategories = await readRelated(
    tx,
    'subCategory',
    rows.map((row) => row.subCategoryId),
    ['name', 'status'],
  );
  const creatives = await readReferring(
    tx,
    'creative',
    'offerId',
    rows.map((row) => row.id),
    creativeColumns,
  );
  const tracked = rows.filter(({ inventory }) => totalStockOf(inventory) !== null);
  const stock = await selectStock(
    tx,
    tracked.map(({ id }) => id),
  );
  const budgeted = rows.filter(({ budget }) => isBudget(budget)).map(({ id }) => id);
  const volumes =
    budgeted.length === 0 ? null : await readOfferVolumes(tx, budgeted, (await readSettings(tx)).timezone);
  return rows.map((row) => ({
    ...toWire(row),
    ...(volumes?.has(row.id) ? { budget: { ...row.budget, ...volumes.get(row.id) } } : {}),
    ...(stock.has(row.id) ? { inventory: { ...row.inventory, remainingStock: stock.get(row.id)! } } : {}),
    creatives: (creatives.get(row.id) ?? []).map(showCreative),
    categoryRef: showCategory(row.categoryId === null ? undefined : categories.get(row.categoryId)),
    subCategoryRef: showCategory(row.subCategoryId === null ? undefined : subCategories.get(row.subCategoryId)),
  }));
}

function showCreative(row: RelatedRow<'creative', (typeof creativeColumns)[number]>): OfferCreativeRef {
  const { id, name, status, channelId, placementId, templateType, weight, version } = row;
  return { id, name, status, channelId, placementId, templateType, weight, version };
}

const showCategory = (row: RelatedRow<'category' | 'subCategory', 'name' | 'status'> | undefined) =>
  row === undefined ? null : { id: row.id, name: row.name, status: row.status };

/** Soft-deletes an offer with everything that shows it (docs/design/quality.md E13). */
export async function deleteOffer(
  tx: Tx,
  id: string,
  addressed: Addressed,
  dependants: OfferDependants,
  tell: TellChange,
): Promise<{ success: true; id: string; cascaded: number }> {
  let cascaded = 0;
  const row = await softDeleteRecord(tx, offerSpec, id, {
    addressed,
    check: async (offer) => {
      cascaded = await dependants.deleteWithOffer(tx, offer.id);
    },
  });
  tell(tx, { trigger: 'offer.deleted', ...about(row) });
  return { success: true, id: row.id, cascaded };
}

/**
 * Restores an offer without its creatives, and without a category that has been deleted since
 * (docs/design/api-catalogue.md 19).
 */
export const restorableOffer = restorable(offerSpec, {
  set: (_offer, deletedParents) => Object.fromEntries(deletedParents.map(({ property }) => [property, null])),
});
