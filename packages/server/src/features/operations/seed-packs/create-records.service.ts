import type { Pack, PackSchema } from '@arbiter/packs';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { createCategory, createSubCategory } from '../../catalogue/categories/index.ts';
import { createChannel, snapshotPlacements } from '../../catalogue/channels/index.ts';
import { createContactPolicy } from '../../catalogue/contact-policies/index.ts';
import { createCreative } from '../../catalogue/creatives/index.ts';
import { createExperiment } from '../../catalogue/experiments/index.ts';
import { createFlow, noteForAssembly, publishFlow, readFlowDirectory } from '../../catalogue/flows/index.ts';
import { createModel } from '../../catalogue/models/index.ts';
import { createOffer } from '../../catalogue/offers/index.ts';
import { createOutcomeType, hasOutcomeType } from '../../catalogue/outcomes/index.ts';
import { createQualificationRule } from '../../catalogue/qualification/index.ts';
import { createSchema, insertRows } from '../../catalogue/schemas/index.ts';
import { createSegment } from '../../catalogue/segments/index.ts';
import { createMetric } from '../../data/behavioral-metrics/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { createGeofence } from '../../outreach/geofences/index.ts';
import { createJourney } from '../../outreach/journeys/index.ts';
import { createPackTrigger } from '../../outreach/triggers/index.ts';
import { type NamesOfPack, named, namesOfScope, noNames, resolveReferences } from './references.rules.ts';
import { backToSavepoint, type PackRecords, releaseSavepoint, setSavepoint } from './seed-packs.store.ts';

/** Rows per insert. The limit of the rows operation is higher, but all rows are held in memory. */
const rowsPerInsert = 2_000;

/** Result of creating a pack's records. */
export interface CreatedRecords {
  readonly schemas: readonly { readonly id: string; readonly of: PackSchema }[];
  readonly named: NamesOfPack;
  /** All of it except what `createCatalogue` wasn't asked for. */
  readonly ids: PackRecords;
}

/** The schemas, in an order in which each comes after the one that it is linked to. */
export async function createSchemas(tx: Tx, pack: Pack): Promise<CreatedRecords['schemas']> {
  const schemas: { readonly id: string; readonly of: PackSchema }[] = [];
  for (const of of pack.schemas) {
    const parent = schemas.find((made) => made.of.schema.name === of.linkedTo);
    const link = parent === undefined ? {} : { linkedSchemaId: parent.id };
    schemas.push({ id: (await createSchema(tx, { ...of.schema, ...link })).id, of });
  }
  return schemas;
}

/** Creates everything else that is configured, each record after those it refers to. */
export async function createCatalogue(tx: Tx, pack: Pack, schemas: CreatedRecords['schemas']): Promise<CreatedRecords> {
  const all = noNames();
  await createHierarchy(tx, pack, all);
  const outcomeTypes: string[] = [];
  for (const body of pack.outcomeTypes) {
    // Those of an earlier load still exist: history keeps its meaning after the pack is removed.
    if (!(await hasOutcomeType(tx, body.key))) outcomeTypes.push((await createOutcomeType(tx, body)).id);
  }
  await createOffers(tx, pack, all);
  const segments: string[] = [];
  for (const { baseSchemaName, ...body } of pack.segments) {
    const baseSchemaId = schemas.find(({ of }) => of.schema.name === baseSchemaName)?.id;
    if (baseSchemaId === undefined) throw new Error(`${pack.key} has no schema ${baseSchemaName}`);
    const segment = await freely(tx, pack, body, (free) => createSegment(tx, { ...free, baseSchemaId }));
    all.segment.set(body.name, segment.id);
    segments.push(segment.id);
  }
  const { models, experiments } = await createModels(tx, pack, all);
  const behavioralMetrics = await createMetrics(tx, pack, all);
  const rules = await createRules(tx, pack, all);
  const decisionFlows = await createFlows(tx, pack, all);
  const ids = {
    schemas: schemas.map(({ id }) => id),
    categories: [...all.category.values()],
    subCategories: [...all.subcategory.values()],
    channels: [...all.channel.values()],
    placements: [...all.placement.values()],
    offers: [...all.offer.values()],
    creatives: [...all.creative.values()],
    outcomeTypes,
    segments,
    models,
    experiments,
    behavioralMetrics,
    ...rules,
    decisionFlows,
    ...(await createOutreach(tx, pack, all)),
  };
  return { schemas, named: all, ids };
}

