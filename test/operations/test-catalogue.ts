import assert from 'node:assert/strict';
import type { TestServer } from '../../packages/server/src/main/test-server.ts';

/** Ids of one live record of each resource, by the resource's part of the operation ids. */
export type CatalogueIds = Readonly<Record<string, string>>;

interface Step {
  readonly resource: string;
  readonly path: string;
  /** Body of the create, from the ids made before and a suffix that keeps names apart. */
  readonly body: (ids: CatalogueIds, suffix: string) => Record<string, unknown>;
}

/** A create for each resource, in the order in which they need each other. */
export const creates: readonly Step[] = [
  {
    resource: 'schemas',
    path: 'schemas',
    body: (_ids, suffix) => ({
      name: `customers_${suffix}`,
      displayName: `Customers ${suffix}`,
      entityType: 'customer',
      fields: [
        { name: 'customer_id', displayName: 'Customer', dataType: 'varchar', isPrimaryKey: true },
        { name: 'balance', displayName: 'Balance', dataType: 'integer' },
      ],
    }),
  },
  { resource: 'categories', path: 'categories', body: (_ids, suffix) => ({ name: `Category ${suffix}` }) },
  {
    resource: 'subCategories',
    path: 'sub-categories',
    body: (ids, suffix) => ({ name: `Sub-category ${suffix}`, categoryId: ids.categories }),
  },
  {
    resource: 'channels',
    path: 'channels',
    body: (_ids, suffix) => ({ name: `Channel ${suffix}`, channelType: 'email' }),
  },
  {
    resource: 'placements',
    path: 'placements',
    body: (ids, suffix) => ({ name: `Placement ${suffix}`, key: `placement_${suffix}`, channelId: ids.channels }),
  },
  {
    resource: 'outcomeTypes',
    path: 'outcome-types',
    body: (_ids, suffix) => ({ name: `Outcome ${suffix}`, key: `outcome_${suffix}`, classification: 'positive' }),
  },
  {
    resource: 'offers',
    path: 'offers',
    body: (ids, suffix) => ({ name: `Offer ${suffix}`, status: 'active', categoryId: ids.categories }),
  },
  {
    resource: 'creatives',
    path: 'creatives',
    body: (ids, suffix) => ({
      name: `Creative ${suffix}`,
      offerId: ids.offers,
      channelId: ids.channels,
      status: 'active',
      templateType: 'call_script',
      content: { subject: 'x' },
    }),
  },
  {
    resource: 'qualificationRules',
    path: 'qualification-rules',
    body: (ids, suffix) => ({
      name: `Rule ${suffix}`,
      ruleType: 'attribute_condition',
      scope: 'offer',
      scopeId: ids.offers,
      stage: 'eligibility',
      status: 'active',
      config: { attribute: 'balance', operator: 'gte', value: 500 },
    }),
  },
  {
    resource: 'contactPolicies',
    path: 'contact-policies',
    body: (_ids, suffix) => ({
      name: `Cap ${suffix}`,
      ruleType: 'frequency_cap',
      scope: 'global',
      config: { maxPerDay: 3 },
    }),
  },
  {
    resource: 'decisionFlows',
    path: 'decision-flows',
    body: (ids, suffix) => ({
      key: `flow-${suffix}`,
      name: `Flow ${suffix}`,
      draftConfig: {
        version: 2,
        nodes: [
          { id: 'inventory', type: 'inventory', config: { scope: 'category', categoryIds: [ids.categories] } },
          { id: 'creatives', type: 'match_creatives', config: {} },
          { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
          { id: 'response', type: 'response', config: {} },
        ],
        flowConfig: {},
      },
    }),
  },
  { resource: 'apiKeys', path: 'api-keys', body: (_ids, suffix) => ({ name: `key ${suffix}` }) },
];

/** Makes one record of each resource through the API. */
export async function makeCatalogue(server: TestServer, key: string, suffix: string): Promise<CatalogueIds> {
  const ids: Record<string, string> = {};
  for (const { resource, path, body } of creates) {
    const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { key, body: body(ids, suffix) });
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    ids[resource] = answer.body.id;
  }
  return ids;
}
