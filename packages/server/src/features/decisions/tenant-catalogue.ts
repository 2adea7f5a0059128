import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TenantSettings } from '@arbiter/contract';
import { canonicalJson, compile, needsOfferCategories, type Plan, type Snapshot } from '@arbiter/engine';
import type { Tx } from '../../db/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { zoneOffsets } from '../../platform/zones.ts';
import { snapshotCategories, snapshotSubCategories } from '../categories/index.ts';
import { selectInactiveChannelIds, snapshotChannels, snapshotPlacements } from '../channels/index.ts';
import { snapshotPolicies } from '../contact-policies/index.ts';
import { snapshotCreatives } from '../creatives/index.ts';
import { type RunnableFlow, readFlowDirectory } from '../flows/index.ts';
import { snapshotOffers, snapshotOtherOffers } from '../offers/index.ts';
import { type OutcomeTypeFacts, readOutcomeTypes } from '../outcomes/index.ts';
import { snapshotRules } from '../qualification/index.ts';
import { readSchemaTables, type SchemaTable, toSnapshotSchema } from '../schemas/index.ts';
import { readSettings } from '../settings/index.ts';
import { getTenant } from '../tenants/index.ts';
import { type PlanRefs, planRefs } from './packed-result.ts';

/** The tenant's catalogue of one version, as this process holds it: what decisions are made with. */
export interface TenantCatalogue {
  readonly tenantId: string;
  readonly version: number;
  readonly settings: TenantSettings;
  /** Whether a quota of decisions holds (api-access.md 5.4); a tenant is born a playground or never becomes one. */
  readonly isPlayground: boolean;
  /** Ids of channels that no plan holds, because they are not active now. */
  readonly inactiveChannels: ReadonlySet<string>;
  readonly outcomes: ReadonlyMap<string, OutcomeTypeFacts>;
  /** Where the rows of a schema stand, by schema id. */
  readonly schemaTables: ReadonlyMap<string, SchemaTable>;
  /** Null: the tenant has no runnable flow at all. Throws AppError 404 or 409 for an explicit one that cannot run. */
  flowFor(asked: string | null): CompiledFlow | null;
  /** Longest time that any compiled plan's windows look back, in ms. */
  logHorizonMs(): number;
}

/** A flow compiled against the catalogue, with what identifies and stores its plan. */
export interface CompiledFlow {
  readonly plan: Plan;
  /** SHA-256 of the canonical snapshot. */
  readonly hash: Buffer;
  /** Raw-deflated canonical snapshot, for the plans table. */
  readonly body: Buffer;
  /** True once a transaction that stores the plan has committed in this process's sight. */
  stored: boolean;
  readonly neverStore: ReadonlySet<string>;
  /** Paths of the values that rules compare offers with, by rule. */
  readonly comparedWith: ReadonlyMap<string, string>;
  readonly refs: PlanRefs;
}

