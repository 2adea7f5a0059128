import {
  draftFlowConfig,
  hasUsualVersions,
  type Operation,
  type OperationId,
  operations,
  type Resource,
  resources,
} from '@arbiter/contract';
import { providerKeys } from '../../packages/server/src/features/identity/sso/test-keys.ts';
import { createSamlIdp, encoded } from '../../packages/server/src/features/identity/sso/test-saml-idp.ts';
import { type Fixtures, type Made, type Resource as Path, randomId } from './fixtures.ts';

/** A call that the operation answers with success, with the lowest role that it accepts. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Headers that the operation declares, lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates what the call needs through the API, then returns the call. Everything it needs is still unused. */
export type Example = (fixtures: Fixtures) => Promise<Call>;

/** Returns the properties of a body that the operation declares. */
function declared(operation: Operation, body: Record<string, unknown>): Record<string, unknown> {
  const properties: object = Reflect.get(operation.body ?? {}, 'properties') ?? {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)));
}

/** List queries that can't be derived from a record. */
const queries: Partial<Record<Path, (made: Made) => Record<string, string>>> = {
  'schema-joins': ({ primarySchemaId }) => ({ schemaId: idOf(primarySchemaId) }),
  'qualification-rules': ({ scopeId }) => ({ scopeId: idOf(scopeId) }),
  'contact-policies': ({ scopeId }) => ({ scopeId: idOf(scopeId) }),
};

/** Examples of the operations that every catalogue resource has. */
function recordExamples(resource: Resource & { readonly path: Path }): Record<string, Example> {
  const { name: prefix, path, filters, fixed = {} }: Resource & { readonly path: Path } = resource;
  const known: Readonly<Record<string, Operation>> = operations;
  const changes = async (id: 'update' | 'updateById', fixtures: Fixtures) => {
    const record = await fixtures.make(path);
    const asItWas = Object.fromEntries(Object.keys(fixed).map((property) => [property, record[property]]));
    const body = declared(known[`${prefix}.${id}`]!, await fixtures.draft(path));
    return { ...body, ...asItWas, id: record.id };
  };
  const made = async (fixtures: Fixtures) => (await fixtures.make(path)).id;
  const changed = async (fixtures: Fixtures) => {
    const id = await made(fixtures);
    await fixtures.must('PUT', `${path}/${id}`, {}, 200);
    return { id };
  };
  return {
    [`${prefix}.list`]: async (f) => {
      const row = await f.make(path);
      await f.make(path);
      const shown = Object.keys(filters).map((filter) => [filter, idOf(row[filter])]);
      return { query: { limit: '2', search: f.marker, ...Object.fromEntries(shown), ...queries[path]?.(row) } };
    },
    [`${prefix}.create`]: async (f) => ({ body: await f.draft(path) }),
    [`${prefix}.get`]: async (f) => ({ params: { id: await made(f) } }),
    [`${prefix}.update`]: async (f) => ({ body: await changes('update', f) }),
    [`${prefix}.updateById`]: async (f) => {
      const body = await changes('updateById', f);
      return { params: { id: body.id }, body };
    },
    [`${prefix}.delete`]: async (f) => ({ query: { id: await made(f) } }),
    [`${prefix}.deleteById`]: async (f) => ({ params: { id: await made(f) } }),
    ...(hasUsualVersions(resource)
      ? {
          [`${prefix}.versions`]: async (f) => ({ params: await changed(f), query: { limit: '5' } }),
          [`${prefix}.version`]: async (f) => ({ params: { ...(await changed(f)), version: '1' } }),
          [`${prefix}.versionsDiff`]: async (f) => ({ params: await changed(f), query: { from: '1', to: '2' } }),
        }
      : {}),
  };
}

const customerOf = (f: Fixtures): string => `customer ${f.marker}`;
const suppressionOf = async (f: Fixtures) => ({
  customerId: customerOf(f),
  scope: 'offer',
  scopeId: (await f.make('offers')).id,
  days: 30,
  reason: `Asked for by ${f.marker}`,
});
const aSuppression = async (f: Fixtures, changes: Record<string, unknown> = {}) =>
  f.must('POST', 'suppressions', { ...(await suppressionOf(f)), ...changes }, 201);
/** A segment with two customers. */
const aBandit = async (f: Fixtures): Promise<Made> =>
  f.make('algorithm-models', {
    ...(await f.draft('algorithm-models')),
    modelType: 'thompson_bandit',
    config: {},
    predictors: [],
    autoLearn: true,
    learnMode: 'continuous',
  });

const aTrained = async (f: Fixtures): Promise<Made> =>
  f.make('algorithm-models', {
    ...(await f.draft('algorithm-models')),
    modelType: 'logistic_regression',
    config: {},
    predictors: ['age'],
    targetSchemaKey: null,
    targetField: null,
  });
/** A model with one tree. */
const aBoosted = async (f: Fixtures): Promise<Made> =>
  f.must(
    'POST',
    'algorithm-models/import',
    {
      key: f.name('boosted').replaceAll(/[^A-Za-z0-9_.-]/g, '-'),
      name: f.name('Boosted'),
      model: oneTree,
    },
    201,
  );

const oneTree = [
  ...['tree', 'num_class=1', 'num_tree_per_iteration=1', 'max_feature_idx=0', 'objective=binary sigmoid:1'],
  ...[
    'feature_names=age',
    '',
    'Tree=0',
    'num_leaves=2',
    'num_cat=0',
    'split_feature=0',
    'threshold=40',
    'decision_type=2',
  ],
  ...[
    'left_child=-1',
    'right_child=-2',
    'leaf_value=-0.5 0.5',
    'leaf_count=6 4',
    'internal_count=10',
    '',
    'end of trees',
    '',
  ],
].join('\n');

/** Explanations need it. */
const optIn = (f: Fixtures) =>
  f.must('PUT', 'tenant-settings', { aiAnalyzerSettings: { llmExplanationsEnabled: true } }, 200);