/** Fills a schema, generating the rows while they are written. Returns the number of rows. */
export async function fillSchema(tx: Tx, id: string, of: PackSchema): Promise<number> {
  const turns = takeTurns();
  let count = 0;
  let waiting: Readonly<Record<string, unknown>>[] = [];
  const write = async (): Promise<void> => {
    if (waiting.length > 0) await insertRows(tx, id, waiting, 'skip');
    count += waiting.length;
    waiting = [];
  };
  for (const row of of.rows(tx.now)) {
    waiting.push(row);
    if (waiting.length === rowsPerInsert) await write();
    await turns();
  }
  await write();
  return count;
}

/** Models, and the experiments that compare them: those only if the tenant's experiments are on. */
async function createModels(
  tx: Tx,
  pack: Pack,
  all: NamesOfPack,
): Promise<{ readonly models: string[]; readonly experiments: string[] }> {
  const ids = new Map<string, string>();
  for (const body of pack.models) {
    const model = await freely(tx, pack, body, (free) => createModel(tx, free));
    all.model.set(body.key, model.key);
    ids.set(body.key, model.id);
  }
  const experiments: string[] = [];
  const { enableExperiments } = await readSettings(tx);
  for (const { championModel, challengers, ...body } of enableExperiments ? (pack.experiments ?? []) : []) {
    const models = {
      championModelId: named(ids, championModel),
      challengers: challengers.map(({ model, trafficPct }) => ({ modelId: named(ids, model), trafficPct })),
    };
    const experiment = await freely(tx, pack, body, (free) => createExperiment(tx, { ...free, ...models }));
    experiments.push(experiment.id);
  }
  return { models: [...ids.values()], experiments };
}

/** Categories with their sub-categories, channels with their placements. */
async function createHierarchy(tx: Tx, pack: Pack, all: NamesOfPack): Promise<void> {
  for (const { subCategories, ...body } of pack.categories) {
    const category = await freely(tx, pack, body, (free) => createCategory(tx, free));
    all.category.set(body.name, category.id);
    for (const sub of subCategories) {
      const created = await createSubCategory(tx, { ...sub, categoryId: category.id });
      all.subcategory.set(sub.name, created.id);
    }
  }
  for (const body of pack.channels) {
    const channel = await freely(tx, pack, body, (free) =>
      createChannel(tx, free, { envelope: null, exportBucket: null }),
    );
    all.channel.set(body.name, channel.id);
  }
  const channelNames = new Map([...all.channel].map(([name, id]) => [id, name]));
  for (const placement of await snapshotPlacements(tx)) {
    const channelName = channelNames.get(placement.channelId);
    if (channelName !== undefined) all.placement.set(`${channelName}/${placement.name}`, placement.id);
  }
}

/** Offers with their creatives. */
async function createOffers(tx: Tx, pack: Pack, all: NamesOfPack): Promise<void> {
  for (const { categoryName, subCategoryName, ...body } of pack.offers) {
    const references = {
      categoryId: named(all.category, categoryName),
      subCategoryId: named(all.subcategory, subCategoryName),
    };
    const offer = await freely(tx, pack, body, (free) => createOffer(tx, { ...free, ...references }, noteForAssembly));
    all.offer.set(body.name, offer.id);
  }
  for (const { offerName, channelName, ...body } of pack.creatives) {
    const references = { offerId: named(all.offer, offerName), channelId: named(all.channel, channelName) };
    const creative = await freely(tx, pack, body, (free) =>
      createCreative(tx, { ...free, ...references }, noteForAssembly),
    );
    all.creative.set(body.name, creative.id);
  }
}

/** Behavioral metrics, if the tenant has them on. */
async function createMetrics(tx: Tx, pack: Pack, all: NamesOfPack): Promise<string[]> {
  if (!(await readSettings(tx)).enableBehavioralMetrics) return [];
  const ids: string[] = [];
  for (const body of pack.metrics ?? []) {
    const metric = await freely(tx, pack, body, (free) => createMetric(tx, free));
    all.metric.set(body.name, metric.id);
    ids.push(metric.id);
  }
  return ids;
}

/** Without metrics, nothing can compare them. */
const canEvaluate = (all: NamesOfPack, { ruleType }: { readonly ruleType: string }): boolean =>
  ruleType !== 'metric_condition' || all.metric.size > 0;

