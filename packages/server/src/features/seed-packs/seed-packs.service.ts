import type { SeedStep } from '@arbiter/contract';
import { findPack, type Pack, type PackSchema, packs } from '@arbiter/packs';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { createCategory, createSubCategory } from '../categories/index.ts';
import { createChannel, snapshotPlacements, withoutSecrets } from '../channels/index.ts';
import { createContactPolicy } from '../contact-policies/index.ts';
import { createCreative } from '../creatives/index.ts';
import { createFlow, noteForAssembly, publishFlow, readFlowDirectory } from '../flows/index.ts';
import { createOffer } from '../offers/index.ts';
import { createOutcomeType, hasOutcomeType } from '../outcomes/index.ts';
import { createQualificationRule } from '../qualification/index.ts';
import { createSchema, insertRows } from '../schemas/index.ts';
import {
  backToSavepoint,
  insertLoadedPack,
  type LoadedPack,
  type PackRecords,
  selectLoadedPacks,
  setSavepoint,
} from './seed-packs.store.ts';

/** Rows per insert: the limit of the rows operation (docs/design/api-catalogue.md 2.4). */
const rowsPerInsert = 10_000;

/** Resource, or `<schema>_rows`, to a number (contract part 1, 4.14). */
type Counts = Readonly<Record<string, number>>;

/** Names of the pack's records to the ids they got, per scope word of rules and policies. */
interface Named {
  readonly category: Map<string, string>;
  readonly subcategory: Map<string, string>;
  readonly channel: Map<string, string>;
  readonly placement: Map<string, string>;
  readonly offer: Map<string, string>;
  readonly creative: Map<string, string>;
}

/** The tenant's loaded packs, by key. */
export async function listLoadedPacks(tx: Tx): Promise<LoadedPack[]> {
  return selectLoadedPacks(tx);
}

/**
 * Creates everything of a pack through the features' own services, so that a pack obeys the same rules as a client;
 * one transaction, audited as `load_pack` (docs/design/api-access.md 13). A name or key that the tenant has already given away gets
 * the pack's name in front; a taken schema name is 409 `duplicate_name`, like a second load of the same pack.
 */
export async function loadPack(tx: Tx, pack: Pack, report: Report = silent): Promise<LoadedPack> {
  const loaded = await selectLoadedPacks(tx);
  if (loaded.some((other) => other.key === pack.key)) {
    throw new AppError('duplicate_key', { detail: `Pack ${pack.key} is loaded already.` });
  }
  const records = await createRecords(tx, pack, report);
  const counts = Object.fromEntries(Object.entries(records.ids).map(([resource, ids]) => [resource, ids.length]));
  const result: LoadedPack = { key: pack.key, version: pack.version, counts: { ...counts, ...records.rows } };
  await insertLoadedPack(tx, result, records.ids);
  await recordAudit(tx, {
    action: 'load_pack',
    entityType: 'seedDataset',
    entityId: pack.key,
    entityName: pack.name,
    after: { version: pack.version, counts: result.counts },
  });
  return result;
}

/** Told before each step of a load. */
export type Report = (step: SeedStep, progress: number) => Promise<void>;
const silent: Report = async () => {};

/** What the start-up needs of packs: their keys, and loading one into a tenant that has none. */
export const packPort = {
  keys: packs.map((pack) => pack.key),
  /** True when it loaded the pack; false when the tenant has a pack already. */
  async loadWhenNone(tx: Tx, key: string): Promise<boolean> {
    const pack = findPack(key);
    if (pack === null) throw new Error(`there is no pack ${key}`);
    if ((await selectLoadedPacks(tx)).length > 0) return false;
    await loadPack(tx, pack);
    return true;
  },
};

async function createRecords(tx: Tx, pack: Pack, report: Report): Promise<{ ids: PackRecords; rows: Counts }> {
  await report('schemas', 5);
  const schemas: { readonly id: string; readonly of: PackSchema }[] = [];
  for (const of of pack.schemas) schemas.push({ id: (await createSchema(tx, of.schema)).id, of });
  await report('catalogue', 15);
  const named = await createHierarchy(tx, pack);
  const outcomeTypes: string[] = [];
  for (const body of pack.outcomeTypes) {
    // Those of an earlier load are there still: what happened keeps its meaning when the pack goes.
    if (!(await hasOutcomeType(tx, body.key))) outcomeTypes.push((await createOutcomeType(tx, body)).id);
  }
  for (const { categoryName, subCategoryName, ...body } of pack.offers) {
    const references = {
      categoryId: idOf(named.category, categoryName),
      subCategoryId: idOf(named.subcategory, subCategoryName),
    };
    const offer = await freely(tx, pack, body, (free) => createOffer(tx, { ...free, ...references }, noteForAssembly));
    named.offer.set(body.name, offer.id);
  }
  for (const { offerName, channelName, ...body } of pack.creatives) {
    const references = { offerId: idOf(named.offer, offerName), channelId: idOf(named.channel, channelName) };
    const creative = await freely(tx, pack, body, (free) =>
      createCreative(tx, { ...free, ...references }, noteForAssembly),
    );
    named.creative.set(body.name, creative.id);
  }
  const qualificationRules: string[] = [];
  for (const { scopeName, ...body } of pack.qualificationRules) {
    const scope = scopeOf(named, body.scope, scopeName);
    const rule = await freely(tx, pack, body, (free) => createQualificationRule(tx, { ...free, ...scope }));
    qualificationRules.push(rule.id);
  }
  const contactPolicies: string[] = [];
  for (const { scopeName, ...body } of pack.contactPolicies) {
    const scope = scopeOf(named, body.scope, scopeName);
    const policy = await freely(tx, pack, body, (free) => createContactPolicy(tx, { ...free, ...scope }));
    contactPolicies.push(policy.id);
  }
  const decisionFlows = await createFlows(tx, pack);
  return {
    rows: await fillSchemas(tx, schemas, report),
    ids: {
      schemas: schemas.map(({ id }) => id),
      categories: [...named.category.values()],
      subCategories: [...named.subcategory.values()],
      channels: [...named.channel.values()],
      placements: [...named.placement.values()],
      offers: [...named.offer.values()],
      creatives: [...named.creative.values()],
      outcomeTypes,
      qualificationRules,
      contactPolicies,
      decisionFlows,
    },
  };
}