const aSegment = async (f: Fixtures): Promise<Made> => {
  const segment = await f.make('segments', { ...(await f.draft('segments')), filters: null });
  const rows = ['', ' 2'].map((number) => ({ customer_id: `${f.marker}${number}`, first_name: f.marker }));
  await f.must('POST', `schemas/${idOf(segment.baseSchemaId)}/data`, { rows }, 201);
  return segment;
};
/** Whom examples enroll, so that the draft's entryCondition holds. */
const enrolled = (f: Fixtures) => ({ customerId: customerOf(f), context: { cartValue: 120, note: f.marker } });
/** An enrollment of a journey. Its steps are not taken: no worker runs. */
const anEnrollment = async (f: Fixtures): Promise<{ id: string; eid: string }> => {
  const { id } = await f.make('journeys');
  return { id, eid: (await f.must('POST', `journeys/${id}/enroll`, enrolled(f), 201)).id };
};
/** The body of a campaign with every property. */
const campaignOf = async (f: Fixtures) => {
  const { decisionFlowId, segmentId, channelIds } = await f.must('GET', `runs/${await f.campaign()}`, undefined, 200);
  return {
    ...{ decisionFlowId, segmentId, channelIds, name: f.name('Campaign'), description: `Campaign of ${f.marker}` },
    ...{ status: 'active', scheduleType: 'monthly', scheduleDayOfWeek: 5, scheduleDayOfMonth: 'last_working_day' },
    ...{ scheduleTime: '23:59', scheduleTimezone: 'Asia/Kathmandu', scheduleCron: null },
    frequencyCaps: { maxTotalPerRun: 100, maxPerOffer: 50, maxPerChannel: 80 },
    fileConfig: { format: 'ndjson', columns: ['customerId', 'offerName'], includePersonalization: true },
    deliveryGuarantee: 'at_least_once',
  };
};
/** A simulation over a segment that is idle. */
const aSimulation = async (f: Fixtures): Promise<Made> => {
  const { flow } = await f.decisionWorld();
  const { id: segmentId } = await aSegment(f);
  return f.must('POST', 'simulate', { segmentId, decisionFlowKey: flow.id, sampleSize: 5, async: true }, 202);
};
const dayMs = 86_400_000;
/** Decisions are kept for a year, so the range moves. */
const lastWeek = () => ({
  from: new Date(Date.now() - 7 * dayMs).toISOString(),
  to: new Date(Date.now()).toISOString().slice(0, 10),
});
/** Two queued backtests of a flow; the id of the second. */
const aStudy = async (f: Fixtures): Promise<Made> => {
  const { flow } = await f.decisionWorld();
  const start = (maxDecisions: number) => {
    const body = { version: 'draft', ...lastWeek(), maxDecisions };
    return f.must('POST', `decision-flows/${flow.id}/backtest`, body, 202);
  };
  await start(5);
  return { id: idOf((await start(6)).studyId), flowId: flow.id };
};
const aDecision = async (f: Fixtures) => f.decision(await f.decisionWorld());
/** A user with a value for each kind of attribute. */
const scimUserOf = (f: Fixtures) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  externalId: f.name('external'),
  userName: f.name('user'),
  name: { givenName: f.marker, familyName: 'Smith', formatted: `${f.marker} Smith` },
  displayName: f.name('Person'),
  title: `Title of ${f.marker}`,
  active: true,
  emails: [{ value: `${f.marker}@example.com`, type: 'work', primary: true }],
  addresses: [{ streetAddress: `Street of ${f.marker}`, locality: 'Paris', type: 'work' }],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
    department: f.marker,
    manager: { value: f.marker, displayName: 'Boss' },
  },
});
const aScimUserOf = (f: Fixtures): Promise<Made> => f.must('POST', 'scim/v2/Users', scimUserOf(f), 201);
/** WHATSAPP_WEBHOOK_VERIFY_TOKEN of servers that examples are called on. */
export const verifyToken = 'a token of the provider';

const idOf = (value: unknown): string => String(value);