/** Qualification rules and contact policies. */
async function createRules(tx: Tx, pack: Pack, all: NamesOfPack): Promise<PackRecords> {
  const qualificationRules: string[] = [];
  for (const { scopeName, ...body } of pack.qualificationRules) {
    if (!canEvaluate(all, body)) continue;
    const aimed = { ...scopeOf(all, body.scope, scopeName), ...configOf(all, body) };
    const rule = await freely(tx, pack, body, (free) => createQualificationRule(tx, { ...free, ...aimed }));
    qualificationRules.push(rule.id);
  }
  const contactPolicies: string[] = [];
  for (const { scopeName, scopeNames, ...body } of pack.contactPolicies) {
    if (!canEvaluate(all, body)) continue;
    const scopes = scopeNames?.map(({ scope, name }) => ({ scope, scopeId: named(all[scope], name) }));
    const scope = scopes === undefined ? scopeOf(all, body.scope, scopeName) : { scopes };
    const aimed = { ...scope, ...configOf(all, body) };
    const policy = await freely(tx, pack, body, (free) => createContactPolicy(tx, { ...free, ...aimed }));
    contactPolicies.push(policy.id);
  }
  return { qualificationRules, contactPolicies };
}

const configOf = <Config>(all: NamesOfPack, { config }: { readonly config?: Config }) =>
  config === undefined ? {} : { config: resolveReferences(all, config) };

/** The pack's first flow becomes the default of a tenant that decided by the base flow so far. */
async function createFlows(tx: Tx, pack: Pack, all: NamesOfPack): Promise<string[]> {
  const onBaseFlow = (await readFlowDirectory(tx)).fallback()?.key === 'base';
  const ids: string[] = [];
  for (const { notes, ...body } of pack.flows) {
    const isDefault = onBaseFlow && ids.length === 0 ? { isDefault: true } : {};
    const draft = body.draftConfig === undefined ? {} : { draftConfig: resolveReferences(all, body.draftConfig) };
    const flow = await freely(tx, pack, body, (free) => createFlow(tx, { ...free, ...isDefault, ...draft }));
    await publishFlow(tx, { id: flow.id, notes });
    all.decisionFlow.set(body.key, flow.id);
    ids.push(flow.id);
  }
  return ids;
}

/** Journeys, triggers and geofences, each if the tenant has on what it needs. */
async function createOutreach(tx: Tx, pack: Pack, all: NamesOfPack): Promise<PackRecords> {
  const { enableJourneys, enableGeofences } = await readSettings(tx);
  const journeys: string[] = [];
  for (const body of enableJourneys ? (pack.journeys ?? []) : []) {
    const definition = resolveReferences(all, body.definition);
    const journey = await freely(tx, pack, body, (free) => createJourney(tx, { ...free, definition }));
    all.journey.set(body.name, journey.id);
    journeys.push(journey.id);
  }
  const triggers: string[] = [];
  for (const body of pack.triggers ?? []) {
    if (body.actionType === 'journey_enroll' && !enableJourneys) continue;
    const actionConfig = resolveReferences(all, body.actionConfig);
    triggers.push((await freely(tx, pack, body, (free) => createPackTrigger(tx, { ...free, actionConfig }))).id);
  }
  const geofences: string[] = [];
  // Their actions may enroll in the journeys.
  for (const body of enableGeofences && enableJourneys ? (pack.geofences ?? []) : []) {
    const action = resolveReferences(all, body.action ?? {});
    geofences.push((await createGeofence(tx, { ...body, action })).id);
  }
  return { journeys, triggers, geofences };
}

function scopeOf(all: NamesOfPack, scope: string | undefined, scopeName: string | undefined): { scopeId?: string } {
  return scopeName === undefined ? {} : { scopeId: named(namesOfScope(all, scope), scopeName) };
}

interface Titled {
  readonly name: string;
  readonly key?: string;
}

/** Creates a record; when its name or key is taken, again with the pack's name in front. */
async function freely<Body extends Titled, Row>(
  tx: Tx,
  pack: Pack,
  body: Body,
  create: (body: Body) => Promise<Row>,
): Promise<Row> {
  await setSavepoint(tx);
  try {
    const row = await create(body);
    await releaseSavepoint(tx);
    return row;
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'duplicate_name' && error.code !== 'duplicate_key'))
      throw error;
    await backToSavepoint(tx);
    const key = body.key === undefined ? {} : { key: `${pack.key.replaceAll('_', '-')}-${body.key}` };
    return create({ ...body, ...key, name: `${pack.name}: ${body.name}` });
  }
}
