import type { TenantSettings } from '@arbiter/contract';
import { modelsNamed, type Snapshot, type SnapshotRankingProfile, semantics } from '@arbiter/engine';
import { zoneOffsets } from '../../../platform/time/zones.ts';
import type { RunnableFlow } from '../../catalogue/flows/index.ts';
import { modelsForPlan } from '../../catalogue/models/index.ts';
import type { CatalogueContent } from './catalogue-content.ts';
import type { CatalogueRows } from './catalogue-rows.ts';
import type { PlanHead } from './plan-pieces.ts';

/** The part of a plan's content that is its flow's own. Left out when empty, so that plans keep their hashes. */
export function headOf(content: CatalogueContent, flow: RunnableFlow): PlanHead {
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
      ...usualProfile(rankingProfiles, settings),
      neverStore: settings.neverStore,
    },
    flow,
    ...namedProfiles(rankingProfiles, [flow, ...subFlows], settings),
    ...(subFlows.length === 0 ? {} : { subFlows }),
    ...modelsOf(content, [flow, ...subFlows]),
  };
}

/** The whole content of a plan. */
export function snapshotOf(
  { lists, rules, policies }: CatalogueContent,
  head: PlanHead,
  { offers, creatives, otherOffers, contentItems }: CatalogueRows,
): Snapshot {
  const withOthers = otherOffers === undefined ? {} : { otherOffers };
  const { items } = contentItems;
  const withItems = items.length === 0 ? {} : { contentItems: items };
  return { ...head, ...lists, offers, creatives, ...withItems, rules, policies, ...withOthers };
}

/** The models of a flow, of the flows that it calls and of the rules. */
function modelsOf(
  { models, rules }: CatalogueContent,
  flows: readonly Pick<RunnableFlow, 'config'>[],
): Pick<PlanHead, 'models'> {
  const names = new Set(flows.flatMap(({ config }) => modelsNamed(config, rules)));
  const own = modelsForPlan(models, [...names].sort());
  return own.length === 0 ? {} : { models: own };
}

/** True when a formula among these may format dates, for which the plan holds the offsets of the tenant's zone. */
const formatsDates = (parts: readonly object[]): boolean => JSON.stringify(parts).includes('format_date');

/** The tenant's default profile, while there is one. */
function usualProfile(
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