/**
 * One example per operation, by operation id. Those of resources come from their draft bodies. Any other new operation
 * needs a line here; otherwise the matrix fails. Operations that need nothing have an empty call.
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
      isSensitive: true,
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
      isSensitive: true,
      name: 'amount',
      dataType: 'NUMERIC(12,2)',
      length: null,
      precision: 12,
      scale: 2,
      isNullable: true,
      isPrimaryKey: false,
      isUnique: false,
      defaultValue: '0',
    },
  }),
  'schemas.deleteField': async (f) => ({ query: { fieldId: await aFieldOf(f) } }),
  'schemas.insertRows': async (f) => ({
    params: { id: (await f.make('schemas')).id },
    body: { rows: [{ visit_id: `v ${f.marker}`, client: f.marker, amount: 12.5 }], onDuplicate: 'update' },
  }),
  'schemas.stats': async (f) => {
    const schema = await f.make('schemas');
    await f.must('POST', `schemas/${schema.id}/data`, { rows: [{ visit_id: f.marker, client: f.marker }] }, 201);
    return { params: { id: schema.id } };
  },
  'schemas.upload': async (f) => ({ body: { file: `customer_id,city\n1,${f.marker}\n` } }),
  'schemas.listRows': async (f) => {
    const schema = await f.make('schemas');
    await f.must('POST', `schemas/${schema.id}/data`, { rows: [{ visit_id: f.marker, client: f.marker }] }, 201);
    return { params: { id: schema.id }, query: { key: f.marker, limit: '10', offset: '0' } };
  },

  'content.submit': async (f) => ({ params: { id: (await f.make('content')).id } }),
  'content.approve': async (f) => ({ params: { id: await contentIn(f, 'in_review') } }),
  'content.publish': async (f) => ({ params: { id: await contentIn(f, 'approved') } }),
  'content.reject': async (f) => ({
    params: { id: await contentIn(f, 'in_review') },
    body: { reason: `Not good for ${f.marker}` },
  }),
  'content.versions': async (f) => ({ params: { id: (await f.make('content')).id } }),
  'content.revert': async (f) => {
    const { id } = await f.make('content');
    await f.must('PUT', `content/${id}`, { content: { subject: f.marker } }, 200);
    return { params: { id, version: '1' } };
  },
  'content.render': async (f) => ({
    params: { id: (await f.make('content')).id },
    body: {
      version: 1,
      customerId: `customer ${f.marker}`,
      customer: { first_name: f.marker },
      attributes: { page: f.marker },
      offer: { name: f.marker },
    },
  }),
  'content.preview': async (f) => ({
    body: {
      channelType: 'email',
      content: { subject: `Hello {first} of ${f.marker}` },
      blocks: [{ type: 'text', props: { text: `For {{first|you}}: ${f.marker}` } }],
      personalization: { first: { source: 'customer.first_name', fallback: f.marker } },
      parentTemplateId: null,
      customerId: `customer ${f.marker}`,
      customer: { first_name: f.marker },
      attributes: { page: f.marker },
      offer: { name: f.marker },
    },
  }),

  'suppressions.list': async (f) => {
    await aSuppression(f);
    await aSuppression(f, { customerId: `other ${f.marker}` });
    return {
      query: { limit: '2', customerId: customerOf(f), scope: 'offer', policyType: 'manual', includeExpired: 'true' },
    };
  },
  'suppressions.create': async (f) => ({ body: await suppressionOf(f) }),
  'suppressions.get': async (f) => ({ params: { id: (await aSuppression(f)).id } }),
  'suppressions.update': async (f) => ({ body: { id: (await aSuppression(f)).id, days: 9, reason: 'Longer' } }),
  'suppressions.updateById': async (f) => ({
    params: { id: (await aSuppression(f)).id },
    body: { days: 9, reason: 'Longer' },
  }),
  'suppressions.delete': async (f) => ({ query: { id: (await aSuppression(f)).id } }),
  'suppressions.deleteById': async (f) => ({ params: { id: (await aSuppression(f)).id } }),
  'suppressions.ofCustomer': async (f) => {
    await aSuppression(f);
    return { params: { customerId: customerOf(f) }, query: { includeExpired: 'true' } };
  },

  'contactPolicies.impactPreview': async (f) => ({
    body: {
      policyType: 'frequency_cap',
      scope: 'offer',
      scopeId: (await f.make('offers')).id,
      config: { maxFrequency: 1, periodDays: 30, outcomeType: 'impression' },
      sampleSize: 100,
    },
  }),
  'qualificationRules.reachEstimate': async (f) => {
    const schema = await f.make('schemas');
    await f.must('POST', `schemas/${schema.id}/data`, { rows: [{ visit_id: f.marker, client: f.marker }] }, 201);
    const rule = { ruleType: 'attribute_condition', field: 'amount', operator: 'gte', value: 5, onMissing: 'pass' };
    return { body: { ...rule, schema: schema.id, sampleSize: 100 } };
  },

  'algorithmModels.score': async (f) => ({
    params: { id: (await f.make('algorithm-models')).id },
    body: { attributes: { age: 20, marker: f.marker }, offerId: (await f.make('offers')).id, customerId: f.marker },
  }),
  'algorithmModels.scoreOfferSet': async (f) => ({
    params: { id: (await f.make('algorithm-models')).id },
    body: {
      attributes: { age: 20, marker: f.marker },
      offerIds: [(await f.make('offers')).id, (await f.make('offers')).id],
      customerId: f.marker,
    },
  }),
  'algorithmModels.resetLearning': async (f) => ({ params: { id: (await aBandit(f)).id } }),
  'algorithmModels.train': async (f) => ({
    params: { id: (await aTrained(f)).id },
    body: { from: '2026-01-01T00:00:00Z', params: { epochs: 3 } },
  }),
  'algorithmModels.cancelTraining': async (f) => {
    const { id } = await aTrained(f);
    await f.must('POST', `algorithm-models/${id}/train`, {}, 202);
    return { params: { id } };
  },
  'algorithmModels.drift': async (f) => ({ params: { id: (await aTrained(f)).id }, query: { days: '3' } }),
  'algorithmModels.import': async (f) => ({
    body: { key: `import-${f.marker}`.replaceAll(/[^A-Za-z0-9_.-]/g, '-'), name: f.name('Imported'), model: oneTree },
  }),
  'algorithmModels.shap': async (f) => {
    await optIn(f);
    return { params: { id: (await aBoosted(f)).id }, body: { sampleSize: 5 } };
  },
  'algorithmModels.promote': async (f) => ({
    params: { id: (await f.make('algorithm-models')).id },
    body: { toStatus: 'challenger' },
  }),

  'experiments.results': async (f) => ({ params: { id: (await f.make('experiments')).id } }),

  'behavioralMetrics.compute': async (f) => ({ params: { id: (await f.make('behavioral-metrics')).id } }),
  'behavioralMetrics.values': async (f) => ({
    params: { id: (await f.make('behavioral-metrics')).id },
    query: { customerId: f.marker },
  }),
  'segments.refresh': async (f) => ({ params: { id: (await f.make('segments')).id } }),
  'segments.customers': async (f) => ({ params: { id: (await aSegment(f)).id }, query: { limit: '10' } }),
  'segments.uses': async (f) => ({ params: { id: (await aSegment(f)).id } }),
  'segments.preview': async (f) => {
    const { baseSchemaId } = await aSegment(f);
    return { body: { baseSchemaId, joins: [], filters: [{ field: 'first_name', operator: 'eq', value: f.marker }] } };
  },
  'segments.overlap': async (f) => ({
    body: { segmentIds: [(await aSegment(f)).id, (await f.make('segments')).id], sampleSize: 100 },
  }),

  'decisionFlows.publish': async (f) => ({ body: { id: (await f.make('decision-flows')).id, notes: f.marker } }),
  'decisionFlows.validate': async (f) => {
    const flow = await f.make('decision-flows');
    return { body: { id: flow.id, draftConfig: draftFlowConfig((await f.make('categories')).id) } };
  },
  // Two pages: every new offer adds a row.
  'decisionFlows.assemblyLog': async (f) => {
    const body = { key: f.name('assembled'), name: f.name('Assembled'), status: 'active', autoAssembly: true };
    const flow = await f.must('POST', 'decision-flows', body, 201);
    for (const word of ['first', 'second']) await f.must('POST', 'offers', { name: f.name(word) }, 201);
    return { params: { id: flow.id }, query: { limit: '10' } };
  },
  'decisionFlows.diff': async (f) => ({
    params: { id: (await f.decisionWorld()).flow.id },
    query: { from: '1', to: 'draft' },
  }),
  'decisionFlows.export': async (f) => ({
    params: { id: (await f.decisionWorld()).flow.id },
    query: { version: 'published' },
  }),
  'decisionFlows.import': async (f) => {
    const { id } = await f.make('decision-flows');
    const flow = await f.must('GET', `decision-flows/${id}/export`, undefined, 200);
    return { body: { flow, key: f.name('copy'), name: f.name('Copy') } };
  },
  'decisionFlows.restoreVersion': async (f) => ({ body: { id: (await f.decisionWorld()).flow.id, version: 1 } }),
  'decisionFlows.versions': async (f) => ({ query: { id: (await f.decisionWorld()).flow.id, version: '1' } }),
  'decisionFlows.ensureBase': async () => ({}),

  'tenant.get': async () => ({}),
  'tenant.update': async (f) => ({ body: { name: f.name('Tenant') } }),
  'tenant.status': async () => ({}),
  'tenant.reset': async (f) => {
    await f.playground();
    await f.make('offers');
    return { body: { confirm: true } };
  },
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
  'scim.listUsers': async (f) => {
    await aScimUserOf(f);
    return { query: { startIndex: '1', count: '5', filter: `userName co "${f.marker}"`, attributes: 'userName' } };
  },
  'scim.createUser': async (f) => ({ body: scimUserOf(f) }),
  'scim.getUser': async (f) => ({
    params: { id: (await aScimUserOf(f)).id },
    query: { excludedAttributes: 'name.familyName' },
  }),
  'scim.replaceUser': async (f) => ({ params: { id: (await aScimUserOf(f)).id }, body: scimUserOf(f) }),
  'scim.patchUser': async (f) => ({
    params: { id: (await aScimUserOf(f)).id },
    body: { Operations: [{ op: 'replace', path: 'title', value: f.marker }] },
  }),
  'scim.deleteUser': async (f) => ({ params: { id: (await aScimUserOf(f)).id } }),
  'scim.listGroups': async () => ({ query: { startIndex: '1', count: '5' } }),
  'scim.serviceProviderConfig': async () => ({}),
  'scim.listResourceTypes': async () => ({}),
  'scim.getResourceType': async () => ({ params: { id: 'User' } }),
  'scim.listSchemas': async () => ({}),
  'scim.getSchema': async () => ({ params: { id: 'urn:ietf:params:scim:schemas:core:2.0:User' } }),
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
  'seedDatasets.list': async () => ({}),
  'seedDatasets.load': async () => ({ params: { key: 'coffee_rewards' }, query: { force: 'true' } }),
  'seedDatasets.unload': async (f) => {
    await aDatasetOf(f);
    return { params: { key: 'coffee_rewards' } };
  },
  'seedDatasets.upload': async (f) => {
    await aDatasetOf(f);
    return {
      params: { key: 'coffee_rewards' },
      body: { file: `visit_id,member_id,store\nV-1,CM-000001,${f.marker}\n`, schema: 'coffee_visits' },
    };
  },
  'seedDatasets.status': async () => ({ params: { key: 'coffee_rewards' } }),
  'adminCache.flush': async () => ({ body: { scope: 'offers' } }),
  'adminRls.repair': async () => ({}),
  'approvals.list': async (f) => {
    await anApprovalOf(f);
    return { query: { status: 'all', limit: '5' } };
  },
  'approvals.create': async (f) => ({
    body: {
      entityType: 'offer',
      entityId: (await f.make('offers')).id,
      entityName: f.name('offer'),
      action: 'update',
      payload: { priority: 12 },
      stages: [{ stageName: f.name('stage'), requiredRole: 'editor' }],
    },
  }),
  'approvals.get': async (f) => ({ params: { id: (await anApprovalOf(f)).id } }),
  'approvals.decide': async (f) => ({
    params: { id: (await anApprovalOf(f)).id },
    body: { action: 'approve', comments: `said by ${f.marker}`, stage: 1 },
  }),
  'notificationProviders.list': async (f) => {
    await aDestinationOf(f);
    await aDestinationOf(f);
    return { query: { limit: '2' } };
  },
  'notificationProviders.create': async (f) => ({
    body: {
      kind: 'ops_email',
      name: f.name('destination'),
      config: { toEmails: ['oncall@example.com'] },
      enabled: true,
    },
  }),
  'notificationProviders.get': async (f) => ({ params: { id: (await aDestinationOf(f)).id } }),
  'notificationProviders.change': async (f) => ({
    params: { id: (await aDestinationOf(f)).id },
    body: { kind: 'ops_email', name: f.name('destination'), enabled: true, config: { replyTo: 'desk@example.com' } },
  }),
  'notificationProviders.remove': async (f) => ({ params: { id: (await aDestinationOf(f)).id } }),
  'notificationProviders.test': async (f) => ({ params: { id: (await aDestinationOf(f)).id } }),
  'reports.sources': async () => ({}),
  'dashboardData.get': async (f) => ({
    query: { type: 'offer_performance', days: '3', limit: '5', offerId: (await f.make('offers')).id },
  }),
  'dashboards.decisionPipeline': async () => ({ query: { windowHours: '2' } }),
  'dashboards.decisionHealth': async () => ({ query: { days: '2' } }),
  'reportTemplates.list': async (f) => {
    await aReportOf(f);
    return {};
  },
  'reportTemplates.create': async (f) => ({ body: await reportDraft(f) }),
  'reportTemplates.get': async (f) => ({ params: { id: (await aReportOf(f)).id } }),
  'reportTemplates.change': async (f) => ({ params: { id: (await aReportOf(f)).id }, body: await reportDraft(f) }),
  'reportTemplates.remove': async (f) => ({ params: { id: (await aReportOf(f)).id } }),
  'reportTemplates.preview': async (f) => ({ params: { id: (await aReportOf(f)).id } }),
  'reportTemplates.runNow': async (f) => ({
    params: { id: (await aReportOf(f)).id },
    body: { destinations: [(await aDestinationOf(f)).id], formats: ['csv'] },
  }),
  'reportSchedules.list': async (f) => {
    const { templateId } = await aReportScheduleOf(f);
    await aReportScheduleOf(f);
    return { query: { limit: '2', templateId: idOf(templateId) } };
  },
  'reportSchedules.create': async (f) => ({
    body: {
      templateId: (await aReportOf(f)).id,
      name: f.name('schedule'),
      cronExpression: '0 8 * * mon-fri',
      timezone: 'Europe/Berlin',
      destinations: [(await aDestinationOf(f)).id],
      enabled: true,
    },
  }),
  'reportSchedules.get': async (f) => ({ params: { id: (await aReportScheduleOf(f)).id } }),
  'reportSchedules.change': async (f) => {
    const { id, templateId } = await aReportScheduleOf(f);
    return {
      params: { id },
      body: {
        templateId: idOf(templateId),
        name: f.name('schedule'),
        cronExpression: '30 7 * * *',
        timezone: 'UTC',
        destinations: [],
        enabled: true,
      },
    };
  },
  'reportSchedules.remove': async (f) => ({ params: { id: (await aReportScheduleOf(f)).id } }),
  'reportRuns.list': async (f) => {
    const { templateId } = await aReportRunOf(f);
    return { query: { templateId, limit: '2', offset: '0' } };
  },
  'reportRuns.get': async (f) => ({ params: { id: (await aReportRunOf(f)).id } }),
  'reportRuns.artifact': async (f) => ({ params: { id: (await aReportRunOf(f)).id, format: 'html' } }),
  'notifications.send': async (f) => ({
    body: {
      providerIds: [(await aDestinationOf(f)).id],
      notification: {
        title: f.name('title'),
        message: `from ${f.marker}`,
        severity: 'info',
        fields: [{ name: 'who', value: f.marker }],
        sourceUrl: 'https://example.com/there',
      },
    },
  }),
  'cron.tick': async () => ({}),
  'alerts.metrics': async () => ({}),
  'alerts.events': async (f) => ({ params: { id: await f.firedRule() }, query: { limit: '2' } }),
  'deliveries.list': async (f) => {
    await f.delivery();
    const { id, customerId } = await f.delivery();
    const { channelId, runId } = await f.must('GET', `deliveries/${id}`, undefined, 200);
    const filters = { customerId, status: 'queued', channelId: idOf(channelId), runId: idOf(runId) };
    return { query: { limit: '2', ...filters } };
  },
  'deliveries.get': async (f) => ({ params: { id: (await f.delivery()).id } }),
  'webhooks.delivery': async (f) => ({
    headers: { 'x-provider': 'ses' },
    body: { providerMessageId: `message of ${f.marker}`, event: 'opened', reason: f.marker },
  }),
  'webhooks.whatsapp': async () => ({ body: { object: 'whatsapp_business_account', entry: [] } }),
  'webhooks.whatsappVerification': async () => ({
    query: { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken, 'hub.challenge': '4711' },
  }),
  'geofences.check': async (f) => {
    const { latitude, longitude } = await f.make('geofences');
    return {
      body: { latitude, longitude, customerId: customerOf(f), track: true, timestamp: new Date().toISOString() },
    };
  },
  'geofences.events': async (f) => {
    const draft = { ...(await f.draft('geofences')), triggerOn: 'enter', cooldownMs: 0 };
    const { id, latitude, longitude } = await f.make('geofences', draft);
    for (const away of [0, 90, 0]) {
      const sighting = { latitude, longitude: Number(longitude) + away, customerId: customerOf(f), track: true };
      await f.must('POST', 'geofences/check', sighting, 200);
    }
    return { params: { id }, query: { limit: '2', customerId: customerOf(f) } };
  },
  'pipelineRuns.start': async (f) => ({ params: { id: (await f.make('pipelines')).id } }),
  'pipelineRuns.list': async (f) => ({ params: { id: (await f.pipelineRun(2)).id }, query: { limit: '1' } }),
  'pipelineRuns.progress': async (f) => ({ params: await f.pipelineRun() }),
  'pipelineRuns.cancel': async (f) => {
    const { id } = await f.make('pipelines');
    const { id: runId } = await f.must('POST', `pipelines/${id}/runs`, undefined, 201);
    return { params: { id, runId } };
  },
  'campaigns.list': async (f) => {
    await f.campaign();
    await f.campaign();
    return { query: { limit: '2', offset: '0', status: 'draft' } };
  },
  'campaigns.create': async (f) => ({ body: await campaignOf(f) }),
  'campaigns.get': async (f) => ({ params: { id: (await f.campaignRun()).id } }),
  'campaigns.update': async (f) => ({ params: { id: await f.campaign() }, body: await campaignOf(f) }),
  'campaigns.delete': async (f) => ({ params: { id: (await f.campaignRun()).id } }),
  'campaignRuns.start': async (f) => ({ params: { id: await f.campaign() } }),
  'campaignRuns.startInline': async (f) => {
    const id = await f.campaign();
    const { decisionFlowId, segmentId } = await f.must('GET', `runs/${id}`, undefined, 200);
    const { viewName } = await f.must('GET', `segments/${idOf(segmentId)}`, undefined, 200);
    return { body: { runId: id, decisionFlowId: idOf(decisionFlowId), segmentViewName: idOf(viewName) } };
  },
  'campaignRuns.list': async (f) => ({ params: { id: (await f.campaignRun()).id } }),
  'campaignRuns.get': async (f) => ({ params: await f.campaignRun() }),
  'campaignRuns.cancel': async (f) => {
    const id = await f.campaign();
    const { id: runId } = await f.must('POST', `runs/${id}/campaign-runs`, undefined, 201);
    return { params: { id, runId } };
  },
  'campaignRuns.results': async (f) => ({
    params: await f.campaignRun(),
    query: { limit: '1', status: 'decided' },
  }),
  'campaignRuns.file': async (f) => ({ params: await f.campaignRun() }),
  'triggers.test': async (f) => ({
    params: { id: (await f.make('triggers')).id },
    body: { event: { customerId: customerOf(f), data: { amount: 120, note: f.marker } } },
  }),
  'connectors.types': async () => ({}),
  // It becomes `error`: nothing is at its address.
  'connectors.test': async (f) => ({ body: { id: (await f.make('connectors')).id } }),
  'connectors.preview': async (f) => ({
    params: { id: (await f.make('connectors')).id },
    body: { source: { sourceTable: 'public.accounts' }, limit: 5 },
  }),
  'events.ingest': async (f) => ({
    body: { type: 'purchase', customerId: customerOf(f), data: { note: f.marker }, channel: 'web' },
  }),
  'journeys.enroll': async (f) => ({
    params: { id: (await f.make('journeys')).id },
    body: { ...enrolled(f), deduplication: 'restart' },
  }),
  'journeys.enrollments': async (f) => {
    const { id } = await anEnrollment(f);
    await f.must('POST', `journeys/${id}/enroll`, { ...enrolled(f), deduplication: 'allow_multiple' }, 201);
    return { params: { id }, query: { limit: '2', status: 'active', customerId: customerOf(f) } };
  },
  'journeys.enrollment': async (f) => ({ params: await anEnrollment(f) }),
  'journeys.exit': async (f) => ({ params: await anEnrollment(f), body: { reason: `Asked for by ${f.marker}` } }),
  'journeys.stats': async (f) => ({ params: { id: (await anEnrollment(f)).id } }),
  'journeys.test': async (f) => ({ params: { id: (await f.make('journeys')).id }, body: enrolled(f) }),
  'archives.list': async (f) => ({ query: { month: (await f.archivedFile()).month, kind: 'impressions' } }),
  'archives.verify': async (f) => ({ params: { id: (await f.archivedFile()).id } }),
  'archives.restore': async (f) => ({ params: { id: (await f.archivedFile()).id } }),
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
  'search.find': async (f) => {
    await f.make('offers');
    return { query: { q: f.marker } };
  },
  'records.restore': async (f) => {
    const { id } = await f.make('categories');
    await f.must('DELETE', `categories?id=${id}`, undefined, 204);
    return { query: { entityType: 'category', id } };
  },
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
        attributes: { page: 'home', color: f.marker },
        locale: 'fr-FR',
        currency: 'EUR',
        excludeOffers: [otherOffer.id],
        excludeCreatives: [randomId()],
        decisionFlowKey: flow.key,
        debug: true,
        requestId: randomId(),
        require: { minConfigVersion: 1, maxProfileAgeMs: 0 },
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
  'decisions.recommendBatch': async (f) => {
    const { channel, flow } = await f.decisionWorld();
    const request = { channelId: channel.id, decisionFlowKey: flow.key, limit: 2 };
    return {
      body: {
        requests: [
          { ...request, customerId: `customer ${f.marker}` },
          { ...request, customerId: `other ${f.marker}`, dryRun: true },
        ],
      },
    };
  },
  'decisions.respondBatch': async (f) => {
    const { recommendationId, customerId } = await aDecision(f);
    const item = { customerId, recommendationId, rank: 1 };
    const key = { idempotencyKey: f.name('click') };
    return {
      body: {
        responses: [
          { ...item, outcome: 'click', ...key },
          { ...item, outcome: 'dismiss' },
        ],
      },
    };
  },
  'decisions.get': async (f) => ({ params: { id: idOf((await aDecision(f)).recommendationId) } }),
  'decisions.list': async (f) => {
    const world = await f.decisionWorld();
    const customerId = `customer ${f.marker}`;
    await f.decision(world);
    await f.decision(world);
    const shown = { decisionFlowKey: idOf(world.flow.key), channelId: world.channel.id, offerId: world.offer.id };
    const about = { version: '1', source: 'recommend', explored: 'false', from: '2020-01-01', to: '2199-01-01' };
    return { query: { limit: '5', customerId, ...shown, ...about } };
  },
  'decisions.proof': async (f) => ({ params: { id: idOf((await aDecision(f)).recommendationId) } }),
  'decisions.replay': async (f) => ({ params: { id: idOf((await aDecision(f)).recommendationId) }, body: {} }),
  'decisions.shap': async (f) => {
    await optIn(f);
    const { recommendationId } = await aDecision(f);
    return {
      params: { id: idOf(recommendationId) },
      body: { modelId: (await aBoosted(f)).id, attributes: { age: 35 } },
    };
  },
  'decisions.narrative': async (f) => {
    await f.must('PUT', 'tenant-settings', { aiAnalyzerSettings: { llmExplanationsEnabled: true } }, 200);
    return { params: { id: idOf((await aTracedDecision(f)).recommendationId) }, body: { mode: 'regulator' } };
  },
  'interactions.import': async (f) => ({
    body: {
      key: f.name('line'),
      customerId: `customer ${f.marker}`,
      outcome: 'convert',
      offerId: (await f.make('offers')).id,
      channelId: (await f.make('channels')).id,
      timestamp: '2024-03-01T10:15:00Z',
      direction: 'inbound',
      conversionValue: 12.5,
      currency: 'EUR',
      context: { page: f.marker },
    },
  }),
  'customers.erase': async (f) => ({ params: { customerId: (await aClick(f)).customerId } }),
  'customers.eraseData': async (f) => {
    const { customerId } = await aClick(f);
    return { params: { customerId }, query: { scope: 'everything' }, headers: { 'x-confirm-delete': customerId } };
  },
  'interactions.history': async (f) => {
    const { channel, offer, creative, customerId } = await aClick(f);
    const ids = { channelId: channel.id, offerId: offer.id, creativeId: creative.id };
    const about = { type: 'impression', outcome: 'impression', from: '2020-01-01', to: '2199-01-01' };
    return { query: { limit: '5', customerId, ...ids, ...about } };
  },
  'interactions.summaries': async (f) => {
    const { channel, offer, customerId } = await aClick(f);
    const about = { offerId: offer.id, channelId: channel.id };
    return { query: { limit: '5', customerId, periodType: 'alltime', periodKey: 'all', ...about } };
  },
  'interactions.summary': async (f) => {
    await aClick(f);
    return { query: { groupBy: 'channel', days: '7', limit: '5' } };
  },
  'customers.summaries': async (f) => {
    const { channel, offer, customerId } = await aClick(f);
    const query = { periodType: 'alltime', periodKey: 'all', offerId: offer.id, channelId: channel.id };
    return { params: { customerId }, query };
  },
  'customers.eligibility': async (f) => {
    const { customerId } = await aClick(f);
    return { params: { customerId }, query: { channel: 'web', limit: '1' } };
  },
  'customers.profile': async (f) => {
    const { customerId, flow } = await aClick(f);
    return { params: { customerId }, query: { channel: 'web', flowId: flow.id } };
  },
  'customers.simulate': async (f) => {
    const { customerId, flow } = await aClick(f);
    const place = { channel: 'web', placement: null, limit: 5, flowId: flow.id, decisionFlowKey: null };
    const asked = { attributes: { page: f.marker }, segments: ['gold'], now: '2026-11-20T09:00:00Z', draft: true };
    return { params: { customerId }, body: { ...place, ...asked } };
  },
  'simulations.run': async (f) => {
    const { channel, placement, flow } = await f.decisionWorld();
    const place = { channelId: channel.id, placements: [{ placementId: placement.id, limit: 2 }], limit: 2 };
    const asked = { attributes: { page: f.marker }, segments: ['gold'], context: { page: 'home' } };
    const how = { version: 'published', now: '2026-11-20T09:00:00Z', seed: 'a-seed', async: false };
    return { body: { customerId: customerOf(f), decisionFlowKey: flow.id, ...place, ...asked, ...how } };
  },
  'simulations.list': async (f) => {
    await aSimulation(f);
    return { query: { limit: '1', offset: '0' } };
  },
  'simulations.get': async (f) => ({ params: { id: (await aSimulation(f)).id } }),
  'simulations.cancel': async (f) => ({ params: { id: (await aSimulation(f)).id }, body: {} }),
  'studies.list': async (f) => {
    const { flowId } = await aStudy(f);
    return { query: { limit: '1', kind: 'backtest', flowId: idOf(flowId) } };
  },
  'studies.get': async (f) => ({ params: { id: (await aStudy(f)).id } }),
  'studies.rows': async (f) => ({ params: { id: (await aStudy(f)).id } }),
  'studies.cancel': async (f) => ({ params: { id: (await aStudy(f)).id }, body: {} }),
  'backtests.start': async (f) => {
    const { offer, flow } = await f.decisionWorld();
    const range = { ...lastWeek(), maxDecisions: 1000, sampleShare: 0.5 };
    const how = { mode: 'chained', scope: 'flow', compareTo: 'recorded', maxNotEvaluableShare: 0.1, verify: true };
    const overlay = [{ kind: 'offers', key: offer.name, patch: { priority: 7 } }];
    return {
      params: { id: flow.id },
      body: { version: 'draft', ...range, ...how, overlay, limits: { mustKeep: [offer.id] } },
    };
  },
  'evaluations.start': async (f) => {
    const { offer, flow } = await f.decisionWorld();
    const range = { from: '2026-11-20', to: '2026-11-27T00:00:00Z', maxDecisions: 1000, rewardDays: 3 };
    const how = { clip: 50, confidence: 0.9, estimators: ['ips', 'dr'], maxNotEvaluableShare: 0.1 };
    const reward = { reward: 'weighted', outcomeWeights: { convert: 5, dismiss: -1 } };
    const overlay = [{ kind: 'offers', key: offer.name, patch: { priority: 7 } }];
    return { params: { id: flow.id }, body: { version: 'draft', ...range, ...how, ...reward, overlay } };
  },
  'backtests.get': async (f) => {
    const { id, flowId } = await aStudy(f);
    return { params: { id: idOf(flowId), jobId: id } };
  },
  'customers.reservations': async (f) => ({ params: { customerId: (await aClick(f)).customerId } }),
  'policyConflicts.analyze': async (f) => {
    const { offer, flow } = await f.decisionWorld();
    const change = { kind: 'offers', key: offer.name, patch: { priority: 7 } };
    return { body: { flowId: flow.id, version: 'published', overlay: [change], offerIds: [offer.id] } };
  },
  'decisionTests.draft': async (f) => ({
    params: { id: idOf((await aDecision(f)).recommendationId) },
    body: { copyValues: true },
  }),
  'decisionTests.run': async (f) => {
    const { offer, flow } = await f.decisionWorld();
    const made = await f.make('decision-tests', { ...(await f.draft('decision-tests')), decisionFlowId: flow.id });
    const overlay = [{ kind: 'offers', key: offer.name, patch: { priority: 7 } }];
    return { body: { flowId: flow.id, version: 'published', overlay, testIds: [made.id] } };
  },
  'offers.reach': async (f) => {
    const { offer, flow } = await f.decisionWorld();
    return { params: { id: offer.id }, query: { flowId: idOf(flow.key) } };
  },
  'customers.whyNot': async (f) => {
    const world = await f.decisionWorld();
    // The first decision with a plan stores it, even if the request is then refused.
    await f.decision(world);
    const { channel, otherOffer, flow } = world;
    const params = { customerId: `customer ${f.marker}`, offerId: otherOffer.id };
    // By name: an unknown one gives an empty result, as in recommend.
    return { params, query: { channelId: channel.id, placement: f.marker, flowId: idOf(flow.key), limit: '1' } };
  },
  'customers.whyNotWith': async (f) => {
    const { channel, placement, offer, otherOffer, flow } = await f.decisionWorld();
    return {
      params: { customerId: `customer ${f.marker}`, offerId: otherOffer.id },
      body: {
        channelId: channel.id,
        placements: [{ placementId: placement.id, limit: 1 }],
        deduplicate: true,
        context: { page: f.marker },
        segments: ['gold'],
        attributes: { color: f.marker },
        locale: 'fr-FR',
        currency: 'EUR',
        excludeOffers: [offer.id],
        decisionFlowKey: flow.key,
        now: '2030-01-01T00:00:00Z',
      },
    };
  },
  'decisionTraces.list': async (f) => {
    const { requestId, customerId } = await aTracedDecision(f);
    const about = { version: '1', source: 'recommend', explored: 'false', fate: 'selected', from: '2020-01-01' };
    const filters = { requestId: idOf(requestId), customerId: idOf(customerId), ...about, to: '2199-01-01' };
    return { query: { ...filters, limit: '5', offset: '0' } };
  },
  'decisionTraces.get': async (f) => {
    const { trace } = await aTracedDecision(f);
    return { params: { id: idOf((trace as { traceId: string }).traceId) } };
  },

  'events.stream': async () => ({
    query: { limit: '5', after: '0', topic: 'decision.made.v1,interaction.recorded.v1' },
  }),
  'users.list': async (f) => {
    await f.person('editor');
    await f.person('editor');
    return { query: { limit: '5', search: f.marker, role: 'editor', status: 'active' } };
  },
  'users.get': async (f) => ({ params: { id: await f.person() } }),

  'users.create': async (f) => ({ body: { ...(await f.newcomer()), role: 'editor' } }),
  'users.update': async (f) => ({ params: { id: await f.person() }, body: { name: f.name('Person'), role: 'editor' } }),
  'users.deactivate': async (f) => ({ params: { id: await f.person() } }),
  'users.reactivate': async (f) => {
    const id = await f.person();
    await f.must('DELETE', `users/${id}`, undefined, 204);
    return { params: { id } };
  },
  'users.listCredentials': async (f) => ({ params: { id: await f.credentialOwner() } }),
  'users.reassignCredentials': async (f) => ({
    params: { id: await f.credentialOwner() },
    body: { toUserId: await f.person('admin') },
  }),
  'users.unlock': async (f) => ({ params: { id: await f.lockedPerson() } }),
  'users.resendInvite': async (f) => ({
    params: { id: (await f.must('POST', 'users', await f.newcomer(), 201)).id },
  }),
  'users.resetMfa': async (f) => ({ params: { id: await f.secondFactor(await f.account()) } }),
  'users.readMe': async () => ({}),
  'users.updateMe': async (f) => ({
    body: {
      name: f.name('Person'),
      currentPassword: f.sessionAccount('viewer').password,
      newPassword: `Another ${f.sessionAccount('viewer').password}`,
    },
  }),

  'auth.register': async (f) => ({
    body: { ...(await f.newcomer()), password: 'Passw0rd of the matrix', tenantName: f.name('Tenant') },
  }),
  'auth.verify': async (f) => ({ query: { token: await f.link('verification') } }),
  'auth.resendVerification': async (f) => ({ body: { email: (await f.newcomer()).email } }),
  'auth.login': async (f) => ({ body: { ...(await f.account()), tenantId: f.tenant.id } }),
  'auth.logout': async (f) => ({ headers: { cookie: await f.signIn(await f.account()) } }),
  'auth.forgotPassword': async (f) => ({ body: { email: (await f.account()).email } }),
  'auth.resetPassword': async (f) => ({
    body: { token: await f.link('reset'), password: 'Passw0rd of the matrix' },
  }),
  'auth.acceptInvite': async (f) => ({
    body: { token: await f.link('invitation'), name: f.name('Person'), password: 'Passw0rd of the matrix' },
  }),
  'auth.tenants': async () => ({}),
  'auth.switchTenant': async (f) => {
    const { password } = f.sessionAccount('viewer');
    return { body: { tenantId: await f.otherTenant(), password } };
  },
  'auth.firstRun': async (f) => ({ query: { token: await f.link('sign_in') } }),
  'auth.mfa': async (f) => ({ body: { action: 'setup' }, headers: { cookie: await f.signIn(await f.account()) } }),
  'auth.session': async () => ({}),
  'google.signIn': async () => ({ query: { returnTo: '/offers' } }),
  'google.callback': async () => ({ query: { code: 'x', state: 'y' } }),
  'sso.get': async () => ({}),
  'sso.act': async () => ({ body: { action: 'configure', config: samlConfig } }),
  'sso.login': async (f) => {
    await f.must('POST', 'sso', { action: 'configure', config: samlConfig }, 200);
    return { query: { tenantId: f.tenant.id, returnTo: '/offers' } };
  },
  // Without an identity provider, the response is a failure.
  'sso.callback': async (f) => ({
    query: { code: 'x', state: `${f.tenant.id}:x` },
    headers: { accept: 'text/html' },
  }),
  'sso.receive': async (f) => {
    await f.must('POST', 'sso', { action: 'configure', config: samlConfig }, 200);
    const xml = await createSamlIdp().respond({
      acsUrl: 'http://localhost:3000/api/v1/sso/callback',
      audience: `http://localhost:3000/api/v1/sso/metadata?tenantId=${f.tenant.id}`,
      attributes: { email: `person-${f.marker}@example.com` },
    });
    return { body: { SAMLResponse: encoded(xml), RelayState: f.tenant.id } };
  },
  'sso.metadata': async (f) => ({ query: { tenantId: f.tenant.id } }),
  'adminSbom.get': async () => ({}),
  'cron.approvalsExpire': async () => ({}),
  'cron.auditAnchor': async () => ({}),
  'cron.cleanup': async () => ({}),
  'cron.exportInteractions': async () => ({}),
  'cron.reservationsExpire': async () => ({}),
  'cron.outboxReaper': async () => ({}),
  'cron.segmentsRefresh': async () => ({}),
  'maintenance.cleanup': async () => ({}),
  'metricsSummary.get': async () => ({}),
  'preferences.get': async () => ({}),
  'preferences.set': async () => ({ body: { theme: 'dark' } }),
  'system.health': async () => ({}),
  'system.ready': async () => ({}),
  'system.metrics': async () => ({}),
  'system.openapi': async () => ({}),
  'system.docs': async () => ({}),
  'system.errors': async () => ({}),
};

const samlConfig = {
  provider: 'saml',
  enabled: true,
  samlEntityId: 'https://idp.example/metadata',
  samlSsoUrl: 'https://idp.example/sso',
  samlCertificate: providerKeys.certificate,
  autoProvision: true,
};

/** A content item that another person submitted and, for `approved`, that we approved. */
async function contentIn(f: Fixtures, status: 'in_review' | 'approved'): Promise<string> {
  const { id } = await f.make('content');
  await f.must('POST', `content/${id}/submit`, undefined, 200, await f.otherPerson());
  if (status === 'approved') await f.must('POST', `content/${id}/approve`, undefined, 200);
  return id;
}

