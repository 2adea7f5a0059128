import type { TenantSettings } from '@arbiter/contract';
import {
  experimentsNamed,
  modelsNamed,
  type PlanHead,
  type Snapshot,
  type SnapshotRankingProfile,
  semantics,
} from '@arbiter/engine';
import { zoneOffsets } from '../../../platform/time/zones.ts';
import type { RunnableFlow } from '../../catalogue/flows/index.ts';
import { modelNamed, modelsForPlan } from '../../catalogue/models/index.ts';
import { type DecisionMetric, metricsCompared } from '../../data/behavioral-metrics/index.ts';
import type { CatalogueContent } from './catalogue-content.ts';
import type { CatalogueRows } from './catalogue-rows.ts';
import type { ContentItems } from './content-items.ts';

/** What a plan's head is made of. */
export type HeadContent = Pick<CatalogueContent, 'settings' | 'flows' | 'models' | 'experiments' | 'metrics'> &
  Pick<Snapshot, 'rules' | 'policies'> & { readonly rankingProfiles: readonly SnapshotRankingProfile[] } & {
    readonly lists: Pick<Snapshot, 'categories' | 'subCategories'>;
  };

/** The part of a plan's content that is its flow's own. Left out when empty, so that plans keep their hashes. */
export function headOf(content: HeadContent, flow: RunnableFlow): PlanHead {
  const { settings, lists, flows, rankingProfiles } = content;
  const subFlows = flows.calledBy(flow);
  return {
    format: 1,
    semantics,
    tenant: {
      timezone: settings.timezone,
      ...(formatsDates([flow.config, ...subFlows, lists.categories, lists.subCategories])
        ? { offsets: zoneOffsets(settings.timezone) }
        : {}),
      locale: settings.locale,
      currency: settings.currency,
      maxOffersPerDecision: settings.maxOffersPerDecision,
      holdoutPercentage: settings.holdoutPercentage,
      mandatoryDailyCap: settings.mandatoryDailyCap,
      ...defaultProfile(rankingProfiles, settings),
      neverStore: settings.neverStore,
    },
    flow,
    ...namedProfiles(rankingProfiles, [flow, ...subFlows], settings),
    ...(subFlows.length === 0 ? {} : { subFlows }),
    ...modelsOf(content, [flow, ...subFlows]),
    ...metricsFor(comparedMetrics(content)),
  };
}

/** The rows of a plan. */
export type SnapshotRows = Pick<CatalogueRows, 'offers' | 'creatives' | 'otherOffers'> & {
  readonly contentItems: Pick<ContentItems, 'items'>;
};

type SnapshotParts = Pick<Snapshot, 'rules' | 'policies'> & {
  readonly lists: Omit<Snapshot, keyof PlanHead | keyof SnapshotRows | 'rules' | 'policies'>;
};

/** The whole content of a plan. */
export function snapshotOf(
  { lists, rules, policies }: SnapshotParts,
  head: PlanHead,
  { offers, creatives, otherOffers, contentItems }: SnapshotRows,
): Snapshot {
  const withOthers = otherOffers === undefined ? {} : { otherOffers };
  const { items } = contentItems;
  const withItems = items.length === 0 ? {} : { contentItems: items };
  return { ...head, ...lists, offers, creatives, ...withItems, rules, policies, ...withOthers };
}

/** The models of a flow, of the flows that it calls, of the rules and of the experiments that share their customers. */
function modelsOf(
  { models, rules, experiments }: Pick<HeadContent, 'models' | 'rules' | 'experiments'>,
  flows: readonly Pick<RunnableFlow, 'config'>[],
): Pick<PlanHead, 'models' | 'experiments'> {
  const names = new Set(flows.flatMap(({ config }) => modelsNamed(config, rules)));
  const named = new Set(flows.flatMap(({ config }) => experimentsNamed(config)));
  const meant = new Set([...names].map((name) => modelNamed(models, name)?.key ?? name));
  // A challenger that the flow doesn't name starts no experiment of its own: only one applies to a score node.
  const own = experiments.filter(
    ({ key, isRunning, champion }) => named.has(key) || (isRunning && meant.has(champion)),
  );
  const found = modelsForPlan(models, [...names].sort(), new Set(own.flatMap((experiment) => experiment.models)));
  return {
    ...(found.length === 0 ? {} : { models: found }),
    ...(own.length === 0 ? {} : { experiments: own.map(({ models: _models, ...experiment }) => experiment) }),
  };
}

const comparedMetrics = ({
  metrics,
  rules,
  policies,
}: Pick<HeadContent, 'metrics' | 'rules' | 'policies'>): DecisionMetric[] =>
  metricsCompared(metrics, [...rules, ...policies]);

/** Keys of the metrics that decisions read: those without dimensions, and those that rules and policies compare. */
export function metricKeys(content: CatalogueContent): string[] {
  const compared = new Set(comparedMetrics(content).map(({ id }) => id));
  return content.metrics
    .filter(
      ({ id, status, groupByDimensions }) =>
        status !== 'archived' && (groupByDimensions.length === 0 || compared.has(id)),
    )
    .map(({ key }) => key)
    .sort();
}

/** Metrics as plans hold them. */
export function metricsFor(named: readonly DecisionMetric[]): Pick<PlanHead, 'metrics'> {
  if (named.length === 0) return {};
  return {
    metrics: named.map(({ id, key, name, groupByDimensions, aggregateFunction }) => ({
      id,
      key,
      name,
      groupBy: groupByDimensions,
      zeroIfMissing: aggregateFunction === 'count' || aggregateFunction === 'sum',
    })),
  };
}

/** True when a formula among these may format dates, for which the plan holds the offsets of the tenant's zone. */
const formatsDates = (parts: readonly object[]): boolean => JSON.stringify(parts).includes('format_date');

/** The tenant's default profile, while there is one. */
function defaultProfile(
  profiles: readonly SnapshotRankingProfile[],
  { defaultArbitrationProfileId }: TenantSettings,
): Pick<Snapshot['tenant'], 'defaultArbitrationProfileId'> {
  const known = profiles.some(({ id }) => id === defaultArbitrationProfileId);
  return known && defaultArbitrationProfileId !== null ? { defaultArbitrationProfileId } : {};
}

/** The profiles that the flow names, and the default: a change of any other leaves the plan as it is. */
function namedProfiles(
  profiles: readonly SnapshotRankingProfile[],
  flows: readonly { readonly config: unknown }[],
  { defaultArbitrationProfileId }: TenantSettings,
): Pick<Snapshot, 'rankingProfiles'> {
  if (profiles.length === 0) return {};
  const config = JSON.stringify(flows.map((flow) => flow.config)).toLowerCase();
  const named = profiles.filter(({ id }) => id === defaultArbitrationProfileId || config.includes(id));
  return named.length === 0 ? {} : { rankingProfiles: named };
}
