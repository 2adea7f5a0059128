import assert from 'node:assert/strict';
import type { TestServer } from '../../../packages/server/src/main/test-server.ts';
import { addDataAndContent, addGates } from './world-more.ts';
import { addRuntime } from './world-runtime.ts';

export type Body = Record<string, unknown>;
export type Made = Body & { readonly id: string };

/** What the fixture's decisions refer to. */
export interface UpgradeWorld {
  readonly email: string;
  readonly web: string;
  readonly phone: string;
  readonly hero: string;
  readonly side: string;
  readonly inbox: string;
  readonly offers: readonly string[];
  readonly creatives: readonly string[];
  readonly flows: readonly string[];
  /** Gives a model of the flows another state, which later decisions refer to. */
  readonly teach: (round: number) => Promise<void>;
}

/**
 * Creates a tenant's catalogue through the API with everything a plan can hold: flows of each rank and score method,
 * every rule and policy type, enrichment, computed and custom fields, implicit and explicit channels, a coupled
 * channel, schedules, gates, mandatory offers, and values that are never stored. `hookUrl`: where a webhook is
 * answered.
 */
export async function buildWorld(server: TestServer, hookUrl: string): Promise<UpgradeWorld> {
  async function must(method: string, path: string, body: unknown, status: number): Promise<Made> {
    const answer = await server.call<Made>(method, `/api/v1/${path}`, { body });
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer.body;
  }
  const make = async (path: string, body: Body): Promise<string> => (await must('POST', path, body, 201)).id;
  const settings = { timezone: 'Europe/Berlin', currency: 'EUR', locale: 'de-DE', holdoutPercentage: 8 };
  const kept = { neverStore: ['secret'], decisionTraceEnabled: true, decisionTraceSampleRate: 0.06 };
  await must('PUT', 'tenant-settings', { ...settings, ...kept, mandatoryDailyCap: 2 }, 200);

  const column = (name: string, dataType: string, more: Body = {}) => ({ name, dataType, ...more });
  const people = await make('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      column('customer_id', 'varchar', { length: 32, isPrimaryKey: true, isNullable: false }),
      column('age', 'integer'),
      column('job', 'varchar', { length: 32 }),
      column('account_id', 'varchar', { length: 32 }),
      column('preferred_channel', 'varchar', { length: 32 }),
      column('interests', 'jsonb'),
      column('balance', 'numeric', { precision: 12, scale: 2 }),
      column('joined', 'date'),
      column('zone', 'varchar', { length: 40 }),
      column('diagnosis', 'varchar', { length: 32, neverStore: true }),
    ],
  });
  await must('PUT', 'tenant-settings', { recordReads: { customer: ['joined'], segments: [] } }, 200);
  const accounts = await make('schemas', {
    name: 'accounts',
    displayName: 'Accounts',
    schemaType: 'account',
    fields: [
      column('key', 'varchar', { isPrimaryKey: true, isNullable: false }),
      column('tier', 'varchar'),
      column('limit_eur', 'integer'),
    ],
  });
  const rows = Array.from({ length: 40 }, (_, at) => ({
    customer_id: `C${at}`,
    age: 18 + at,
    job: ['baker', 'nurse', 'Lokführer'][at % 3],
    account_id: at % 4 === 0 ? null : `A${at % 6}`,
    preferred_channel: at % 5 === 0 ? 'email' : null,
    interests: at % 2 === 0 ? ['card', 'travel'] : [],
    balance: `${at * 137}.${at % 10}5`,
    joined: `20${10 + (at % 15)}-0${1 + (at % 9)}-1${at % 10}`,
    zone: [null, 'America/New_York', 'Nowhere/Else'][at % 3],
    diagnosis: at >= 36 ? 'flu' : null,
  }));
  await must('POST', `schemas/${people}/data`, { rows }, 201);
  const tiers = ['gold', 'silver', 'basic'].flatMap((tier, at) => [
    { key: `A${at}`, tier, limit_eur: 1000 * (at + 1) },
    { key: `A${at + 3}`, tier, limit_eur: null },
  ]);
  await must('POST', `schemas/${accounts}/data`, { rows: tiers.slice(0, 5) }, 201);

  const cards = await make('categories', {
    name: 'Cards',
    customFields: [
      { key: 'yearly_fee', type: 'number', defaultValue: 12 },
      { key: 'perk', type: 'text' },
      {
        key: 'yearly_gain',
        type: 'computed',
        formula: 'round(coalesce(customer.balance, 0) * 0.015 - yearly_fee, 2)',
        outputType: 'number',
      },
    ],
  });
  const loans = await make('categories', { name: 'Loans' });
  const goldCards = await make('sub-categories', { name: 'Gold cards', categoryId: cards });

  const email = await make('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
  const web = await make('channels', { name: 'Web', channelType: 'web', couplingMode: 'atomic' });
  const phone = await make('channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' });
  const hero = await make('placements', { name: 'Hero', channelId: web, slotType: 'banner', maxSlots: 1 });
  const side = await make('placements', {
    name: 'Side',
    channelId: web,
    slotType: 'card',
    maxSlots: 2,
    targeting: { field: 'attributes.page', operator: 'neq', value: 'checkout' },
  });
  const inbox = await make('placements', { name: 'Inbox', channelId: email, slotType: 'list', maxSlots: 3 });

  const more = await addDataAndContent(make, must, server, people);

  const offers: string[] = [];
  const creatives: string[] = [];
  for (let at = 0; at < 14; at++) {
    const isCard = at % 3 !== 2;
    const offer = await make('offers', {
      name: `Offer ${at}`,
      status: 'active',
      categoryId: isCard ? cards : loans,
      subCategoryId: isCard && at % 4 === 0 ? goldCards : null,
      priority: 90 - at * 5,
      businessValue: (at * 37) % 101,
      shortDesc: `Short text ${at} – größer`,
      margin: at % 4 === 0 ? null : at * 1.75,
      revenueValue: at % 5 === 0 ? null : at * 20.5,
      tags: at % 3 === 0 ? ['Travel'] : ['card', 'vip'],
      productType: ['card', 'loan', null][at % 3],
      metadata: { campaign: `c${at}`, customFields: isCard && at % 2 === 0 ? { yearly_fee: at, perk: 'lounge' } : {} },
      ...(at === 3 ? { schedule: { startDate: '2026-01-01', endDate: '2099-12-31', startHour: 6, endHour: 20 } } : {}),
      ...(at === 5 ? { eligibility: { excludedSegments: ['churned'], propensityThreshold: 0.2 } } : {}),
      ...(at === 6 ? { eligibility: { requiredSegments: ['vip'] } } : {}),
      ...(at === 8 ? { inventory: { totalStock: 1 } } : {}),
      ...(at === 9 ? { inventory: { totalStock: 50 }, frequencyCaps: { perCustomer: { weekly: 2 } } } : {}),
      ...(at === 7
        ? { eligibility: { conditions: { field: 'customer.age', operator: 'between', value: [20, 50] } } }
        : {}),
    });
    offers.push(offer);
    const content = {
      subject: 'Offer {name} for {job}',
      body: `Guten Tag, {salutation}! Ihr Angebot ${at}: {personalization.yearly_gain}`,
      ctaUrl: `https://example.com/?o=${at}&c={attributes.page}`,
    };
    const personalization = [
      { variable: 'job', source: 'customer.job', fallback: 'you' },
      { variable: 'name', source: 'attributes.first_name', fallback: 'anybody' },
      { variable: 'salutation', source: 'attributes.salutation', fallback: 'Kundin' },
    ];
    const creative = (name: string, body: Body) =>
      make('creatives', { name: `${name} ${at}`, offerId: offer, status: 'active', content, personalization, ...body });
    const contentItemId = at % 3 === 1 ? more.items[at % 2] : null;
    creatives.push(
      await creative('mail', { channelId: email, placementId: at % 3 === 0 ? inbox : null, contentItemId }),
    );
    if (at % 2 === 0) {
      creatives.push(await creative('mail b', { channelId: email, weight: 40, abTestVariant: 'b' }));
      creatives.push(await creative('call', { channelId: phone, constraints: { cooldownHours: 20 } }));
    }
    if (at % 4 !== 3) creatives.push(await creative('hero', { channelId: web, placementId: hero }));
    if (at % 3 !== 1)
      creatives.push(
        await creative('side', { channelId: web, placementId: side, constraints: { frequencyCapPerDay: 2 } }),
      );
  }
  const [governor] = await server.testDatabase.ownerQuery<{ id: string }>(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, created_at, updated_at)
     values ($1, gen_random_uuid(), 'law@example.org', 'law@example.org', 'Law', 'admin', 'bootstrap', now(), now()) returning id`,
    [server.tenants[0].id],
  );
  const lawful = await must('GET', `offers/${offers[13]}`, undefined, 200);
  await must(
    'PUT',
    'offers',
    {
      id: lawful.id,
      version: lawful.version,
      mandatory: true,
      mandatoryReason: 'law',
      mandatoryApprovedBy: governor?.id,
      mandatoryExpiresAt: '2099-01-01T00:00:00Z',
    },
    200,
  );

  const rule = (name: string, ruleType: string, stage: string, config: Body, more: Body = {}) =>
    make('qualification-rules', { name, ruleType, stage, status: 'active', scope: 'global', config, ...more });
  await rule(
    'Adults',
    'attribute_condition',
    'eligibility',
    { attribute: 'age', operator: 'gte', value: 21, onMissing: 'pass' },
    { scope: 'category', scopeId: loans },
  );
  await rule(
    'Not on checkout',
    'attribute_condition',
    'fit',
    { attribute: 'attributes.page', operator: 'neq', value: 'checkout', onMissing: 'pass' },
    { scope: 'subcategory', scopeId: goldCards },
  );
  await rule('Likes it', 'offer_attribute', 'match', {
    attribute: 'productType',
    operator: 'eq',
    valueFrom: 'customer.preferred_product_type',
    onMissing: 'pass',
    penalty: 0.7,
  });
  await rule('Cheap first', 'offer_attribute', 'match', {
    attribute: 'margin',
    operator: 'lt',
    value: 15,
    onMissing: 'pass',
    penalty: 0.35,
  });
  await rule(
    'Mail in the day',
    'attribute_condition',
    'match',
    { attribute: 'channel.channelType', operator: 'neq', value: 'phone', penalty: 0.9 },
    { scope: 'channel', scopeId: phone },
  );

  const policy = (name: string, ruleType: string, config: Body, more: Body = {}) =>
    make('contact-policies', { name, ruleType, status: 'active', scope: 'global', config, ...more });
  await policy('Many a day', 'frequency_cap', { maxPerDay: 12, maxPerWeek: 40, maxPerMonth: 90 });
  await policy('Each twice a week', 'frequency_cap', { maxPerWeek: 3, per: 'offer' });
  await policy(
    'Loans',
    'frequency_cap',
    { maxPerMonth: 20, windows: [{ max: 4, days: 2 }] },
    {
      scope: 'category',
      scopeId: loans,
    },
  );
  await policy('Rest', 'cooldown', { cooldownHours: 3, per: 'offer' }, { priority: 20 });
  const quiet = await policy('Quiet channel', 'cooldown', { cooldownHours: 1.5, per: 'channel' });
  await policy('Left', 'do_not_contact', { segments: ['left'], reason: 'asked us to stop' }, { priority: 90 });
  await policy('Let vip', 'allow_override', { reason: 'vip' }, { scope: 'offer', scopeId: offers[6], priority: 95 });

  await addGates(rule, policy, { email, web, cards, loans, offers, segment: more.segment });
  await must('POST', 'suppressions', { customerId: 'C3', scope: 'category', scopeId: loans, reason: 'asked' }, 201);
  await must('POST', 'suppressions', { customerId: 'C10', scope: 'offer', scopeId: offers[0], reason: 'asked' }, 201);

  const ones = { propensityWeight: 1, relevanceWeight: 1, impactWeight: 1, emphasisWeight: 1 };
  const uneven = { propensityWeight: 0.4, relevanceWeight: 0.25, impactWeight: 1.5, emphasisWeight: 0.1 };
  const stages = (...more: { type: string }[]) =>
    [
      { type: 'inventory', config: { scope: 'all' } },
      { type: 'match_creatives', config: {} },
      { type: 'qualify', config: {} },
      { type: 'contact_policy', config: {} },
      ...more,
    ].map((node, at) => ({ id: `n${at}`, ...node }));
  const flowIds = new Map<string, string>();
  const flow = async (key: string, nodes: readonly object[], flowConfig: Body = {}, more: Body = {}) => {
    const draftConfig = { version: 2, nodes, flowConfig };
    const id = await make('decision-flows', { key, name: key, draftConfig, ...more });
    await must('POST', 'decision-flows/publish', { id, notes: 'for the upgrade' }, 200);
    flowIds.set(key, id);
    return key;
  };
  const node = (type: string, config: Body = {}) => ({ type, config });
  const runtime = await addRuntime(make, must, flow, { web, hero, side, cards, loans, offers, hookUrl });
  const flows = [
    await flow(
      'plain',
      stages(node('score', { method: 'priority_weighted' }), node('rank', { method: 'topN', topN: 5 })),
    ),
    await flow(
      'diverse',
      stages(
        node('score', {
          method: 'formula',
          formula: uneven,
          overrides: [{ channelType: 'phone', method: 'propensity' }],
        }),
        node('rank', { method: 'diversity', lambda: 0.6, maxPerCategory: 2 }),
        node('compute', {
          formulaExtras: [
            { key: 'rest', formula: 'round(pow(coalesce(customer.balance, 1), 0.31) + score.total, 4)' },
            { key: 'since', formula: 'format_date(customer.joined, "yyyy-MM")', outputType: 'text' },
            { key: 'twice', formula: 'rest * 2 / (customer.age - 20)' },
          ],
        }),
        node('set_properties', {
          properties: [
            { key: 'shown_on', formula: 'concat("page ", coalesce(attributes.page, "none"))', target: 'response' },
            { key: 'fixed', value: { a: [1, null] } },
          ],
        }),
        node('response', { responseFormat: 'standard' }),
      ),
      { explore: { rate: 0.2, poolSize: 6 } },
    ),
    await flow(
      'turns',
      [
        { id: 'n', type: 'inventory', config: { scope: 'category', categoryIds: [cards, loans] } },
        {
          id: 'e',
          type: 'enrich',
          config: {
            sources: [{ schemaId: accounts, prefix: 'acc_' }],
            lookupKey: 'key',
            lookupFrom: 'customer.account_id',
          },
        },
        {
          id: 'f',
          type: 'filter',
          config: {
            conditions: [
              { field: 'offer.priority', operator: 'gt', value: 30 },
              { field: 'customer.acc_tier', operator: 'eq', value: 'gold' },
            ],
            combinator: 'OR',
            contactPolicyIds: [quiet],
          },
        },
        { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
        { id: 's', type: 'score', config: { method: 'propensity', evidence: { offerMin: 3, categoryMin: 5 } } },
        { id: 'r', type: 'rank', config: { method: 'round_robin', roundRobinBy: 'category', maxCandidates: 6 } },
        { id: 'x', type: 'response', config: { responseFormat: 'grouped' } },
      ],
      { defaultLimit: 4, explore: { rate: 0.1, fromRank: 2, channels: [email, web] } },
      { couplingOverride: 'partial' },
    ),
    ...runtime.flows,
    await flow(
      'read-secret',
      stages(
        {
          type: 'filter',
          config: { conditions: [{ field: 'customer.diagnosis', operator: 'is_null' }], combinator: 'OR' },
        } as { type: string },
        node('score', { method: 'formula', formula: ones }),
      ),
      { defaultLimit: 2 },
    ),
  ];
  await must('POST', 'flow-routes', { channelId: email, decisionFlowId: flowIds.get('diverse') }, 201);
  await must('POST', 'flow-routes', { channelId: web, placementId: hero, decisionFlowId: flowIds.get('plain') }, 201);
  return { email, web, phone, hero, side, inbox, offers, creatives, flows, teach: runtime.teach };
}
