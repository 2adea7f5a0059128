import type { Builder } from '../plan/builder.ts';
import type { PlanCreative, PlanOffer } from '../plan/offer.ts';
import { NONE, type Ordinals } from '../plan/ordinals.ts';
import type { JsonObject, Snapshot, SnapshotContentItem, SnapshotCreative, SnapshotOffer } from '../plan/snapshot.ts';
import { compileOfferBudget } from '../policies/offer-budget.ts';
import { compileOfferCaps } from '../policies/offer-caps.ts';
import { compileEligibility } from '../qualification/eligibility.ts';
import { channelView } from './channel-view.ts';
import { compileSchedule } from './schedule.ts';
import { shownContent, templatePaths } from './templates.ts';

const hourMs = 3_600_000;

/**
 * Rows compiled between two points where the caller may do something else: a millisecond at most, even the first time,
 * when the code is slow and every template is parsed.
 */
export const rowsPerSlice = 16;
/** The same where next to nothing is done with a row. */
export const rowsPerCount = 1024;

/** Creatives that can be shown: their channel, and their placement when bound, are in the snapshot. */
export function* compileCreatives(
  snapshot: Snapshot,
  ordinals: Ordinals,
  placements: ReadonlyMap<string, number>,
  builder: Builder,
): Generator<void, PlanCreative[]> {
  const views = new Map(snapshot.channels.map((channel) => [channel.id, channelView(channel)]));
  const items = new Map((snapshot.contentItems ?? []).map((item) => [item.id, item]));
  const compiled: PlanCreative[] = [];
  for (const [at, row] of sortById(snapshot.creatives).entries()) {
    if (at % rowsPerSlice === 0) yield;
    const channel = ordinals.channel.get(row.channelId);
    const placement = row.placementId === null ? NONE : placements.get(row.placementId);
    const ordinal = ordinals.creative.get(row.id);
    if (channel === undefined || placement === undefined || ordinal === undefined) continue;
    const item = row.contentItemId === undefined ? null : (items.get(row.contentItemId) ?? null);
    builder.readPaths(templatePaths(row, item));
    const { priorityOverride, frequencyCapPerDay, cooldownHours } = row.constraints;
    builder.cooldown((cooldownHours ?? 0) * hourMs);
    compiled.push({
      at: compiled.length,
      ordinal,
      id: row.id,
      row,
      item,
      weight: row.weight,
      channel,
      placement,
      priorityOverride: priorityOverride ?? null,
      constrained: frequencyCapPerDay !== undefined || (cooldownHours ?? 0) > 0,
      view: viewCreative(row, item),
      channelView: views.get(row.channelId) ?? {},
    });
  }
  return compiled;
}

/** Offers in id order, each with its creatives and custom fields. */
export function* compileOffers(
  snapshot: Snapshot,
  ordinals: Ordinals,
  creatives: readonly PlanCreative[],
  builder: Builder,
): Generator<void, PlanOffer[]> {
  const ofOffer = new Map<string, PlanCreative[]>();
  for (const creative of creatives) {
    // Numbering is quick work: some thousands between two points.
    if (creative.at % rowsPerCount === 0) yield;
    const list = ofOffer.get(creative.row.offerId);
    if (list === undefined) ofOffer.set(creative.row.offerId, [creative]);
    else list.push(creative);
  }
  const offers: PlanOffer[] = [];
  for (const [ordinal, row] of sortById(snapshot.offers).entries()) {
    if (ordinal % rowsPerSlice === 0) yield;
    const { values, computed } = builder.customFields(row);
    const pair = ordinals.offerCategory.get(row.id);
    const schedule = compileSchedule(row.schedule, snapshot.tenant.timezone);
    const caps = compileOfferCaps(row.frequencyCaps, builder);
    const budget = compileOfferBudget(row.id, row.budget, builder);
    offers.push({
      ordinal,
      id: row.id,
      row,
      categoryId: row.categoryId,
      priority: row.priority,
      businessValue: row.businessValue,
      margin: row.margin,
      revenueValue: row.revenueValue,
      gated:
        row.status !== 'active' ||
        row.mandatory ||
        row.emergencyExcluded ||
        schedule !== null ||
        caps !== null ||
        budget !== null ||
        row.tracksStock === true,
      category: pair?.[0] ?? NONE,
      subCategory: pair?.[1] ?? NONE,
      view: viewOffer(row, values),
      customFields: values,
      computed,
      interests: interestsOf(row, builder),
      schedule,
      caps,
      budget,
      eligibility: compileEligibility(row.eligibility, builder),
      // A list that grew by pushing has room for many more.
      creatives: ofOffer.get(row.id)?.slice() ?? nothing,
    });
  }
  return offers;
}

const nothing: readonly never[] = [];

function interestsOf(row: SnapshotOffer, builder: Builder): readonly number[] {
  if (!row.productType && row.tags.length === 0) return nothing;
  return [row.productType, ...row.tags].flatMap((text) => (text ? [builder.interest(text)] : []));
}

/** Spelled out: an object made by a rest pattern takes several times the memory, and there are thousands. */
export function viewOffer(row: SnapshotOffer, customFields: JsonObject): JsonObject {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    categoryId: row.categoryId,
    subCategoryId: row.subCategoryId,
    category: row.category,
    priority: row.priority,
    businessValue: row.businessValue,
    mandatory: row.mandatory,
    mandatoryExpiresAt: row.mandatoryExpiresAt,
    emergencyExcluded: row.emergencyExcluded,
    description: row.description,
    shortDesc: row.shortDesc,
    metadata: row.metadata,
    tags: row.tags,
    productType: row.productType,
    margin: row.margin,
    revenueValue: row.revenueValue,
    customFields,
  };
}

function viewCreative(row: SnapshotCreative, item: SnapshotContentItem | null): JsonObject {
  return {
    id: row.id,
    name: row.name,
    offerId: row.offerId,
    channelId: row.channelId,
    placementId: row.placementId,
    templateType: row.templateType,
    content: shownContent(row, item),
    constraints: row.constraints as JsonObject,
    abTestVariant: row.abTestVariant,
    weight: row.weight,
  };
}

/** Sorts rows by id. Returns lists that are already sorted, as the large ones are, unchanged. */
export function sortById<T extends { readonly id: string }>(rows: readonly T[]): readonly T[] {
  let sorted = true;
  for (let at = 1; at < rows.length && sorted; at++) sorted = rows[at - 1]!.id <= rows[at]!.id;
  if (sorted) return rows;
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
