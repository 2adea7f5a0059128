import type { FlowConfig, Json, SnapshotOffer } from '@arbiter/engine';
import type { ConformanceCase } from '../../packages/engine/test/conformance/case.ts';
import type { CaseIds } from './case-ids.ts';

/** Creates a record over HTTP and returns its id. Throws `Refused` if the API rejects it. */
export type Create = (path: string, body: object) => Promise<string>;
export type Change = (path: string, body: object) => Promise<unknown>;

export interface Tools {
  readonly ids: CaseIds;
  readonly create: Create;
  readonly put: Change;
  readonly post: Change;
  /** Address that answers for a node as the case says. */
  readonly webhook: (nodeId: string) => string;
  /** An active admin of the tenant, who approves mandates. */
  readonly approver: () => Promise<string>;
  /** Writes the totals of all customers, before the first flow is published: learned data is read from then on. */
  readonly writeTotals: (ids: CaseIds) => Promise<void>;
}

type Row = { readonly [key: string]: Json };

/** Makes the catalogue of a case, in the order of ids, by which the engine breaks ties. */
export async function makeCatalogue(read: ConformanceCase, tools: Tools): Promise<void> {
  const { snapshot, source } = read;
  const { ids, create, put } = tools;
  const { defaultArbitrationProfileId: _, neverStore, ...settings } = snapshot.tenant;
  await put('tenant-settings', { ...settings, neverStore, decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  for (const { id, name, channelType, impressionMode, couplingMode } of byId(snapshot.channels)) {
    const body = { name, channelType, impressionMode, couplingMode };
    ids.set('channel', id, await create('channels', body));
  }
  for (const { id, name, channelId, channelType, couplingMode } of snapshot.inactivePlacements ?? []) {
    if (!ids.has('channel', channelId))
      ids.set('channel', channelId, await create('channels', { name: channelId, channelType, couplingMode }));
    const body = { name, key: id, channelId: ids.of('channel', channelId), status: 'inactive' };
    ids.set('placement', id, await create('placements', body));
  }
  for (const placement of byId(snapshot.placements)) {
    const { id, channelId, targeting, ...body } = placement;
    const more = {
      channelId: ids.of('channel', channelId),
      ...(targeting == null ? {} : { targeting: ids.out(targeting) }),
    };
    ids.set('placement', id, await create('placements', { ...body, ...more }));
  }
  for (const { id, name, customFields } of byId(snapshot.categories))
    ids.set('category', id, await create('categories', { name, ...withFields(customFields) }));
  const known = new Set([...snapshot.categories, ...snapshot.subCategories].map(({ id }) => id));
  const others = snapshot.otherOffers ?? [];
  for (const { categoryId, subCategoryId } of [...snapshot.offers, ...others]) {
    if (categoryId !== null && !known.has(categoryId)) {
      known.add(categoryId);
      ids.set('category', categoryId, await create('categories', { name: categoryId }));
    }
    if (subCategoryId === null || known.has(subCategoryId) || categoryId === null) continue;
    known.add(subCategoryId);
    const body = { name: subCategoryId, categoryId: ids.of('category', categoryId) };
    ids.set('subCategory', subCategoryId, await create('sub-categories', body));
  }
  for (const { id, name, categoryId, customFields } of byId(snapshot.subCategories)) {
    const body = { name, categoryId: ids.of('category', categoryId), ...withFields(customFields) };
    ids.set('subCategory', id, await create('sub-categories', body));
  }
  for (const offer of byId(snapshot.offers))
    ids.set('offer', offer.id, await create('offers', await offerBody(offer, read, tools)));
  for (const { id, categoryId, subCategoryId } of others) {
    const body = ids.body({ name: `other ${id}`, status: 'paused', categoryId, subCategoryId });
    ids.set('offer', id, await create('offers', body));
  }
  for (const { id, ...creative } of byId(snapshot.creatives)) {
    const body = ids.body({ ...creative, status: 'active' });
    ids.set('creative', id, await create('creatives', body));
  }
  await makeIdle(read, tools);
  for (const { id, weights } of snapshot.rankingProfiles ?? [])
    ids.set('profile', id, await create('ranking-profiles', { name: id, weights }));
  const usual = snapshot.tenant.defaultArbitrationProfileId;
  if (usual !== undefined) await put('tenant-settings', { defaultArbitrationProfileId: ids.of('profile', usual) });
  await makeModels(read, tools);
  await makeSegments(read, tools);
  for (const { id, createdAt: _age, ...rule } of byAge(snapshot.rules))
    ids.set('rule', id, await create('qualification-rules', ids.body(rule)));
  for (const { id, createdAt: _age, ...policy } of byAge(snapshot.policies))
    ids.set('policy', id, await create('contact-policies', ids.body(policy)));
  await makeCustomer(read, tools);
  await tools.writeTotals(ids);
  // The caller of a flow is published after it.
  for (const { key, version, config } of (snapshot.subFlows ?? []).toReversed())
    await makeFlow(key, config, version ?? 1, tools);
  const { key, couplingOverride, config } = snapshot.flow;
  const more = couplingOverride === null ? {} : { couplingOverride };
  await makeFlow(key, { ...config, flowConfig: source.flowConfig ?? {} }, 1, tools, more);
}

/** The maximum: a busy machine must not turn the answer of a webhook into a timeout. */
const webhookTimeoutMs = 2_000;

async function makeFlow(
  key: string,
  { nodes, flowConfig }: FlowConfig,
  version: number,
  tools: Tools,
  more: object = {},
): Promise<void> {
  const asked = nodes.map((node) =>
    node.config?.kind === 'webhook'
      ? { ...node, config: { timeoutMs: webhookTimeoutMs, ...node.config, url: tools.webhook(node.id) } }
      : node,
  );
  const draftConfig = tools.ids.body({ version: 2, nodes: asked, flowConfig: flowConfig ?? {} });
  const id = await tools.create('decision-flows', { key, name: key, autoAssembly: false, draftConfig, ...more });
  tools.ids.set('flow', `id-${key}`, id);
  for (let at = 0; at < version; at += 1) await tools.post('decision-flows/publish', { id });
}

/** Offers and channels that only history names. */
async function makeIdle({ snapshot, source }: ConformanceCase, { ids, create }: Tools): Promise<void> {
  for (const { channelId, offerId } of [...(source.contacts ?? []), ...(source.outcomes ?? [])]) {
    const channel = channelId ?? snapshot.channels[0]?.id ?? 'email';
    if (!ids.has('channel', channel)) {
      const idle = { name: channel, channelType: channel, status: 'paused' };
      ids.set('channel', channel, await create('channels', idle));
    }
    if (!ids.has('offer', offerId))
      ids.set('offer', offerId, await create('offers', { name: offerId, status: 'archived' }));
  }
}

async function offerBody(offer: SnapshotOffer, { source }: ConformanceCase, { ids, approver }: Tools): Promise<object> {
  const { id, schedule, eligibility, mandatory, mandatoryExpiresAt, ...rest } = offer;
  const { tracksStock, ...body } = rest as typeof rest & { readonly tracksStock?: boolean };
  const stock = tracksStock === true ? { inventory: { totalStock: source.soldOut?.includes(id) ? 0 : 1 } } : {};
  const mandate = mandatory
    ? {
        mandatory,
        mandatoryReason: 'the case',
        mandatoryExpiresAt: new Date(mandatoryExpiresAt ?? Date.parse('2100-01-01T00:00:00Z')).toISOString(),
        mandatoryApprovedBy: await approver(),
      }
    : {};
  const gates = { schedule: schedule ?? {}, eligibility: eligibility ?? {} };
  return ids.body({ ...body, ...gates, ...stock, ...mandate });
}

/** Makes the models, and the experiments that compare them. */
async function makeModels(
  { snapshot, source }: ConformanceCase,
  { ids, create, put, post, webhook }: Tools,
): Promise<void> {
  const idOf = new Map<string, string>();
  for (const { key, modelType, config, predictors, names } of snapshot.models ?? []) {
    const state = source.modelStates?.[key] as { readonly arms?: Row } | undefined;
    const family = names.find((name) => name !== key);
    // An endpoint answers like a webhook with that name.
    const address = modelType === 'external_endpoint' ? { url: webhook(`model:${key}`) } : {};
    const body = { key, name: key, modelType, status: 'active', config: { ...config, ...address }, predictors };
    const id = await create('algorithm-models', { ...body, ...(family === undefined ? {} : { family }) });
    idOf.set(key, id);
    if (state !== undefined) {
      const arms = Object.entries(state.arms ?? {}).map(([offer, arm]) => [ids.of('offer', offer), arm]);
      const own = state.arms === undefined ? {} : { arms: Object.fromEntries(arms) };
      await put(`algorithm-models/${id}`, { modelState: { ...state, ...own } });
    }
    if (family === undefined) continue;
    for (const toStatus of ['shadow', 'champion']) await post(`algorithm-models/${id}/promote`, { toStatus });
  }
  for (const { key, isRunning, champion, championPct, challengers, holdoutPct } of snapshot.experiments ?? []) {
    await create('experiments', {
      ...{ key, name: key, status: isRunning ? 'active' : 'paused', championModelId: idOf.get(champion) },
      ...{ trafficSplit: championPct, holdoutPercent: holdoutPct },
      challengers: challengers.map(({ model, trafficPct }) => ({ modelId: idOf.get(model), trafficPct })),
    });
  }
}

const key = {
  name: 'customer_id',
  displayName: 'Id',
  dataType: 'varchar',
  length: 64,
  isPrimaryKey: true,
  isNullable: false,
};

/** Creates the segments of the case: everyone with a row in their schema is a member. */
async function makeSegments({ source, snapshot }: ConformanceCase, { ids, create, post }: Tools): Promise<void> {
  const scoped = snapshot.rules.flatMap(({ scopes }) => scopes.filter(({ scope }) => scope === 'segment'));
  const own = new Set(source.segments);
  const others = new Set(scoped.flatMap(({ scopeId }) => (scopeId === null || own.has(scopeId) ? [] : [scopeId])));
  const over = async (name: string, segments: ReadonlySet<string>, rows: readonly object[]): Promise<void> => {
    if (segments.size === 0) return;
    const schema = { name, displayName: name, schemaType: 'customer', autoEnrich: false, fields: [key] };
    const baseSchemaId = await create('schemas', schema);
    if (rows.length > 0) await post(`schemas/${baseSchemaId}/data`, { rows });
    for (const segment of segments)
      ids.set('segment', segment, await create('segments', { name: segment, baseSchemaId }));
  };
  await over('case_members', own, [{ customer_id: source.request?.customerId ?? 'C1' }]);
  await over('case_strangers', others, []);
}

/** The schemas of the case, the rows of its customer in them, and one for the profile. */
async function makeCustomer({ snapshot, source }: ConformanceCase, { ids, create, post }: Tools): Promise<void> {
  const customerId = source.request?.customerId ?? 'C1';
  for (const { id, name, schemaType, autoEnrich, columns } of snapshot.schemas) {
    const more = columns.filter((column) => column.name !== 'customer_id');
    const fields = [key, ...more.map((field) => ({ displayName: field.name, ...field }))];
    ids.set('schema', id, await create('schemas', { name, displayName: name, schemaType, autoEnrich, fields }));
  }
  for (const [nodeId, rows] of Object.entries(source.enriched ?? {})) {
    const node = snapshot.flow.config.nodes.find((one) => one.id === nodeId);
    const sources = (node?.config as { readonly sources?: readonly { readonly schemaId: string }[] } | undefined)
      ?.sources;
    for (const [at, row] of rows.entries()) {
      const schemaId = sources?.[at]?.schemaId;
      if (row === null || schemaId === undefined) continue;
      await post(`schemas/${ids.of('schema', schemaId)}/data`, { rows: [{ customer_id: customerId, ...row }] });
    }
  }
  const profile = Object.entries(source.profile ?? {}).filter(([, value]) => value !== null);
  if (source.profile === undefined) return;
  const fields = [key, ...profile.map(([name, value]) => ({ name, displayName: name, dataType: typeOf(value) }))];
  const people = { name: 'case_people', displayName: 'People', schemaType: 'customer', autoEnrich: true, fields };
  const id = await create('schemas', people);
  await post(`schemas/${id}/data`, { rows: [{ customer_id: customerId, ...Object.fromEntries(profile) }] });
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return 'numeric';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : 'json';
}

const withFields = (customFields: readonly object[] | undefined) =>
  customFields === undefined
    ? {}
    : { customFields: customFields.map((field) => ({ label: (field as { readonly key: string }).key, ...field })) };
const byId = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const byAge = <T extends { readonly id: string; readonly createdAt: number }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
