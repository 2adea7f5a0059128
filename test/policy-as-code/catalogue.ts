import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PolicyDrift, PolicyExport, PolicyFile, PolicyPlan, PolicyPlanBody } from '@arbiter/contract';
import { giveKeyTo } from '../../packages/server/src/features/identity/credentials/test-owner.ts';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';

export interface Made extends Record<string, unknown> {
  readonly id: string;
}

/** Returns the key of another person. A tenant's initial keys all belong to one person. */
export async function secondPerson(server: TestServer, tenant: TestTenant): Promise<string> {
  const body = { name: 'Second person', scopes: ['read', 'write', 'admin'] };
  const made = await server.call<Made & { key: string }>('POST', '/api/v1/api-keys', { body, key: tenant.keys.admin });
  assert.equal(made.status, 201, made.text);
  await giveKeyTo(server.testDatabase, { tenantId: tenant.id, keyId: made.body.id, person: randomUUID() });
  return made.body.key;
}

/** Returns a value for each secret that the files name. */
export function secretsOf(files: readonly PolicyFile[]): Record<string, string> {
  const names = files.flatMap(({ content }) =>
    [...content.matchAll(/\$secret: "?([^"\n]+)"?/g)].map(([, name]) => name!),
  );
  return Object.fromEntries(
    names.map((name) => [name, name.endsWith('/url') ? 'https://me:secret@bank.example/' : 'a secret']),
  );
}

