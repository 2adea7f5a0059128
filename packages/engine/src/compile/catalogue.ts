import type { Formula, OutputType } from '../formula/formula.ts';
import { compileEligibility, type Eligibility } from '../qualification/eligibility.ts';
import type { Snapshot, SnapshotCreative, SnapshotOffer } from '../snapshot.ts';
import { compileTemplate } from '../templates/compile-template.ts';
import type { Template } from '../templates/template.ts';
import type { Builder } from './builder.ts';
import { channelView } from './channel-view.ts';
import type { JsonObject } from './config-problems.ts';
import { NONE, type Ordinals } from './plan.ts';
import { compileSchedule, type Schedule } from './schedule.ts';

const hourMs = 3_600_000;

/** An offer of the plan: what does not depend on the decision. Numbers as in `Ordinals`. */
export interface PlanOffer {
  readonly ordinal: number;
  readonly id: string;
  readonly row: SnapshotOffer;
  // What every candidate is asked for stands here too: with thousands of offers each further object is a cache miss.
  readonly categoryId: string | null;
  readonly priority: number;
  readonly businessValue: number;
  readonly margin: number | null;
  readonly revenueValue: number | null;
  /** False: active, neither mandatory nor excluded nor scheduled, so that inventory has nothing to ask. */
  readonly gated: boolean;
  readonly category: number;
  readonly subCategory: number;
  /** `offer.*` of formulas and conditions. */
  readonly view: JsonObject;
  /** Values of its custom fields by key, defaults filled in: bare names of formulas. */
  readonly customFields: JsonObject;
  /** Computed custom fields in dependency order. */
  readonly computed: readonly ComputedField[];
  /** Numbers of its product type and tags, which are compared with the customer's interests. */
  readonly interests: readonly number[];
  readonly schedule: Schedule | null;
  readonly eligibility: Eligibility | null;
  /** In id order. */
  readonly creatives: readonly PlanCreative[];
}

export interface PlanCreative {
  /** Position in `program.creatives`. */
  readonly at: number;
  readonly ordinal: number;
  readonly id: string;
  readonly row: SnapshotCreative;
  readonly weight: number;
  /** Of `program.channels`; creatives of other channels are not in the plan. */
  readonly channel: number;
  /** Of `program.placements`; NONE: any placement of the channel. */
  readonly placement: number;
  readonly priorityOverride: number | null;
  readonly constrained: boolean;
  readonly view: JsonObject;
  readonly channelView: JsonObject;
  readonly template: Template;
}

export interface ComputedField {
  readonly key: string;
  readonly source: string;
  /** Null: the formula cannot be compiled or is part of a circle; `problem` says which. */
  readonly formula: Formula | null;
  readonly problem: { readonly kind: string; readonly error: string } | null;
  readonly outputType: OutputType;
}

/** Creatives that can be shown: their channel, and their placement when bound, are in the snapshot. */
export function compileCreatives(
  snapshot: Snapshot,
  ordinals: Ordinals,
  placements: ReadonlyMap<string, number>,
  builder: Builder,
): PlanCreative[] {
  const views = new Map(snapshot.channels.map((channel) => [channel.id, channelView(channel)]));
  const compiled: PlanCreative[] = [];
  for (const row of sortById(snapshot.creatives)) {
    const channel = ordinals.channel.get(row.channelId);
    const placement = row.placementId === null ? NONE : placements.get(row.placementId);
    const ordinal = ordinals.creative.get(row.id);
    if (channel === undefined || placement === undefined || ordinal === undefined) continue;
    const template = compileTemplate(row.content, row.personalization, row.templateType);
    builder.readPaths(template.paths);
    const { priorityOverride, frequencyCapPerDay, cooldownHours } = row.constraints;
    builder.cooldown((cooldownHours ?? 0) * hourMs);
    compiled.push({
      at: compiled.length,
      ordinal,
      id: row.id,
      row,
      weight: row.weight,
      channel,
      placement,
      priorityOverride: priorityOverride ?? null,
      constrained: frequencyCapPerDay !== undefined || (cooldownHours ?? 0) > 0,
      view: viewCreative(row),
      channelView: views.get(row.channelId) ?? {},
      template,
    });
  }
  return compiled;
}

/** Offers in id order, each with its creatives and custom fields. */
export function compileOffers(
  snapshot: Snapshot,
  ordinals: Ordinals,
  creatives: readonly PlanCreative[],
  builder: Builder,
): PlanOffer[] {
  const ofOffer = new Map<string, PlanCreative[]>();
  for (const creative of creatives) {
    const list = ofOffer.get(creative.row.offerId);
    if (list === undefined) ofOffer.set(creative.row.offerId, [creative]);
    else list.push(creative);
  }
  return sortById(snapshot.offers).map((row, ordinal) => {
    const { values, computed } = builder.customFields(row);
    const pair = ordinals.offerCategory.get(row.id);
    const interests = [row.productType, ...row.tags].filter((text): text is string => text !== null && text !== '');
    const schedule = compileSchedule(row.schedule, snapshot.tenant.timezone);
    return {
      ordinal,
      id: row.id,
      row,
      categoryId: row.categoryId,
      priority: row.priority,
      businessValue: row.businessValue,
      margin: row.margin,
      revenueValue: row.revenueValue,
      gated: row.status !== 'active' || row.mandatory || row.emergencyExcluded || schedule !== null,
      category: pair?.[0] ?? NONE,
      subCategory: pair?.[1] ?? NONE,
      view: viewOffer(row, values),
      customFields: values,
      computed,
      interests: interests.map((text) => builder.interest(text)),
      schedule,
      eligibility: compileEligibility(row.eligibility, builder),
      creatives: ofOffer.get(row.id) ?? [],
    };
  });
}

function viewOffer(row: SnapshotOffer, customFields: JsonObject): JsonObject {
  const { schedule: _schedule, eligibility: _eligibility, ...plain } = row;
  return { ...plain, customFields };
}

function viewCreative(row: SnapshotCreative): JsonObject {
  const { content, personalization: _entries, constraints, ...plain } = row;
  return { ...plain, content, constraints: { ...constraints } };
}

export function sortById<T extends { readonly id: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