async function aFieldOf(f: Fixtures): Promise<string> {
  const { fields } = await f.make('schemas');
  return (fields as { id: string; name: string }[]).find(({ name }) => name === 'amount')!.id;
}

async function aKeyOf(f: Fixtures): Promise<string> {
  return (await f.must('POST', 'api-keys', { name: f.name('key'), scopes: ['read'] }, 201)).id;
}

/** A destination for messages: files stand in for mail here. */
const aDestinationOf = async (f: Fixtures): Promise<Made> =>
  f.must(
    'POST',
    'notifications/providers',
    { kind: 'ops_email', name: f.name('destination'), config: { toEmails: ['oncall@example.com'] } },
    201,
  );

/** A report template with every option. */
const reportDraft = async (f: Fixtures): Promise<Record<string, unknown>> => ({
  name: f.name('report'),
  description: `Made by ${f.marker}`,
  dataSources: [{ sourceKey: 'daily_trend', params: { days: 3 } }],
  sections: [{ id: 'days', title: f.name('section'), dataSourceIndex: 0, view: { chart: 'bar', width: 'half' } }],
  formats: ['html', 'csv'],
  narrative: { enabled: true, prompt: 'Look at the last day.' },
  filters: { destinations: [(await aDestinationOf(f)).id] },
  enabled: true,
});

