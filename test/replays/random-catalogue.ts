// A random tenant catalogue: what the engine's corpus can generate, created through the API as a user would.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Snapshot } from '@arbiter/engine';
import type { Chance } from '../../packages/engine/test/corpus/chance.ts';
import { withBranches } from '../../packages/engine/test/corpus/random-branches.ts';
import { randomNodes } from '../../packages/engine/test/corpus/random-flow.ts';
import { randomSnapshot } from '../../packages/engine/test/corpus/random-plan.ts';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';
import { zoneOffsets } from '../../packages/server/src/platform/time/zones.ts';
import { addPeople, customersOf } from './people.ts';

export type Body = Record<string, unknown>;
export interface Made {
  readonly id: string;
  readonly version: number;
}

/** Calls an operation as a tenant's administrator. */
export type Ask = <Answer = Made>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: Answer; readonly text: string }>;

/** What a tenant's decisions refer to. */
export interface RandomCatalogue {
  readonly tenant: TestTenant;
  readonly ask: Ask;
  /** With the ids of the database. */
  readonly snapshot: Snapshot;
  readonly flows: readonly string[];
  readonly customers: readonly string[];
  /** Types of the nodes in published flows. */
  readonly nodeTypes: ReadonlySet<string>;
}

const flowsWanted = 5;
const maxTries = 60;

/** Creates the records of a random snapshot, except those that the API refuses because they have no effect. */
export async function createRandomCatalogue(
  server: TestServer,
  tenant: TestTenant,
  chance: Chance,
  hookUrl: string,
): Promise<RandomCatalogue> {
  const ask: Ask = async <Answer>(method: string, path: string, body?: unknown) => {
    const sent = { key: tenant.keys.admin, ...(body === undefined ? {} : { body }) };
    for (let tries = 1; ; tries++) {
      const answer = await server.call<Answer>(method, `/api/v1/${path}`, sent);
      // The machine is busy. If the call was processed after all, nobody asks for that decision again.
      if (answer.status !== 503 || tries === 10) return answer;
      await sleep(500);
    }
  };
  const must: Must = async (path, body) => {
    const made = await ask('POST', path, body);
    assert.equal(made.status, 201, `${path}: ${made.text}`);
    return made.body.id;
  };
  let made = randomSnapshot(chance, zoneOffsets);
  // Small catalogues decide nothing.
  while (made.offers.length < 8 || made.placements.length === 0) made = randomSnapshot(chance, zoneOffsets);
  const ids = new Map<string, string>();
  const { timezone, currency, holdoutPercentage, mandatoryDailyCap } = made.tenant;
  const settings = await ask('PUT', 'tenant-settings', {
    timezone,
    currency,
    holdoutPercentage,
    mandatoryDailyCap,
    decisionTraceEnabled: true,
    decisionTraceSampleRate: 0.3,
  });
  assert.equal(settings.status, 200, settings.text);

  const customers = customersOf(chance, tenant.name);
  await addPeople(must, chance, customers, ids);
  await addRows(must, ask, made, ids);
  await addMandatory(server, tenant, ask, made, ids);
  await addGates(ask, made, ids);
  const after = { afterOutcome: ['dismiss', 'convert'], suppressForDays: 1, per: 'offer' };
  await must('contact-policies', { name: 'Not again', ruleType: 'outcome_based', scope: 'global', config: after });
  for (const customerId of customers.slice(0, 4)) {
    const offer = { scope: 'offer', scopeId: ids.get(chance.pick(made.offers).id) };
    await must('suppressions', { customerId, reason: `asked by ${customerId}`, durationHours: 200, ...offer });
  }
  await addModels(must, ask, chance);
  const snapshot = translated(made, ids);
  const { flows, nodeTypes } = await addFlows(ask, chance, snapshot, ids, hookUrl);
  return { tenant, ask, snapshot, flows, customers, nodeTypes };
}

export type Must = (path: string, body: Body) => Promise<string>;

/** Returns a copy with the corpus's ids replaced by those of the database. */
function translated<Value>(value: Value, ids: ReadonlyMap<string, string>): Value {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return ids.get(one) ?? one;
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [ids.get(name) ?? name, walk(member)]));
  };
  return walk(value) as Value;
}

