import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';

/** A record as the API answered it. */
export interface Made extends Record<string, unknown> {
  readonly id: string;
}

type Body = Record<string, unknown>;

/** Makes records of one tenant through the API, and the bodies that would make them. */
export interface Fixtures {
  readonly tenant: TestTenant;
  /** A word that is in every name and text of this tenant and nowhere else. */
  readonly marker: string;
  /** A new name: the word given, a number, the marker. */
  name(word: string): string;
  /** Calls an operation as the tenant's admin and wants this status. */
  must(method: string, path: string, body: unknown, status: number): Promise<Made>;
  /** A body that creates a record, with every property that the product takes today. */
  draft(resource: Resource): Promise<Body>;
  /** Makes a record. */
  make(resource: Resource, changes?: Body): Promise<Made>;
  /** A published flow over one offer that can be shown. */
  decisionWorld(): Promise<DecisionWorld>;
  /** A decision for a customer of that world, as recommend answered it. */
  decision(world: DecisionWorld, body?: Body): Promise<Made>;
}

export interface DecisionWorld {
  readonly category: Made;
  readonly channel: Made;
  readonly placement: Made;
  readonly offer: Made;
  readonly otherOffer: Made;
  readonly creative: Made;
  readonly flow: Made;
}

/** Last part of the path of a catalogue resource. */
export type Resource =
  | 'categories'
  | 'sub-categories'
  | 'channels'
  | 'placements'
  | 'outcome-types'
  | 'schemas'
  | 'offers'
  | 'creatives'
  | 'qualification-rules'
  | 'contact-policies'
  | 'decision-flows';

const drafts: Readonly<Record<Resource, (fixtures: Fixtures) => Promise<Body>>> = {
  categories: async ({ name, marker }) => ({
    name: name('Category'),
    description: `All of ${marker}`,
    icon: 'star',
    color: 'green',
    status: 'active',
    ordinal: 3,
    customFields: [
      { key: 'size', label: 'Size', type: 'select', options: ['s', 'm'], defaultValue: 'm', required: false },
      { key: 'note', label: 'Note', type: 'text', defaultValue: marker },
      { key: 'twice', label: 'Twice', type: 'computed', formula: '2 * 2', outputType: 'number' },
    ],
  }),
  'sub-categories': async ({ name, marker, make }) => ({
    categoryId: (await make('categories')).id,
    name: name('Sub'),
    description: `Some of ${marker}`,
    icon: 'dot',
    color: 'red',
    status: 'active',
    ordinal: 1,
    customFields: [{ key: 'grade', label: 'Grade', type: 'text', defaultValue: 'a' }],
  }),
  channels: async ({ name, marker }) => ({
    name: name('Channel'),
    key: key('channel'),
    channelType: 'email',
    description: `Mail of ${marker}`,
    status: 'active',
    deliveryMode: 'api',
    impressionMode: 'implicit',
    couplingMode: 'partial',
    providerConfig: { provider: 'smtp', from: 'offers@example.com', url: 'https://example.com/hook' },
    fileConfig: { separator: ';' },
    timezone: 'Europe/Paris',
  }),
  placements: async ({ name, marker, make }) => ({
    channelId: (await make('channels')).id,
    name: name('Placement'),
    key: key('placement'),
    description: `Top of ${marker}`,
    slotType: 'card',
    maxSlots: 3,
    schema: { requiredFields: ['subject'], maxLength: { subject: 200 } },
    targeting: { field: 'attributes.page', operator: 'neq', value: 'never' },
    status: 'active',
  }),
  'outcome-types': async ({ name, marker }) => ({
    key: key('outcome').replaceAll('-', '_'),
    name: name('Outcome'),
    description: `Seen by ${marker}`,
    classification: 'positive',
    category: 'response',
    isConversion: true,
    ordinal: 9,
    status: 'active',
  }),
  schemas: async ({ name, marker, make }) => ({
    name: key('visits').replaceAll('-', '_'),
    displayName: name('Visits'),
    description: `Visits of ${marker}`,
    entityType: 'custom',
    schemaType: 'event',
    linkedSchemaId: (await make('schemas', customerSchema(name('People')))).id,
    joinMapping: { parentField: 'customer_id', childField: 'client', joinType: 'left' },
    summaryColumns: [],
    autoEnrich: false,
    fields: [
      {
        name: 'visit_id',
        displayName: 'Visit',
        dataType: 'varchar',
        length: 40,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'client', displayName: 'Client', dataType: 'text', description: `Client of ${marker}` },
      { name: 'amount', displayName: 'Amount', dataType: 'numeric', precision: 12, scale: 2, defaultValue: '0' },
    ],
  }),
  offers: async ({ name, marker, make }) => {
    const subCategory = await make('sub-categories');
    return {
      name: name('Offer'),
      status: 'active',
      categoryId: subCategory.categoryId,
      subCategoryId: subCategory.id,
      category: `label ${marker}`,
      group: `group ${marker}`,
      priority: 70,
      businessValue: 60.5,
      emergencyExcluded: false,
      description: `Long text of ${marker}`,
      shortDesc: `Short text of ${marker}`,
      eligibility: {
        excludedSegments: ['nobody'],
        conditions: { field: 'attributes.page', operator: 'neq', value: 'never' },
      },
      schedule: { startDate: '2020-01-01', endDate: '2099-12-31', startHour: 0, endHour: 24, timezone: 'Europe/Paris' },
      metadata: { campaign: marker, deep: { list: [1, 'two'] } },
      tags: ['tag', marker],
      productType: 'card',
      margin: 1.5,
      revenueValue: 20,
    };
  },
  creatives: async ({ name, marker, make }) => {
    const placement = await make('placements');
    return {
      name: name('Creative'),
      offerId: (await make('offers')).id,
      channelId: placement.channelId,
      placementId: placement.id,
      status: 'active',
      templateType: 'email_html',
      content: { subject: 'Hello {first}', body: `Text of ${marker}` },
      personalization: [{ variable: 'first', source: 'customer.first_name', fallback: marker }],
      constraints: { frequencyCapPerDay: 5, cooldownHours: 0, priorityOverride: 60 },
      abTestVariant: 'A',
      weight: 50,
    };
  },
  'qualification-rules': async ({ name, marker, make }) => ({
    name: name('Rule'),
    description: `Rule of ${marker}`,
    status: 'active',
    ruleType: 'attribute_condition',
    config: { attribute: 'balance', operator: 'gte', value: 500 },
    scope: 'offer',
    scopeId: (await make('offers')).id,
    priority: 40,
    stage: 'eligibility',
  }),
  'contact-policies': async ({ name, marker, make }) => ({
    name: name('Policy'),
    description: `Policy of ${marker}`,
    status: 'active',
    scope: 'offer',
    scopeId: (await make('offers')).id,
    ruleType: 'frequency_cap',
    config: { maxPerDay: 3 },
    priority: 40,
  }),
  'decision-flows': async ({ name, marker, make }) => ({
    key: name('flow'),
    name: name('Flow'),
    description: `Flow of ${marker}`,
    status: 'active',
    autoAssembly: false,
    couplingOverride: 'partial',
    draftConfig: flowConfig((await make('categories')).id),
  }),
};

