import { isoInstant } from '../arithmetic/calendar.ts';
import { numberField, textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Builder } from '../plan/builder.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { LaneView } from '../plan/lanes.ts';
import { UNKNOWN } from '../plan/ordinals.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { oncePerDecision } from './counted-set.ts';
import { numberIn } from './history-days.ts';
import { offerIdOf } from './lane-view.ts';
import {
  afterOutcomeField,
  daysAgo,
  daysToMs,
  longestDays,
  need,
  outcomeRemarks,
  readOutcomes,
} from './outcomes/outcome-config.ts';
import { outcomeKeyOf, outcomesOf } from './outcomes/outcome-view.ts';
import type { PolicyKind } from './policy-kind.ts';
import { hasTally, raiseTally } from './tally.ts';

const fields = {
  categoryId: textField('Category whose offers are blocked. Without any ID, each category suppresses itself.'),
  subCategoryId: textField('Sub-category whose offers are blocked.'),
  triggerCategoryId: textField(
    'Category whose contacts and outcomes cause the block. Default: the blocked category itself.',
  ),
  suppressionDays: numberField(
    0,
    longestDays,
    'Days of 24 hours to block after a contact or outcome. 0 disables the policy.',
  ),
  afterOutcome: afterOutcomeField('Outcomes that cause the block. Default: every contact and outcome.'),
};

/**
 * Blocks a category within `suppressionDays` of the customer's latest interaction with it, or with the category
 * `triggerCategoryId`: a contact or an outcome, with `afterOutcome` only those outcomes. Without ids each category
 * suppresses itself (docs/design/api-catalogue.md 8.3). Exactly that long ago passes, and 0 days never block.
 */
export const categorySuppression: PolicyKind = {
  ruleType: 'category_suppression',
  fields,
  required: ['suppressionDays'],
  historyDays: (config) => numberIn(config, 'suppressionDays'),
  check: (config) => parse(config).problems,
  remarks: (config) => outcomeRemarks(config, 'suppressionDays'),
  compile(policy, _scope, builder) {
    const parsed = parse(policy.config);
    const { outcomes, suppressionDays } = parsed;
    const suppressMs = daysToMs(suppressionDays);
    const keys = outcomes === null ? null : new Set(outcomes);
    if (suppressMs > 0) {
      builder.outcomes(outcomes, suppressMs);
      if (keys === null) builder.cooldown(suppressMs);
    }
    const { holds, triggers, bucketOf, name } = compileTarget(parsed, builder);
    /** The interactions that still suppress. */
    const eachTrigger = (run: Run, found: (view: LaneView, at: number) => void): void => {
      if (suppressMs === 0) return;
      if (keys === null) eachLane(run, run.lanes, found);
      if (run.input.outcomes === undefined) return;
      const view = outcomesOf(run);
      eachLane(run, view, (_, at) => {
        const key = outcomeKeyOf(run, view, at);
        if (keys === null ? !withoutContact.has(key) : keys.has(key)) found(view, at);
      });
    };
    const eachLane = (run: Run, view: LaneView, found: (view: LaneView, at: number) => void): void => {
      for (let at = 0; at < view.size; at++) {
        if (run.now - view.lastAt[at]! < suppressMs && triggers(view, at)) found(view, at);
      }
    };
    // The latest interaction that still suppresses, by category when each suppresses itself.
    const row = builder.rows(1);
    const reachOf = oncePerDecision((run) => {
      let any = false;
      eachTrigger(run, (view, at) => {
        raiseTally(run.scratch.tally, row, bucketOf(view.category[at]!), view.lastAt, at);
        any = true;
      });
      return any ? 'all' : 'none';
    });
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: false,
      reach: reachOf,
      blocks(run, candidate) {
        reachOf(run);
        return holds(candidate) && hasTally(run.scratch.tally, row, bucketOf(candidate.offer.category));
      },
      explain(run, candidate) {
        const latest = { offerId: '', at: Number.NEGATIVE_INFINITY };
        const bucket = bucketOf(candidate.offer.category);
        eachTrigger(run, (view, at) => {
          if (bucketOf(view.category[at]!) !== bucket || view.lastAt[at]! <= latest.at) return;
          latest.offerId = offerIdOf(view, at);
          latest.at = view.lastAt[at]!;
        });
        return explainBlock(run, candidate, latest, parsed, name(candidate), suppressMs);
      },
      take: null,
    };
  },
};

