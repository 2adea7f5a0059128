import {
  draftFlowConfig,
  type Operation,
  type OperationId,
  operations,
  type Resource,
  resources,
} from '@arbiter/contract';
import { type Fixtures, type Made, type Resource as Path, randomId } from './fixtures.ts';

/** A call that the operation answers with success, by the lowest role that it takes. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Makes what the call needs through the API, then says the call. Nothing of it has been used up. */
export type Example = (fixtures: Fixtures) => Promise<Call>;

/** The properties of a body that the operation declares. */
function declared(operation: Operation, body: Record<string, unknown>): Record<string, unknown> {
  const properties: object = Reflect.get(operation.body ?? {}, 'properties') ?? {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)));
}

/** What lists are asked for besides what a record shows of itself. */
const queries: Partial<Record<Path, (made: Made) => Record<string, string>>> = {
  'qualification-rules': ({ scopeId }) => ({ scopeId: idOf(scopeId) }),
  'contact-policies': ({ scopeId }) => ({ scopeId: idOf(scopeId) }),
};

/** Examples of the seven operations that every catalogue resource has. */
function recordExamples({ name: prefix, path, filters }: Resource & { readonly path: Path }): Record<string, Example> {
  const known: Readonly<Record<string, Operation>> = operations;
  const changes = async (id: 'update' | 'updateById', fixtures: Fixtures) =>
    declared(known[`${prefix}.${id}`]!, await fixtures.draft(path));
  const made = async (fixtures: Fixtures) => (await fixtures.make(path)).id;
  return {
    [`${prefix}.list`]: async (f) => {
      const row = await f.make(path);
      await f.make(path);
      const shown = Object.keys(filters).map((filter) => [filter, idOf(row[filter])]);
      return { query: { limit: '2', search: f.marker, ...Object.fromEntries(shown), ...queries[path]?.(row) } };
    },
    [`${prefix}.create`]: async (f) => ({ body: await f.draft(path) }),
    [`${prefix}.get`]: async (f) => ({ params: { id: await made(f) } }),
    [`${prefix}.update`]: async (f) => ({ body: { ...(await changes('update', f)), id: await made(f) } }),
    [`${prefix}.updateById`]: async (f) => {
      const id = await made(f);
      return { params: { id }, body: { ...(await changes('updateById', f)), id } };
    },
    [`${prefix}.delete`]: async (f) => ({ query: { id: await made(f) } }),
    [`${prefix}.deleteById`]: async (f) => ({ params: { id: await made(f) } }),
  };
}

const aDecision = async (f: Fixtures) => f.decision(await f.decisionWorld());
const idOf = (value: unknown): string => String(value);

/**
 * One example per operation, by operation id. Those of resources are made from their draft bodies; any other new
 * operation needs a line here: the matrix fails without it. Operations
 * that need nothing have an empty call.
 */