async function addRows(must: Must, ask: Ask, made: Snapshot, ids: Map<string, string>): Promise<void> {
  for (const { id, ...channel } of made.channels) ids.set(id, await must('channels', { ...channel }));
  for (const { id, key: _key, ...placement } of made.placements) {
    ids.set(id, await must('placements', translated({ ...placement, name: `Place ${id}` }, ids)));
  }
  for (const { id, ...category } of made.categories) ids.set(id, await must('categories', { ...category }));
  for (const { id, ...row } of made.subCategories) ids.set(id, await must('sub-categories', translated(row, ids)));
  for (const offer of made.offers) {
    const body = translated(
      {
        name: offer.name,
        status: offer.status,
        categoryId: offer.categoryId,
        subCategoryId: offer.subCategoryId,
        priority: offer.priority,
        businessValue: offer.businessValue,
        shortDesc: offer.shortDesc,
        metadata: offer.metadata,
        tags: offer.tags,
        productType: offer.productType,
        margin: offer.margin,
        revenueValue: offer.revenueValue,
        ...(offer.tracksStock === true ? { inventory: { totalStock: 1 + (offer.priority % 3) } } : {}),
      },
      ids,
    );
    const { budget, eligibility, frequencyCaps, schedule } = offer;
    const limits = { budget, eligibility, frequencyCaps, schedule };
    const given = Object.fromEntries(Object.entries(limits).filter(([, limit]) => (limit ?? null) !== null));
    const whole = await ask('POST', 'offers', { ...body, ...given });
    ids.set(offer.id, whole.status === 201 ? whole.body.id : await must('offers', body));
  }
  for (const creative of made.creatives) {
    const { name, offerId, channelId, placementId, templateType, content } = creative;
    const { personalization, constraints, abTestVariant, weight } = creative;
    const row = { name, offerId, channelId, placementId, templateType, content, personalization, constraints };
    const body = translated({ ...row, abTestVariant, weight, status: 'active' }, ids);
    const answer = await ask('POST', 'creatives', body);
    // This creative isn't about refused values.
    ids.set(
      creative.id,
      answer.status === 201 ? answer.body.id : await must('creatives', { ...body, content: { subject: 'Plain' } }),
    );
  }
  for (const { id, ...profile } of made.rankingProfiles ?? []) {
    ids.set(id, await must('ranking-profiles', { ...profile, name: id, status: 'active' }));
  }
}

