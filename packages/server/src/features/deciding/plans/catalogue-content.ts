import type { TenantSettings } from '@arbiter/contract';
import { needsOfferCategories, type SnapshotPolicy } from '@arbiter/engine';
import { readCatalogueVersion, type Tx } from '../../../db/index.ts';
import { snapshotCategories, snapshotSubCategories } from '../../catalogue/categories/index.ts';
import {
  selectInactiveChannelIds,
  snapshotChannels,
  snapshotInactivePlacements,
  snapshotPlacements,
} from '../../catalogue/channels/index.ts';
import { idlePolicies, snapshotPolicies } from '../../catalogue/contact-policies/index.ts';
import { experimentsForPlans, selectExperiments } from '../../catalogue/experiments/index.ts';
import { readRoutes, routeTable } from '../../catalogue/flow-routes/index.ts';
import { readFlowDirectory, selectLiveConfigs } from '../../catalogue/flows/index.ts';
import { selectModels } from '../../catalogue/models/index.ts';
import { readOutcomeTypes } from '../../catalogue/outcomes/index.ts';
import { idleRules, snapshotRules } from '../../catalogue/qualification/index.ts';
import { snapshotRankingProfiles } from '../../catalogue/ranking-profiles/index.ts';
import { readJoins, readSchemaTables, toSnapshotSchema } from '../../catalogue/schemas/index.ts';
import { readActiveSegments } from '../../catalogue/segments/index.ts';
import { selectMetrics } from '../../data/behavioral-metrics/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { getTenant } from '../../identity/tenants/index.ts';
import { selectVolumeRefs } from '../volumes/index.ts';
import { type CatalogueRows, readRows } from './catalogue-rows.ts';

/** One version of the catalogue as it's stored. */
export type CatalogueContent = Awaited<ReturnType<typeof readContent>>;

/** `tx` must be a `snapshot`. Of offers and creatives, reads only what changed since `before`. */
export async function readContent(tx: Tx, before: CatalogueRows | null) {
  const settings = await readSettings(tx);
  const flows = await readFlowDirectory(tx);
  const models = await selectModels(tx);
  const { inactivePlacements, ...places } = await readPlaces(tx);
  const tables = await readSchemaTables(tx);
  const joins = await readJoins(tx);
  const active = await snapshotPolicies(tx);
  const isOn = typesInUse(settings);
  const policies = active.filter(isOn);
  // Dry runs use drafts and paused offers of flows that name their status.
  const wanted = {
    statuses: flows.offerStatuses(),
    otherOffers: needsOfferCategories(policies),
    budgets: settings.enableBudgets,
    contentItems: settings.enableContentManagement,
  };
  const rows = await readRows(tx, wanted, before);
  const volumes = await selectVolumeRefs(tx);
  return {
    version: await readCatalogueVersion(tx),
    settings,
    isPlayground: (await getTenant(tx)).isPlayground,
    flows,
    routes: routeTable(await readRoutes(tx), { ...places, inactivePlacements }, (id) => flows.runnableOf(id) !== null),
    inactiveChannels: new Set(await selectInactiveChannelIds(tx)),
    models,
    experiments: experimentsForPlans(await selectExperiments(tx), models, settings.enableExperiments),
    rules: (await snapshotRules(tx)).filter(isOn),
    metrics: settings.enableBehavioralMetrics ? await selectMetrics(tx) : [],
    policies,
    schemaTables: new Map(tables.map((table) => [table.schemaId, table])),
    segments: await readActiveSegments(tx),
    rankingProfiles: await snapshotRankingProfiles(tx),
    outcomes: new Map((await readOutcomeTypes(tx)).map((o) => [o.key, o])),
    wanted,
    rows,
    volumes,
    countsVolumes: volumes.length > 0 || countsAnything(rows, policies),
    /** What else reads of customers: drafts, and rules and policies that aren't active. */
    beside: { flows: await selectLiveConfigs(tx), rules: await idleRules(tx), policies: await idlePolicies(tx) },
    /** The parts of every plan. Left out when empty, so that plans keep their hashes. */
    lists: {
      ...places,
      ...(inactivePlacements.length === 0 ? {} : { inactivePlacements }),
      schemas: tables.map(toSnapshotSchema),
      ...(joins.length === 0 ? {} : { joins }),
    },
    joins,
  };
}

/** Tells whether the settings enable a rule or policy. */
export function typesInUse(
  settings: Pick<TenantSettings, 'enableBudgets' | 'enableBehavioralMetrics'>,
): (record: { readonly ruleType: string }) => boolean {
  const off = new Set([
    ...(settings.enableBudgets ? [] : ['budget_exhausted']),
    ...(settings.enableBehavioralMetrics ? [] : ['metric_condition']),
  ]);
  return ({ ruleType }) => !off.has(ruleType);
}

async function readPlaces(tx: Tx) {
  return {
    channels: await snapshotChannels(tx),
    placements: await snapshotPlacements(tx),
    inactivePlacements: await snapshotInactivePlacements(tx),
    categories: await snapshotCategories(tx),
    subCategories: await snapshotSubCategories(tx),
  };
}

const countsAnything = ({ offers }: CatalogueRows, policies: readonly SnapshotPolicy[]): boolean =>
  offers.some(({ budget }) => budget !== undefined) || policies.some(({ ruleType }) => ruleType === 'budget_exhausted');

/** Those that write suppressions when an outcome is recorded. */
export const outcomePoliciesOf = (policies: readonly SnapshotPolicy[]): SnapshotPolicy[] =>
  policies.filter(({ ruleType }) => ruleType === 'outcome_based');