const aReportOf = async (f: Fixtures): Promise<Made> =>
  f.must('POST', 'reports/templates', { name: f.name('report'), dataSources: [{ sourceKey: 'daily_trend' }] }, 201);

const aReportScheduleOf = async (f: Fixtures): Promise<Made> =>
  f.must(
    'POST',
    'reports/schedules',
    { templateId: (await aReportOf(f)).id, name: f.name('schedule'), cronExpression: '0 8 * * *' },
    201,
  );

/** A run with its files. */
async function aReportRunOf(f: Fixtures): Promise<{ readonly id: string; readonly templateId: string }> {
  const { id: templateId } = await aReportOf(f);
  const { runId } = await f.must('POST', `reports/templates/${templateId}/run-now`, {}, 202);
  return { id: idOf(runId), templateId };
}

/** A request that an editor can decide. */
const anApprovalOf = async (f: Fixtures): Promise<Made> =>
  f.must(
    'POST',
    'approvals',
    {
      entityType: 'offer',
      entityId: (await f.make('offers')).id,
      entityName: f.name('offer'),
      action: 'update',
      payload: { description: `Approved by ${f.marker}` },
      stages: [{ stageName: 'Peer', requiredRole: 'editor' }],
    },
    201,
  );

const aClientOf = (f: Fixtures) => f.must('POST', 'oauth/clients', { name: f.name('client'), scopes: ['read'] }, 201);