/** Returns a tenant's calls under the names that the tests use. */
export function callsOf(server: TestServer, tenant: TestTenant, key = tenant.keys.admin) {
  const must = async <Body = Made>(method: string, path: string, body: unknown, status: number): Promise<Body> => {
    const answer = await server.call<Body>(method, `/api/v1/${path}`, { body, key });
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text.slice(0, 2000)}`);
    return answer.body;
  };
  return {
    must,
    make: (path: string, body: object) => must('POST', path, body, 201),
    change: (path: string, id: string, body: object) => must('PUT', `${path}/${id}`, body, 200),
    export: () => must<PolicyExport>('POST', 'gitops/export', {}, 200),
    diff: (body: PolicyPlanBody) => must<PolicyPlan>('POST', 'gitops/diff', body, 200),
    apply: (body: PolicyPlanBody) => must<PolicyPlan>('POST', 'gitops/apply', body, 200),
    drift: () => must<PolicyDrift>('GET', 'gitops/drift', undefined, 200),
    /** Returns the errors of refused files. */
    async refused(verb: 'diff' | 'apply', body: PolicyPlanBody) {
      const { errors } = await must<{ errors: { path: string; message: string; code?: string }[] }>(
        'POST',
        `gitops/${verb}`,
        body,
        400,
      );
      return errors;
    },
  };
}

export type Calls = ReturnType<typeof callsOf>;

/** Creates a catalogue that uses every property of every resource, with names that are hard to write. */
export async function makeCatalogue(
  { make, must, change }: Calls,
  second: Pick<Calls, 'must'>,
): Promise<Record<string, Made>> {
  const people = await make('schemas', {
    name: 'people',
    displayName: 'People',
    description: 'Those: who buy # much',
    entityType: 'customer',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      { name: 'customer_id', dataType: 'varchar', length: 64, isPrimaryKey: true },
      { name: 'Age', displayName: 'Age in years', dataType: 'smallint', isPredictor: true, defaultValue: 18 },
      { name: 'any_length', dataType: 'varchar' },
      { name: 'money', dataType: 'numeric', precision: 12, scale: 2, isNullable: false, defaultValue: '0.00' },
      { name: 'mail', dataType: 'text', isUnique: true, neverStore: true, description: 'Where they read' },
      { name: 'seen', dataType: 'timestamptz', defaultValue: 'now()' },
      { name: 'extra', dataType: 'jsonb', defaultValue: '{"a":[1]}' },
      { name: 'vip', dataType: 'boolean', defaultValue: false },
    ],
  });
  const visits = await make('schemas', {
    name: 'visits',
    displayName: 'visits',
    entityType: 'account',
    schemaType: 'event',
    linkedSchemaId: people.id,
    joinMapping: { parentField: 'customer_id', childField: 'client', joinType: 'left' },
    fields: [
      { name: 'visit', dataType: 'uuid', isPrimaryKey: true, defaultValue: 'gen_random_uuid()' },
      { name: 'client', dataType: 'text' },
    ],
  });
  await make('schemas', { name: 'bare', displayName: 'Bare' });
  await make('schema-joins', {
    name: 'Visits & people',
    primarySchemaId: people.id,
    primaryKey: 'customer_id',
    foreignSchemaId: visits.id,
    foreignKey: 'client',
    joinType: 'inner',
    autoEnrich: false,
    prefix: 'v_',
    summaryColumns: ['client'],
    status: 'inactive',
  });
  const grown = await make('segments', {
    name: 'Grown up',
    description: 'With a visit',
    status: 'active',
    baseSchemaId: people.id,
    joins: [
      {
        alias: 'seen',
        schemaId: visits.id,
        baseField: 'customer_id',
        joinField: 'client',
        match: 'none',
        joinType: 'left',
      },
    ],
    filters: {
      logic: 'or',
      conditions: [
        { field: 'Age', operator: 'gte', value: 18 },
        { field: 'vip', operator: 'eq', value: true },
      ],
    },
  });
  await make('segments', { name: 'nobody', status: 'draft', baseSchemaId: people.id });
  const cards = await make('categories', {
    name: 'Cards & more: "plastic"',
    description: 'line one\nline two\ttab',
    icon: '💳',
    color: '#ff0000',
    status: 'inactive',
    ordinal: 3,
    customFields: [
      { key: 'fee', label: 'Fee', type: 'number', defaultValue: 1.5, required: true },
      { key: 'tier', type: 'select', options: ['yes', '~', '12'], defaultValue: '12' },
      { key: 'cost', type: 'computed', formula: 'fee * 2', outputType: 'number' },
    ],
  });
  const plain = await make('categories', { name: 'cards & more: "plastic"' });
  const gold = await make('sub-categories', {
    name: 'Gold',
    categoryId: cards.id,
    customFields: [{ key: 'metal', type: 'text' }],
  });
  await make('sub-categories', { name: 'Gold', categoryId: plain.id });
  const web = await make('channels', {
    name: 'Web',
    key: 'web',
    channelType: 'web',
    description: 'null',
    status: 'active',
    deliveryMode: 'integration',
    impressionMode: 'explicit',
    couplingMode: 'atomic',
    providerConfig: {
      provider: 'webhook',
      url: 'https://example.com/hook',
      from: 'me',
      secret: 'signs',
      headers: { Authorization: 'Bearer x', 'X-Team': 'y' },
    },
    fileConfig: { format: 'ndjson', columns: ['customerId', 'offerId'], includePersonalization: true },
    addressAttribute: 'customer.mail',
    timezone: 'Europe/Paris',
    placements: [
      {
        name: 'Top',
        key: 'top',
        slotType: 'modal',
        maxSlots: 5,
        schema: { requiredFields: ['headline'], maxLength: { headline: 80 } },
        targeting: { field: 'attributes.page', operator: 'neq', value: 'never' },
        status: 'inactive',
      },
      { name: 'Low', key: 'low_2' },
    ],
  });
  const mail = await make('channels', { name: 'Mail', key: 'mail', channelType: 'email', status: 'active' });
  await make('placements', { name: 'Top', key: 'top', channelId: mail.id });
  const placements = web.placements as readonly Made[];
  const top = placements.find(({ key }) => key === 'top')!;
  const low = placements.find(({ key }) => key === 'low_2')!;
  await make('outcome-types', {
    key: 'signed_up',
    name: 'Signed up',
    description: 'Yes',
    classification: 'positive',
    category: 'response',
    isConversion: true,
    ordinal: 7,
    status: 'inactive',
  });
  await make('ranking-profiles', { name: 'Balanced', description: 'Both', weights: { margin: 0.1, propensity: 1 } });
  const offer = await make('offers', {
    name: '__proto__',
    status: 'active',
    categoryId: cards.id,
    subCategoryId: gold.id,
    category: 'label',
    group: 'group',
    priority: 70,
    businessValue: 60.25,
    emergencyExcluded: true,
    description: 'Long',
    shortDesc: 'Short',
    eligibility: {
      propensityThreshold: 0.25,
      requiredSegments: ['Grown up'],
      excludedSegments: ['nobody'],
      conditions: { all: [{ field: 'customer.Age', operator: 'gte', value: 18 }] },
    },
    schedule: {
      startDate: '2020-01-01',
      endDate: '2099-12-31T10:00:00+02:00',
      daysOfWeek: [1, 5],
      startHour: 8,
      endHour: null,
      timezone: 'Asia/Tokyo',
    },
    frequencyCaps: { perCustomer: { daily: 2, weekly: 5, monthly: null, total: 40 } },
    metadata: { customFields: { fee: 3, tier: 'yes' }, offerId: 'Gold card', n: 1e-7 },
    tags: ['yes', '2026-01-01', 'ünï', ' # '],
    productType: 'card',
    margin: -1.5,
    revenueValue: 20,
  });
  const other = await make('offers', { name: 'PROTO' });
  const { letter, frame } = await makeContent({ make, must, change }, second);
  const banner = await make('creatives', {
    name: '0x1F',
    offerId: offer.id,
    channelId: web.id,
    placementId: top.id,
    status: 'paused',
    templateType: 'banner',
    content: { headline: 'Hello {first}', body: 'a\r\nb\u2028c', list: [[], {}, [[1]]] },
    personalization: [{ variable: 'first', source: 'customer.first_name', fallback: 'there' }],
    constraints: { frequencyCapPerDay: 5, cooldownHours: 0, priorityOverride: 60 },
    abTestVariant: 'A',
    weight: 50,
  });
  await make('creatives', { name: 'Second', offerId: other.id, channelId: mail.id, contentItemId: letter.id });
  const rule = await make('qualification-rules', {
    name: 'Rich',
    description: 'Enough',
    status: 'paused',
    ruleType: 'attribute_condition',
    config: { attribute: 'money', operator: '>=', value: 500, remark: 'kept' },
    scopes: [
      { scope: 'category', scopeId: cards.id },
      { scope: 'subcategory', scopeId: gold.id },
      { scope: 'placement', scopeId: low.id },
      { scope: 'channel', scopeId: web.id },
      { scope: 'creative', scopeId: banner.id },
    ],
    priority: 10,
    stage: 'applicability',
  });
  await make('qualification-rules', {
    name: 'Everywhere',
    ruleType: 'offer_attribute',
    config: { attribute: 'priority', operator: 'gte', value: 1 },
  });
  const cap = await make('contact-policies', {
    name: 'Cap',
    description: 'Not too often',
    status: 'draft',
    scopes: [
      { scope: 'offer', scopeId: offer.id },
      { scope: 'subcategory', scopeId: gold.id },
    ],
    ruleType: 'frequency_cap',
    config: { maxPerDay: 3, unknownKey: [{ offerId: other.id }] },
    priority: 40,
  });
  await make('contact-policies', {
    name: 'Once',
    scope: 'global',
    ruleType: 'cooldown',
    config: { cooldownHours: 24 },
  });
  await make('contact-policies', {
    name: 'Not those',
    scope: 'global',
    ruleType: 'segment_exclusion',
    config: { excludeSegments: ['nobody', grown.id] },
  });
  await make('qualification-rules', {
    name: 'Of the segment',
    ruleType: 'segment_required',
    config: { requiredSegments: [grown.id] },
    scopes: [{ scope: 'offer', scopeId: offer.id }],
  });
  const node = (id: string, config: object, type = id) => ({ id, type, config });
  const draftConfig = {
    version: 2,
    nodes: [
      node('inventory', { scope: 'category', categoryIds: [cards.id, plain.id] }),
      node('enrich', { sources: [{ schemaId: people.id }] }),
      node('match_creatives', { channelIds: [web.id] }),
      node('qualify', { mode: 'selected', ruleIds: [rule.id] }),
      node('contact_policy', { mode: 'selected', policyIds: [cap.id] }),
      node('score', { method: 'priority_weighted' }),
      node('rank', { method: 'topN', topN: 3 }),
      {
        id: 'ask',
        type: 'extension_point',
        enabled: false,
        config: {
          hook: 'post_rank',
          kind: 'webhook',
          url: 'https://me:secret@bank.example/hook',
          headers: { Authorization: 'Bearer flow', 'X-Other': 'z' },
        },
      },
      node('response', { responseFormat: 'standard' }),
    ],
    flowConfig: { explore: { rate: 0.05, channels: [web.id] }, defaultLimit: 5 },
  };
  const flow = await make('decision-flows', {
    key: 'Next Best',
    name: 'Next best',
    description: 'The main one',
    autoAssembly: false,
    couplingOverride: 'atomic',
    isDefault: true,
    draftConfig: await acceptable(must, draftConfig),
  });
  await must('POST', 'decision-flows/publish', { id: flow.id, notes: 'first' }, 200);
  const nodes = draftConfig.nodes.filter(({ id }) => id !== 'enrich');
  await change('decision-flows', flow.id, { draftConfig: { ...draftConfig, nodes }, status: 'paused' });
  await make('decision-flows', { key: 'draft', name: 'Draft', draftConfig: { ...draftConfig, nodes } });
  await make('decision-flows', { key: 'empty', name: 'Empty' });
  const done = await make('decision-flows', { key: 'done', name: 'Done', draftConfig: { ...draftConfig, nodes } });
  await must('POST', 'decision-flows/publish', { id: done.id }, 200);
  await change('decision-flows', done.id, { isProtected: false });
  await make('decision-tests', {
    decisionFlowId: flow.id,
    name: 'Gold: "yes"',
    description: 'All of it',
    given: {
      now: '2026-12-01T12:00:00+01:00',
      customer: { Age: 17, first_name: 'no' },
      attributes: { page: ['a', { b: null }] },
      segments: ['Grown up'],
      contacts: [{ offer: 'PROTO', channel: 'web', at: '2026-11-30T08:00:00Z', outcome: 'signed_up' }],
      evidence: { offers: { PROTO: [3, 4] }, total: [10, 20] },
      request: { placements: [{ placement: 'top', channel: 'mail', limit: 2 }], context: { n: 1 }, locale: 'fr' },
      seed: 7,
    },
    expect: {
      includes: ['PROTO'],
      excludes: [{ offer: '__proto__', by: 'Rich' }],
      first: 'PROTO',
      count: 1,
      probability: { PROTO: [0.5, 1] },
    },
  });
  await make('decision-tests', {
    decisionFlowId: flow.id,
    name: 'nothing',
    given: { now: '2026-12-01T12:00:00Z' },
    expect: { emptyReason: 'no_channel' },
  });
  await make('flow-routes', { decisionFlowId: flow.id });
  await make('flow-routes', { channelId: web.id, decisionFlowId: done.id, priority: 3 });
  await make('flow-routes', { placementId: top.id, decisionFlowId: done.id, priority: 4 });
  await must(
    'PUT',
    'tenant-settings',
    {
      timezone: 'Europe/Paris',
      recordReads: { segments: [grown.id] },
      maxOffersPerDecision: 20,
      aiAnalyzerSettings: { llmExplanationsEnabled: true },
    },
    200,
  );
  return { people, cards, gold, web, mail, top, offer, other, banner, rule, cap, flow, done, letter, frame };
}

/** Creates content in every state: published, changed since, in review, never submitted, archived, below a template. */
async function makeContent(
  { make, must, change }: Pick<Calls, 'make' | 'must' | 'change'>,
  second: Pick<Calls, 'must'>,
) {
  const publish = async ({ id }: Made) => {
    await must('POST', `content/${id}/submit`, undefined, 200);
    await second.must('POST', `content/${id}/approve`, undefined, 200);
    await must('POST', `content/${id}/publish`, undefined, 200);
  };
  const frame = await make('content', {
    name: 'Frame',
    channelType: 'email',
    isTemplate: true,
    content: { subject: 'Hello', footer: 'Bye' },
    blocks: [
      { id: 'head', type: 'heading', props: { text: 'Bank', level: 1 } },
      {
        id: 'both',
        type: 'columns',
        props: { widths: [50, 50] },
        children: [
          { id: 'left', type: 'column', children: [{ id: 'one', type: 'text', props: { text: 'one' } }] },
          { id: 'right', type: 'column', children: [] },
        ],
      },
    ],
    personalization: { first: { source: 'customer.first_name', fallback: 'you' } },
  });
  await publish(frame);
  const letter = await make('content', {
    name: 'A letter: of "many" lines',
    description: 'Sent once',
    channelType: 'email',
    parentTemplateId: frame.id,
    content: { subject: 'Dear {first}', footer: null },
    blocks: [{ id: 'head', type: 'heading', props: null }],
    personalization: { first: null },
  });
  await publish(letter);
  await change('content', letter.id, { content: { subject: 'Dear {{first|friend}}' }, changeNote: 'nicer' });
  const described = await make('content', { name: 'described', channelType: 'web', content: { headline: 'Hi' } });
  await publish(described);
  await change('content', described.id, { description: 'the same parts' });
  const waiting = await make('content', { name: 'waiting', channelType: 'web' });
  await must('POST', `content/${waiting.id}/submit`, undefined, 200);
  await make('content', { name: 'draft', channelType: 'web', blocks: [{ id: 'line', type: 'divider' }] });
  const gone = await make('content', { name: 'gone', channelType: 'web' });
  await must('DELETE', `content/${gone.id}`, undefined, 204);
  return { frame, letter };
}

/** Returns the form of enrich that the server accepts. */
async function acceptable(must: Calls['must'], draftConfig: { nodes: { id: string; config: object }[] }) {
  const enrich = draftConfig.nodes.find(({ id }) => id === 'enrich')!;
  const { errors } = await must<{ errors: { path: string; message: string }[] }>(
    'POST',
    'decision-flows/validate',
    { draftConfig },
    200,
  );
  assert.deepEqual(errors, [], JSON.stringify(enrich));
  return draftConfig;
}

/** Returns the text of one file. */
export function contentOf(files: readonly PolicyFile[], path: string): string {
  const file = files.find((one) => one.path === path);
  assert.ok(file, `no ${path} in ${files.map((one) => one.path).join(', ')}`);
  return file.content;
}

/** Returns the files with one text replaced. */
export function edited(files: readonly PolicyFile[], path: string, from: string | RegExp, to: string): PolicyFile[] {
  const content = contentOf(files, path).replace(from, to);
  assert.notEqual(content, contentOf(files, path), `${String(from)} is not in ${path}`);
  return files.map((file) => (file.path === path ? { path, content } : file));
}