export const examples: Readonly<Record<string, Example>> = {
  ...Object.assign({}, ...Object.values(resources).map(recordExamples)),

  'schemas.listFields': async (f) => ({ query: { schemaId: (await f.make('schemas')).id } }),
  'schemas.createField': async (f) => ({
    body: {
      schemaId: (await f.make('schemas')).id,
      name: 'channel_used',
      displayName: f.name('Channel used'),
      dataType: 'varchar',
      length: 50,
      isNullable: true,
      isPrimaryKey: false,
      isUnique: false,
      isPredictor: true,
      neverStore: false,
      defaultValue: 'none',
      description: `Channel of ${f.marker}`,
    },
  }),
  'schemas.updateField': async (f) => ({
    body: {
      fieldId: await aFieldOf(f),
      displayName: f.name('Sum'),
      description: `Sum of ${f.marker}`,
      ordinal: 0,
      isPredictor: true,
      neverStore: true,
    },
  }),
  'schemas.deleteField': async (f) => ({ query: { fieldId: await aFieldOf(f) } }),
  'schemas.insertRows': async (f) => ({
    params: { id: (await f.make('schemas')).id },
    body: { rows: [{ visit_id: `v ${f.marker}`, client: f.marker, amount: 12.5 }], onDuplicate: 'update' },
  }),
  'schemas.listRows': async (f) => {
    const schema = await f.make('schemas');
    await f.must('POST', `schemas/${schema.id}/data`, { rows: [{ visit_id: f.marker, client: f.marker }] }, 201);
    return { params: { id: schema.id }, query: { key: f.marker, limit: '10', offset: '0' } };
  },

  'decisionFlows.publish': async (f) => ({ body: { id: (await f.make('decision-flows')).id, notes: f.marker } }),
  'decisionFlows.validate': async (f) => {
    const flow = await f.make('decision-flows');
    return { body: { id: flow.id, draftConfig: draftFlowConfig((await f.make('categories')).id) } };
  },
  'decisionFlows.versions': async (f) => ({ query: { id: (await f.decisionWorld()).flow.id, version: '1' } }),
  'decisionFlows.ensureBase': async () => ({}),

  'tenant.get': async () => ({}),
  'tenant.update': async (f) => ({ body: { name: f.name('Tenant') } }),
  'tenant.status': async () => ({}),
  'tenantSettings.get': async () => ({}),
  'tenantSettings.update': async () => ({
    body: {
      decisionTraceEnabled: true,
      decisionTraceSampleRate: 1,
      timezone: 'Europe/Paris',
      locale: 'fr-FR',
      currency: 'EUR',
      theme: 'light',
      maxOffersPerDecision: 20,
      holdoutPercentage: 0,
      defaultChannelTimeout: 1000,
      reservationTtlSeconds: 120,
      mandatoryDailyCap: 2,
      neverStore: ['diagnosis'],
      aiAnalyzerSettings: { llmExplanationsEnabled: true },
    },
  }),
  'auditLogs.list': async (f) => {
    const { id } = await f.make('categories');
    const filters = { entityType: 'category', entityId: id, action: 'create', from: '2020-01-01', to: '2199-01-01' };
    return { query: { limit: '5', ...filters } };
  },
  'auditLogs.verify': async () => ({ query: { limit: '10' } }),
  'auditLogs.get': async (f) => {
    await f.make('categories');
    const { data } = await f.must('GET', 'audit-logs?limit=1', undefined, 200);
    return { params: { id: (data as { id: string }[])[0]!.id } };
  },
  'apiKeys.create': async (f) => ({
    body: { name: f.name('key'), scopes: ['read'], expiresAt: '2199-01-01T00:00:00.000Z' },
  }),
  'apiKeys.list': async () => ({ query: { limit: '2' } }),
  'apiKeys.get': async (f) => ({ params: { id: await aKeyOf(f) } }),
  'apiKeys.revoke': async (f) => ({ params: { id: await aKeyOf(f) }, body: { reason: `Lost by ${f.marker}` } }),
  'apiKeys.revokeByQuery': async (f) => ({ query: { id: await aKeyOf(f) }, body: { reason: `Lost by ${f.marker}` } }),
  'oauthClients.create': async (f) => ({ body: { name: f.name('client'), scopes: ['read', 'write'] } }),
  'oauthClients.list': async () => ({}),
  'oauthClients.revoke': async (f) => ({ params: { id: (await aClientOf(f)).id } }),
  'oauthClients.revokeByQuery': async (f) => ({ query: { id: (await aClientOf(f)).id } }),
  'oauth.token': async (f) => {
    const { clientId, clientSecret } = await aClientOf(f);
    return {
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: 'read' },
    };
  },
  'adminRls.report': async () => ({}),
  'adminRls.repair': async () => ({}),
  'deadLetters.list': async () => ({ query: { limit: '5', topic: 'mail.send' } }),
  'gitops.export': async () => ({ body: {} }),
  'gitops.diff': async (f) => ({
    body: {
      files: [{ path: 'categories/plain.yaml', content: `name: plain\ndescription: of ${f.marker}\n` }],
      prune: false,
      allowDataLoss: false,
      secrets: { 'a/secret': f.marker },
    },
  }),
  // No object, so that the only audit row is that of the apply.
  'gitops.apply': async (f) => ({
    body: {
      files: [{ path: '.passed-over', content: f.marker }],
      prune: false,
      allowDataLoss: false,
      secrets: { 'a/secret': f.marker },
    },
  }),
  'gitops.drift': async () => ({}),
  'retentionConfigs.list': async () => ({}),
  'retentionConfigs.set': async () => ({ body: { dataClass: 'traces', retentionDays: 30, legalHold: false } }),
  'deadLetters.act': async () => ({ body: { action: 'retry', eventIds: [randomId()], topic: 'keys.expire' } }),

  'decisions.recommend': async (f) => {
    const { channel, placement, otherOffer, flow } = await f.decisionWorld();
    return {
      body: {
        customerId: `customer ${f.marker}`,
        channelId: channel.id,
        placements: [{ placementId: placement.id, limit: 2 }],
        deduplicate: true,
        sessionId: 'session_1',
        context: { page: f.marker },
        segments: ['gold'],
        attributes: { page: 'home', colour: f.marker },
        locale: 'fr-FR',
        currency: 'EUR',
        excludeOffers: [otherOffer.id],
        excludeCreatives: [randomId()],
        decisionFlowKey: flow.key,
        debug: true,
        requestId: randomId(),
      },
    };
  },
  'decisions.respond': async (f) => {
    const { recommendationId, customerId } = await aDecision(f);
    return {
      body: {
        customerId,
        recommendationId,
        rank: 1,
        outcome: 'click',
        conversionValue: 12.5,
        currency: 'EUR',
        direction: 'inbound',
        attributes: { page: f.marker },
        context: { page: f.marker },
        outcomeDetails: { note: f.marker },
        idempotencyKey: f.name('click'),
      },
    };
  },
  'decisions.get': async (f) => ({ params: { id: idOf((await aDecision(f)).recommendationId) } }),
  'decisions.replay': async (f) => ({ params: { id: idOf((await aDecision(f)).recommendationId) }, body: {} }),
  'decisionTraces.list': async (f) => {
    const { requestId, customerId } = await aTracedDecision(f);
    const filters = { requestId: idOf(requestId), customerId: idOf(customerId) };
    return { query: { ...filters, limit: '5', offset: '0' } };
  },
  'decisionTraces.get': async (f) => {
    const { trace } = await aTracedDecision(f);
    return { params: { id: idOf((trace as { traceId: string }).traceId) } };
  },

  'auth.session': async () => ({}),
  'system.health': async () => ({}),
  'system.ready': async () => ({}),
  'system.metrics': async () => ({}),
  'system.openapi': async () => ({}),
  'system.docs': async () => ({}),
  'system.errors': async () => ({}),
};

async function aFieldOf(f: Fixtures): Promise<string> {
  const { fields } = await f.make('schemas');
  return (fields as { id: string; name: string }[]).find(({ name }) => name === 'amount')!.id;
}

async function aKeyOf(f: Fixtures): Promise<string> {
  return (await f.must('POST', 'api-keys', { name: f.name('key'), scopes: ['read'] }, 201)).id;
}

const aClientOf = (f: Fixtures) => f.must('POST', 'oauth/clients', { name: f.name('client'), scopes: ['read'] }, 201);

async function aTracedDecision(f: Fixtures) {
  await f.must('PUT', 'tenant-settings', { decisionTraceEnabled: true }, 200);
  return aDecision(f);
}

/** The operations without an example, and the examples without an operation. */
export function examplesAmiss(): { missing: string[]; unknown: string[] } {
  const ids = Object.keys(operations) as OperationId[];
  return {
    missing: ids.filter((id) => examples[id] === undefined),
    unknown: Object.keys(examples).filter((id) => !Object.hasOwn(operations, id)),
  };
}
