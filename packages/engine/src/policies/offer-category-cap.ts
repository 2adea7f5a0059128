import { flagField, textField } from '../compile/config-fields.ts';
import { readConfig } from '../compile/config-problems.ts';
import type { Builder } from '../plan/builder.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { LaneView } from '../plan/lanes.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { createCounter } from './counter.ts';
import { everyContact } from './customer-total-cap.ts';
import { daysOfPeriod } from './history-days.ts';
import type { PolicyKind } from './policy-kind.ts';
import { maxTotalField, periodField, periodWords, readTotal } from './total-limits.ts';

const fields = {
  targetCategory: textField('Category or sub-category, by ID or name.'),
  maxTotal: maxTotalField,
  periodType: periodField(periodWords, 'alltime'),
  filterByCategory: flagField(false, 'True: count contacts of that category only.'),
};

/**
 * At most n contacts of the period for candidates of one category. Counts all contacts with the customer, or with
 * `filterByCategory` those of the category (docs/design/api-catalogue.md 8.3).
 */
export const offerCategoryCap: PolicyKind = {
  ruleType: 'offer_category_cap',
  fields,
  required: ['targetCategory', 'maxTotal'],
  historyDays: (config) => daysOfPeriod(config, 'alltime'),
  check: (config) => parse(config).problems,
  compile(policy, _scope, builder) {
    const { limits, targetCategory, filterByCategory } = parse(policy.config);
    const target = findTarget(targetCategory, builder);
    const counter = createCounter(
      {
        assignments: everyContact,
        per: 'scope',
        limits,
        countsLane: filterByCategory ? target.counts : null,
        countsItem: filterByCategory ? (_run, candidate) => target.holds(candidate) : null,
      },
      builder,
    );
    return {
      role: 'block',
      final: false,
      bindsMandatory: false,
      needsCreative: false,
      countsAll: true,
      reach: counter.reachOf,
      blocks: (run, candidate) => target.holds(candidate) && counter.isFull(run, candidate),
      explain(run, candidate) {
        const full = counter.full(run, candidate);
        if (full === null) return { reason: '', detail: null };
        const { limit, actual } = full;
        return {
          reason: `offer_category_cap exceeded: ${limit.max}/${limit.word} for ${target.name}`,
          detail: { period: limit.period, max: limit.max, actual, targetCategory },
        };
      },
      take: counter.take,
    };
  },
};

interface TargetCategory {
  readonly name: string;
  readonly holds: (candidate: Candidate) => boolean;
  readonly counts: (lanes: LaneView, lane: number) => boolean;
}

/** The category or sub-category with this id, else with this name, else the offers that bear it as their label. */
function findTarget(wanted: string, { snapshot, index: { ordinals } }: Builder): TargetCategory {
  const named = <Row extends { readonly id: string; readonly name: string }>(rows: readonly Row[]) => ({
    byId: rows.filter(({ id }) => id === wanted.toLowerCase()),
    byName: rows.filter(({ name }) => name === wanted),
  });
  const [categories, subCategories] = [named(snapshot.categories), named(snapshot.subCategories)];
  for (const kind of ['byId', 'byName'] as const) {
    // A name of sub-categories is unique inside its category only.
    const own = new Set(categories[kind].map(({ id }) => ordinals.category.get(id)));
    const below = new Set(subCategories[kind].map(({ id }) => ordinals.subCategory.get(id)));
    if (own.size + below.size === 0) continue;
    return {
      name: [...categories[kind], ...subCategories[kind]][0]?.name ?? wanted,
      holds: ({ offer }) => own.has(offer.category) || below.has(offer.subCategory),
      counts: (lanes, lane) => own.has(lanes.category[lane]) || below.has(lanes.subCategory[lane]),
    };
  }
  const labelled = new Set(
    snapshot.offers.filter(({ category }) => category === wanted).map(({ id }) => ordinals.offer.get(id)),
  );
  return {
    name: wanted,
    holds: ({ ordinal }) => labelled.has(ordinal),
    counts: (lanes, lane) => labelled.has(lanes.offer[lane]),
  };
}

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const targetCategory = reader.text('targetCategory') ?? '';
  if (targetCategory === '' && reader.problems.length === 0) reader.refuse('targetCategory', 'is required');
  const limits = readTotal(reader, periodWords, 'alltime');
  const filterByCategory = reader.flag('filterByCategory') ?? false;
  reader.flag('bypassable');
  return { targetCategory, limits, filterByCategory, problems: reader.problems };
}