async function fillSchemas(
  tx: Tx,
  schemas: readonly { readonly id: string; readonly of: PackSchema }[],
  report: Report,
): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const [index, { id, of }] of schemas.entries()) {
    await report('rows', rowsFrom + Math.floor((index / schemas.length) * (rowsTo - rowsFrom)));
    const all = of.rows(tx.now);
    for (let from = 0; from < all.length; from += rowsPerInsert) {
      await insertRows(tx, id, all.slice(from, from + rowsPerInsert), 'skip');
    }
    counts[`${of.schema.name}_rows`] = all.length;
  }
  return counts;
}

/** Percent at which the rows begin and end. */
const rowsFrom = 60;
const rowsTo = 95;

/** Categories with their sub-categories, channels with their placements. */
async function createHierarchy(tx: Tx, pack: Pack): Promise<Named> {
  const named: Named = {
    category: new Map(),
    subcategory: new Map(),
    channel: new Map(),
    placement: new Map(),
    offer: new Map(),
    creative: new Map(),
  };
  for (const { subCategories, ...body } of pack.categories) {
    const category = await freely(tx, pack, body, (free) => createCategory(tx, free));
    named.category.set(body.name, category.id);
    for (const sub of subCategories) {
      const created = await createSubCategory(tx, { ...sub, categoryId: category.id });
      named.subcategory.set(sub.name, created.id);
    }
  }
  for (const body of pack.channels) {
    const channel = await freely(tx, pack, body, (free) => createChannel(tx, free, withoutSecrets));
    named.channel.set(body.name, channel.id);
  }
  const channelNames = new Map([...named.channel].map(([name, id]) => [id, name]));
  for (const placement of await snapshotPlacements(tx)) {
    const channelName = channelNames.get(placement.channelId);
    if (channelName !== undefined) named.placement.set(`${channelName}/${placement.name}`, placement.id);
  }
  return named;
}

/** The pack's first flow becomes the default of a tenant that decided by the base flow so far. */
async function createFlows(tx: Tx, pack: Pack): Promise<string[]> {
  const onBaseFlow = (await readFlowDirectory(tx)).fallback()?.key === 'base';
  const ids: string[] = [];
  for (const { notes, ...body } of pack.flows) {
    const isDefault = onBaseFlow && ids.length === 0 ? { isDefault: true } : {};
    const flow = await freely(tx, pack, body, (free) => createFlow(tx, { ...free, ...isDefault }));
    await publishFlow(tx, { id: flow.id, notes });
    ids.push(flow.id);
  }
  return ids;
}

function scopeOf(named: Named, scope: string | undefined, scopeName: string | undefined): { scopeId?: string } {
  if (scopeName === undefined) return {};
  const ids = Object.entries(named).find(([word]) => word === scope)?.[1];
  if (ids === undefined) throw new Error(`a pack cannot aim at scope ${scope}`);
  return { scopeId: idOf(ids, scopeName) };
}

function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the pack names ${name}, but has no such record`);
  return id;
}

interface Titled {
  readonly name: string;
  readonly key?: string;
}

/** Creates a record; when its name or key is taken, once more with the pack's name in front. */
async function freely<Body extends Titled, Row>(
  tx: Tx,
  pack: Pack,
  body: Body,
  create: (body: Body) => Promise<Row>,
): Promise<Row> {
  await setSavepoint(tx);
  try {
    return await create(body);
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'duplicate_name' && error.code !== 'duplicate_key'))
      throw error;
    await backToSavepoint(tx);
    const key = body.key === undefined ? {} : { key: `${pack.key.replaceAll('_', '-')}-${body.key}` };
    return create({ ...body, ...key, name: `${pack.name}: ${body.name}` });
  }
}