/** Outcomes that mean the customer saw nothing. */
const withoutContact: ReadonlySet<string> = new Set(['not_presented', 'expired']);

function explainBlock(
  { now }: Run,
  { offer }: Candidate,
  { offerId, at }: { readonly offerId: string; readonly at: number },
  { ids, suppressionDays }: Config,
  name: string,
  suppressMs: number,
) {
  const suppressedUntil = isoInstant(at + suppressMs);
  const isOwn = ids.categoryId === null && ids.subCategoryId === null;
  return {
    reason: `category_suppression: ${name} until ${suppressedUntil}`,
    detail: {
      categoryId: isOwn ? offer.categoryId : ids.categoryId,
      subCategoryId: ids.subCategoryId,
      suppressionDays,
      daysSince: daysAgo(now, at),
      triggeringOfferId: offerId,
      suppressedUntil,
    },
  };
}

interface CategoryTarget {
  /** Which candidates in scope are blocked. */
  readonly holds: (candidate: Candidate) => boolean;
  /** Which interactions block them. */
  readonly triggers: (view: LaneView, at: number) => boolean;
  /** What an interaction must share with a candidate to block it: the category, or nothing. */
  readonly bucketOf: (category: number) => number;
  /** For the reason. */
  readonly name: (candidate: Candidate) => string;
}

function compileTarget({ ids }: Config, { snapshot, index: { ordinals } }: Builder): CategoryTarget {
  const { categoryId, subCategoryId, triggerCategoryId } = ids;
  const names = new Map([...snapshot.categories, ...snapshot.subCategories].map((row) => [row.id, row.name]));
  const nameOf = (id: string | null): string => (id === null ? 'all offers' : (names.get(id) ?? id));
  const numberOf = (id: string | null, numbers: ReadonlyMap<string, number>): number | null =>
    id === null ? null : (numbers.get(id) ?? UNKNOWN);
  const category = numberOf(categoryId, ordinals.category);
  const subCategory = numberOf(subCategoryId, ordinals.subCategory);
  const trigger = numberOf(triggerCategoryId, ordinals.category);
  // A number that the plan doesn't know is that of no offer; contacts with unknown offers bear it too.
  const is = (wanted: number | null, actual: number): boolean =>
    wanted === null || (actual === wanted && wanted !== UNKNOWN);
  const fits = (ofOffer: number, ofSub: number): boolean => is(category, ofOffer) && is(subCategory, ofSub);
  const isOwn = category === null && subCategory === null && trigger === null;
  return {
    holds: ({ offer }) => (isOwn ? offer.category >= 0 : fits(offer.category, offer.subCategory)),
    triggers(view, at) {
      if (isOwn) return view.category[at]! >= 0;
      if (trigger !== null) return is(trigger, view.category[at]!);
      return fits(view.category[at]!, view.subCategory[at]!);
    },
    bucketOf: isOwn ? (number) => number : () => 0,
    name: ({ offer }) => nameOf(isOwn ? offer.categoryId : (subCategoryId ?? categoryId)),
  };
}

type Config = ReturnType<typeof parse>;

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const id = (key: string): string | null => {
    const value = reader.text(key);
    if (value === '') reader.refuse(key, 'must not be empty');
    return value ?? null;
  };
  const ids = {
    categoryId: id('categoryId'),
    subCategoryId: id('subCategoryId'),
    triggerCategoryId: id('triggerCategoryId'),
  };
  const suppressionDays = reader.number('suppressionDays', fields.suppressionDays);
  need(reader, 'suppressionDays', suppressionDays);
  const outcomes = readOutcomes(reader, config, false);
  reader.flag('bypassable');
  return { ids, suppressionDays: suppressionDays ?? 0, outcomes, problems: reader.problems };
}