/**
 * A loaded dataset, with its policies paused: they would apply to every offer of the tenant, including those of later
 * examples.
 */
async function aDatasetOf(f: Fixtures): Promise<void> {
  const { currentlyLoaded } = await f.must('GET', 'seed-dataset', undefined, 200);
  if (currentlyLoaded !== 'coffee_rewards') {
    await f.must('POST', 'seed-dataset/coffee_rewards?force=true', undefined, 201);
  }
  const { data } = await f.must('GET', 'contact-policies?limit=100', undefined, 200);
  for (const { id } of data as { readonly id: string }[]) {
    await f.must('PUT', `contact-policies/${id}`, { status: 'paused' }, 200);
  }
}

/** A click on a decision. */
async function aClick(f: Fixtures) {
  const world = await f.decisionWorld();
  const { recommendationId } = await f.decision(world);
  await f.must('POST', 'respond', { recommendationId, rank: 1, outcome: 'click' }, 200);
  return { ...world, customerId: `customer ${f.marker}` };
}

async function aTracedDecision(f: Fixtures) {
  await f.must('PUT', 'tenant-settings', { decisionTraceEnabled: true }, 200);
  return aDecision(f);
}

/** Returns operations without an example, and examples without an operation. */
export function examplesAmiss(): { missing: string[]; unknown: string[] } {
  const ids = Object.keys(operations) as OperationId[];
  return {
    missing: ids.filter((id) => examples[id] === undefined),
    unknown: Object.keys(examples).filter((id) => !Object.hasOwn(operations, id)),
  };
}