/** Makes offers mandatory in the name of a user who may approve it. */
async function addMandatory(
  { testDatabase }: TestServer,
  tenant: TestTenant,
  ask: Ask,
  made: Snapshot,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const mandatory = made.offers.filter((offer) => offer.mandatory);
  if (mandatory.length === 0) return;
  const [approver] = await testDatabase.ownerQuery<{ id: string }>(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, created_at, updated_at)
     values ($1, gen_random_uuid(), 'law@example.org', 'law@example.org', 'Law', 'admin', 'bootstrap', now(), now()) returning id`,
    [tenant.id],
  );
  for (const { id } of mandatory) {
    const changed = await ask('PUT', 'offers', {
      id: ids.get(id),
      mandatory: true,
      mandatoryReason: 'law',
      mandatoryApprovedBy: approver?.id,
      mandatoryExpiresAt: '2099-01-01T00:00:00Z',
    });
    assert.equal(changed.status, 200, changed.text);
  }
}

async function addGates(ask: Ask, made: Snapshot, ids: Map<string, string>): Promise<void> {
  const kinds = [
    ['qualification-rules', made.rules],
    ['contact-policies', made.policies],
  ] as const;
  for (const [path, gates] of kinds) {
    for (const { id, scopes, createdAt: _at, ...gate } of gates) {
      const [first] = scopes;
      const place = first === undefined || first.scope === 'segment' ? { scope: 'global', scopeId: null } : first;
      const { status, body } = await ask('POST', path, translated({ ...gate, ...place, status: 'active' }, ids));
      if (status === 201) ids.set(id, body.id);
    }
  }
}

const models = ['thompson', 'epsilon', 'card', 'bayes', 'logistic', 'online'] as const;

async function addModels(must: Must, ask: Ask, chance: Chance): Promise<void> {
  const one = (key: string, modelType: string, more: Body = {}) =>
    must('algorithm-models', { key, name: key, modelType, status: 'active', ...more });
  const thompson = await one('thompson', 'thompson_bandit');
  const epsilon = await one('epsilon', 'epsilon_greedy', { config: { epsilon: chance.int(1, 5) / 10 } });
  const rule = { id: 'a', field: 'age', operator: 'gte', value: chance.int(20, 60), points: 15 };
  const card = await one('card', 'scorecard', { config: { rules: [rule] } });
  const predictors = ['age', { name: 'job', source: 'customer.job', type: 'categorical' }, 'offer.priority'];
  const binEdges = { age: [30, 50], 'offer.priority': [40] };
  await one('bayes', 'bayesian', { predictors, config: { binEdges }, autoLearn: true, learnMode: 'continuous' });
  const online = await one('online', 'online_learner', { predictors });
  const id = await one('logistic', 'logistic_regression', { predictors });
  const modelState = {
    bias: -0.5,
    weights: { age: chance.int(-9, 9) / 10, 'offer.priority': 0.4, 'job=cook': 0.7 },
    means: { age: 40, 'offer.priority': 50 },
    stds: { age: 12, 'offer.priority': 20 },
    categories: { job: ['cook', 'nurse'] },
  };
  const { status, text } = await ask('PUT', 'algorithm-models', { id, modelState });
  assert.equal(status, 200, text);
  const challengers = [thompson, epsilon, online].map((modelId) => ({ modelId, trafficPct: chance.int(10, 20) }));
  const holdoutPercent = chance.int(5, 15);
  const championPct = challengers.reduce((left, { trafficPct }) => left - trafficPct, 100 - holdoutPercent);
  await must('experiments', {
    ...{ key: 'tested', name: 'Tested', status: 'active', championModelId: card, challengers, holdoutPercent },
    trafficSplit: { championPct },
  });
}

/** Publishes random flows until there are enough. Limits how many the API may refuse. */
async function addFlows(
  ask: Ask,
  chance: Chance,
  snapshot: Snapshot,
  ids: Map<string, string>,
  hookUrl: string,
): Promise<Pick<RandomCatalogue, 'flows' | 'nodeTypes'>> {
  const flows: string[] = [];
  const nodeTypes = new Set<string>();
  const publish = async (key: string, config: Snapshot['flow']['config']): Promise<boolean> => {
    const draftConfig = adapted(translated(config, ids), chance, hookUrl);
    const draft = await ask('POST', 'decision-flows', { key, name: key, draftConfig });
    if (draft.status !== 201) return false;
    if ((await ask('POST', 'decision-flows/publish', { id: draft.body.id })).status !== 200) return false;
    for (const { type } of draftConfig.nodes) nodeTypes.add(type);
    ids.set(`id-${key}`, draft.body.id);
    return true;
  };
  for (let tries = 0; flows.length < flowsWanted; tries++) {
    assert.ok(tries < maxTries, `only ${flows.length} of ${maxTries} random flows were published`);
    const plain: Snapshot = {
      ...snapshot,
      flow: { ...snapshot.flow, config: { version: 2, ...randomNodes(chance, snapshot, true) } },
    };
    const branched = withBranches(chance, plain);
    for (const { key, config } of branched.subFlows ?? []) {
      if (!ids.has(`id-${key}`) && (await publish(`${key}`, config))) assert.ok(ids.has(`id-${key}`));
    }
    const key = `flow-${tries}`;
    if (await publish(key, branched.flow.config)) flows.push(key);
  }
  // Only flows that ask for it read what objectives count.
  const node = (type: string, config: { readonly [key: string]: Json }) => ({ id: type, type, config });
  const counted = [
    node('inventory', {}),
    node('match_creatives', { requireCreative: false }),
    node('score', { method: 'propensity' }),
    node('optimize', { weights: { engagement: 1, fairness: 0.5, conversion: 1 } }),
    node('rank', {}),
  ];
  assert.ok(await publish('counted', { version: 2, nodes: counted, flowConfig: { defaultLimit: 5 } }));
  return { flows: [...flows, 'counted'], nodeTypes };
}

/** Uses existing webhooks and models. */
function adapted(config: Snapshot['flow']['config'], chance: Chance, hookUrl: string): Snapshot['flow']['config'] {
  return {
    ...config,
    nodes: config.nodes.map((node) => {
      if (node.type === 'extension_point' && (node.config?.kind === 'webhook' || chance.flip(0.4))) {
        const { formula: _formula, ...rest } = node.config ?? {};
        return { ...node, config: { ...rest, kind: 'webhook', url: hookUrl } };
      }
      if (node.type !== 'score' || chance.flip(0.4)) return node;
      return { ...node, config: { ...node.config, method: 'propensity', modelKey: chance.pick(models) } };
    }),
  };
}