let counter = 0;
const key = (word: string) => `${word}-${++counter}`;

function customerSchema(displayName: string): Body {
  return {
    name: key('people').replaceAll('-', '_'),
    displayName,
    schemaType: 'customer',
    linkedSchemaId: null,
    joinMapping: null,
    summaryColumns: null,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 64,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'first_name', displayName: 'First name', dataType: 'text' },
    ],
  };
}

/** A flow config that runs: everything of one category, by priority. */
export function flowConfig(categoryId: string): Body {
  return {
    version: 2,
    nodes: [
      { id: 'inventory', type: 'inventory', config: { scope: 'category', categoryIds: [categoryId] } },
      { id: 'creatives', type: 'match_creatives', config: {} },
      { id: 'qualify', type: 'qualify', config: {} },
      { id: 'policy', type: 'contact_policy', config: {} },
      { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
      { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
      { id: 'response', type: 'response', config: {} },
    ],
    flowConfig: {},
  };
}

export function createFixtures(server: TestServer, tenant: TestTenant): Fixtures {
  const marker = `mark${tenant.id.replaceAll('-', '').slice(-10)}`;
  const fixtures: Fixtures = {
    tenant,
    marker,
    name: (word) => `${word} ${++counter} ${marker}`,
    async must(method, path, body, status) {
      const answer = await server.call<Made>(method, `/api/v1/${path}`, { body, key: tenant.keys.admin });
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
      return answer.body;
    },
    draft: (resource) => drafts[resource](fixtures),
    async make(resource, changes) {
      return fixtures.must('POST', resource, changes ?? (await drafts[resource](fixtures)), 201);
    },
    async decisionWorld() {
      const category = await fixtures.make('categories');
      const placement = await fixtures.make('placements', { ...(await fixtures.draft('placements')), targeting: null });
      const channel = await fixtures.must('GET', `channels/${String(placement.channelId)}`, undefined, 200);
      const offerOf = () =>
        fixtures.must(
          'POST',
          'offers',
          { name: fixtures.name('Offer'), status: 'active', categoryId: category.id, shortDesc: fixtures.marker },
          201,
        );
      const [offer, otherOffer] = [await offerOf(), await offerOf()];
      const creative = await fixtures.must(
        'POST',
        'creatives',
        {
          name: fixtures.name('Creative'),
          offerId: offer.id,
          channelId: channel.id,
          placementId: placement.id,
          status: 'active',
          content: { subject: `For you, ${fixtures.marker}` },
        },
        201,
      );
      const flow = await fixtures.must(
        'POST',
        'decision-flows',
        { key: fixtures.name('flow'), name: fixtures.name('Flow'), draftConfig: flowConfig(category.id) },
        201,
      );
      await fixtures.must('POST', 'decision-flows/publish', { id: flow.id, notes: fixtures.marker }, 200);
      return { category, channel, placement, offer, otherOffer, creative, flow };
    },
    async decision({ channel, flow }, body = {}) {
      const answer = await fixtures.must(
        'POST',
        'recommend',
        { customerId: `customer ${fixtures.marker}`, channelId: channel.id, decisionFlowKey: flow.key, ...body },
        200,
      );
      assert.equal(answer.count, 1, JSON.stringify(answer));
      return answer;
    },
  };
  return fixtures;
}

/** An id that is well formed and exists nowhere. */
export const randomId = (): string => `0199${randomUUID().slice(4, 14)}7${randomUUID().slice(15)}`;
