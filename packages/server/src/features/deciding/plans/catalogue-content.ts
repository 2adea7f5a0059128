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

/**
 * `tx` must be a `snapshot`. Of offers and creatives, reads only what changed since `before`. Statements that don't depend on
 * each other start together, because a busy event loop makes each trip long.
 */
export async function readContent(tx: Tx, before: CatalogueRows | null) {
  const lists = await readLists(tx);
  const { settings, flows, models, tables, joins } = lists;
  const { inactivePlacements, ...places } = lists.places;
  const isOn = typesInUse(settings);
  const policies = lists.policies.filter(isOn);
  // Dry runs use drafts and paused offers of flows that name their status.
  const wanted = {
    statuses: flows.offerStatuses(),
    otherOffers: needsOfferCategories(policies),
    budgets: settings.enableBudgets,
    contentItems: settings.enableContentManagement,
  };
  const [rows, metrics] = await Promise.all([
    readRows(tx, wanted, before),
    settings.enableBehavioralMetrics ? selectMetrics(tx) : [],
  ]);
  const { version, tenant, volumes, segments, rankingProfiles } = lists;
  return {
    version,
    settings,
    isPlayground: tenant.isPlayground,
    flows,
    routes: routeTable(lists.routes, { ...places, inactivePlacements }, (id) => flows.runnableOf(id) !== null),
    inactiveChannels: new Set(lists.inactiveChannels),
    models,
    experiments: experimentsForPlans(lists.experiments, models, settings.enableExperiments),
    rules: lists.rules.filter(isOn),
    metrics,
    policies,
    schemaTables: new Map(tables.map((table) => [table.schemaId, table])),
    segments,
    rankingProfiles,
    outcomes: new Map(lists.outcomes.map((outcome) => [outcome.key, outcome])),
    wanted,
    rows,
    volumes,
    countsVolumes: volumes.length > 0 || countsAnything(rows, policies),
    /** What else reads of customers: drafts, and rules and policies that aren't active. */
    beside: { flows: lists.liveConfigs, rules: lists.idleRules, policies: lists.idlePolicies },
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

/** Everything that a catalogue always reads as a whole. */
const readLists = (tx: Tx) =>
  together({
    version: readCatalogueVersion(tx),
    settings: readSettings(tx),
    tenant: getTenant(tx),
    flows: readFlowDirectory(tx),
    liveConfigs: selectLiveConfigs(tx),
    routes: readRoutes(tx),
    models: selectModels(tx),
    experiments: selectExperiments(tx),
    places: readPlaces(tx),
    inactiveChannels: selectInactiveChannelIds(tx),
    tables: readSchemaTables(tx),
    joins: readJoins(tx),
    segments: readActiveSegments(tx),
    rules: snapshotRules(tx),
    idleRules: idleRules(tx),
    policies: snapshotPolicies(tx),
    idlePolicies: idlePolicies(tx),
    rankingProfiles: snapshotRankingProfiles(tx),
    outcomes: readOutcomeTypes(tx),
    volumes: selectVolumeRefs(tx),
  });

const readPlaces = (tx: Tx) =>
  together({
    channels: snapshotChannels(tx),
    placements: snapshotPlacements(tx),
    inactivePlacements: snapshotInactivePlacements(tx),
    categories: snapshotCategories(tx),
    subCategories: snapshotSubCategories(tx),
  });

type Started = Readonly<Record<string, Promise<unknown>>>;

/** `Promise.all` for promises with names. */
async function together<P extends Started>(started: P): Promise<{ [Name in keyof P]: Awaited<P[Name]> }> {
  const names = Object.keys(started);
  const values = await Promise.all(Object.values(started));
  return Object.fromEntries(names.map((name, at) => [name, values[at]])) as { [Name in keyof P]: Awaited<P[Name]> };
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

const countsAnything = ({ offers }: CatalogueRows, policies: readonly SnapshotPolicy[]): boolean =>
  offers.some(({ budget }) => budget !== undefined) || policies.some(({ ruleType }) => ruleType === 'budget_exhausted');

/** Those that write suppressions when an outcome is recorded. */
export const outcomePoliciesOf = (policies: readonly SnapshotPolicy[]): SnapshotPolicy[] =>
  policies.filter(({ ruleType }) => ruleType === 'outcome_based');