/** Reads the catalogue in one version: the version row is held, so no writer commits in between. */
export async function loadCatalogue(tx: Tx): Promise<TenantCatalogue> {
  const [row] = await tx.query<{ version: number }>(
    'select version from catalogue_versions where tenant_id = $1 for share',
    [tx.tenantId],
  );
  const version = Number(row?.version ?? 0);
  const settings = await readSettings(tx);
  const { isPlayground } = await getTenant(tx);
  const flows = await readFlowDirectory(tx);
  const channels = await snapshotChannels(tx);
  const inactiveChannels = new Set(await selectInactiveChannelIds(tx));
  const placements = await snapshotPlacements(tx);
  const categories = await snapshotCategories(tx);
  const subCategories = await snapshotSubCategories(tx);
  // Drafts and paused offers take part in dry runs of flows that name their status.
  const includeStatuses = flows.offerStatuses();
  const offers = await snapshotOffers(tx, { includeStatuses });
  const creatives = await snapshotCreatives(tx);
  const rules = await snapshotRules(tx);
  const policies = await snapshotPolicies(tx);
  const tables = await readSchemaTables(tx);
  const schemaTables = new Map(tables.map((table) => [table.schemaId, table]));
  const schemas = tables.map(toSnapshotSchema);
  const outcomes = new Map((await readOutcomeTypes(tx)).map((o) => [o.key, o]));

  const withOthers = needsOfferCategories(policies)
    ? { otherOffers: await snapshotOtherOffers(tx, { includeStatuses }) }
    : {};

  const compiled = new Map<string, CompiledFlow>();
  let horizonMs = 0;
  const compileFlow = (flow: RunnableFlow): CompiledFlow => {
    const known = compiled.get(flow.id);
    if (known) return known;
    const snapshot: Snapshot = {
      format: 1,
      tenant: {
        timezone: settings.timezone,
        ...(formatsDates([flow.config, categories, subCategories]) ? { offsets: zoneOffsets(settings.timezone) } : {}),
        locale: settings.locale,
        currency: settings.currency,
        maxOffersPerDecision: settings.maxOffersPerDecision,
        holdoutPercentage: settings.holdoutPercentage,
        mandatoryDailyCap: settings.mandatoryDailyCap,
        neverStore: settings.neverStore,
      },
      flow,
      channels,
      placements,
      categories,
      subCategories,
      offers,
      creatives,
      rules,
      policies,
      schemas,
      ...withOthers,
    };
    const made = compileSnapshot(snapshot);
    compiled.set(flow.id, made);
    horizonMs = Math.max(horizonMs, made.plan.logHorizonMs);
    return made;
  };

  return {
    tenantId: tx.tenantId,
    version,
    settings,
    isPlayground,
    inactiveChannels,
    outcomes,
    schemaTables,
    flowFor(asked) {
      if (asked === null) {
        const flow = flows.fallback();
        return flow === null ? null : compileFlow(flow);
      }
      const found = flows.find(asked);
      if (found === null) throw new AppError('not_found', { detail: 'decision flow not found' });
      if (found.runnable === null) {
        throw new AppError('flow_not_published', {
          detail: 'the decision flow is not active or has no published version',
        });
      }
      return compileFlow(found.runnable);
    },
    logHorizonMs: () => horizonMs,
  };
}

/** True when a formula among these may format dates, for which the plan holds the offsets of the tenant's zone. */
const formatsDates = (parts: readonly object[]): boolean => JSON.stringify(parts).includes('format_date');

/** Compiles a snapshot and names it by its content. */
export function compileSnapshot(snapshot: Snapshot): CompiledFlow {
  const text = canonicalJson(snapshot);
  const neverStore = new Set(snapshot.tenant.neverStore);
  for (const schema of snapshot.schemas) {
    for (const column of schema.columns) if (column.neverStore) neverStore.add(column.name);
  }
  return {
    plan: compile(snapshot),
    hash: createHash('sha256').update(text).digest(),
    body: deflateRawSync(text),
    stored: false,
    neverStore,
    comparedWith: new Map(
      snapshot.rules.flatMap(({ id, config: { valueFrom } }) =>
        typeof valueFrom === 'string' ? [[id, valueFrom]] : [],
      ),
    ),
    refs: planRefs(snapshot),
  };
}

/** Plans opened lately, by content hash, newest last: a plan of thousands of offers takes a while to compile. */
const opened = new Map<string, CompiledFlow>();
const mostOpened = 4;

/** The plan that a record names. Throws AppError `record_corrupt` when the body does not have the hash of its key. */
export function openPlan(hash: Buffer, body: Buffer): CompiledFlow {
  const name = hash.toString('hex');
  const known = opened.get(name);
  if (known !== undefined) return known;
  const text = inflateRawSync(body).toString('utf8');
  if (!createHash('sha256').update(text).digest().equals(hash)) throw new AppError('record_corrupt');
  const flow = compileSnapshot(JSON.parse(text) as Snapshot);
  if (opened.size >= mostOpened) opened.delete(opened.keys().next().value ?? '');
  opened.set(name, flow);
  return flow;
}
