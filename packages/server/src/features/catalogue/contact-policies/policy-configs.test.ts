import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { contactPolicyTypes } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

interface Answer {
  readonly id: string;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly scopes: readonly { readonly scope: string; readonly scopeId: string | null }[];
  readonly scope: string;
  readonly scopeId: string | null;
  readonly version: number;
}

interface Case {
  readonly policies?: readonly { readonly ruleType: string; readonly config: Record<string, unknown> }[];
}

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

const nobody = '00000000-0000-4000-8000-00000000000f';
let number = 0;
const create = (ruleType: string, config: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  server.call<Answer>('POST', '/api/v1/contact-policies', {
    body: { name: `Policy ${++number}`, ruleType, scope: 'global', config, ...more },
    headers,
  });
const createMetric = () =>
  server.create('behavioral-metrics', { name: 'Contacts', aggregateFunction: 'count', sourceField: 'impressions' });

/** Configs with every key that their type accepts. */
const good: Readonly<Record<string, Record<string, unknown>>> = {
  frequency_cap: { maxPerDay: 0, maxPerWeek: 1_000_000, maxPerMonth: 3, maxTotal: 4, per: 'offer' },
  cooldown: { cooldownHours: 87_600, per: 'category' },
  budget_exhausted: { budgetField: 'spend', threshold: 0.5 },
  outcome_based: { afterOutcome: ['dismiss', 'complaint'], suppressForDays: 36_500, per: 'offer' },
  segment_exclusion: { excludeSegments: ['Churned'] },
  time_window: { startHour: 0, endHour: 24, daysOfWeek: [0, 6], timezone: 'Asia/Kolkata', zonePath: 'customer.tz' },
  mutual_exclusion: { excludeOfferIds: ['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00'], lookbackDays: 30 },
  cross_channel_cap: { maxTotal: 1, periodType: 'monthly', appliesAcross: ['x'], windows: [{ max: 1, hours: 8760 }] },
  customer_total_cap: { maxTotal: 1, periodType: 'weekly', windows: [{ max: 1, days: 365 }] },
  offer_category_cap: { targetCategory: 'Cards', maxTotal: 1, periodType: 'alltime', filterByCategory: false },
  allow_override: { reason: 'vip' },
  category_suppression: { suppressionDays: 36_500, afterOutcome: 'click' },
  do_not_contact: { dncSource: 'list', reason: 'asked', segments: ['a'] },
  metric_condition: { metricId: 'm', operator: 'eq', threshold: -1.5 },
};

/** Returns the config of a type: the one above, otherwise that of its first conformance case. */
function configFor(ruleType: string): Record<string, unknown> {
  const file = new URL('../../../../../engine/conformance/decisions/policy-types.json', import.meta.url);
  const cases: readonly Case[] = JSON.parse(readFileSync(file, 'utf8'));
  const policies = cases.flatMap((one) => one.policies ?? []);
  const config = good[ruleType] ?? policies.find((policy) => policy.ruleType === ruleType)?.config;
  assert.ok(config, `${ruleType} has no conformance case`);
  return config;
}

/** Invalid configs, each with the path of the problem. */
const bad: readonly (readonly [ruleType: string, config: Record<string, unknown>, ...paths: string[]])[] = [
  [
    'frequency_cap',
    { maxPerDay: -1, maxPerWeek: 1.5, maxPerMonth: '3', maxTotal: 1_000_001 },
    'maxPerDay',
    'maxPerWeek',
    'maxPerMonth',
    'maxTotal',
  ],
  ['frequency_cap', { withinCampaignId: '', excludeCampaignIds: [] }, 'withinCampaignId', 'excludeCampaignIds'],
  ['frequency_cap', { excludeCampaignIds: [''] }, 'excludeCampaignIds'],
  ['frequency_cap', { windows: [{ max: 1, days: 1 }, { max: 1, days: 366 }, { max: 1 }] }, 'windows/1', 'windows/2'],
  ['frequency_cap', { windows: [{ max: 1, days: 1, hours: 1 }] }, 'windows/0'],
  ['frequency_cap', { windows: Array.from({ length: 6 }, () => ({ max: 1, days: 1 })) }, 'windows'],
  ['frequency_cap', { windows: 'none', per: 'planet', bypassable: 1 }, 'windows', 'per', 'bypassable'],
  ['cooldown', {}, 'cooldownHours'],
  ['cooldown', { cooldownHours: 87_600.5 }, 'cooldownHours'],
  ['cooldown', { cooldownHours: -1 }, 'cooldownHours'],
  ['budget_exhausted', {}, 'budgetField', 'threshold'],
  ['budget_exhausted', { budgetField: 'money', threshold: '5' }, 'budgetField', 'threshold'],
  ['outcome_based', {}, 'afterOutcome', 'suppressForDays'],
  ['outcome_based', { afterOutcome: '', suppressForDays: 36_500.5 }, 'afterOutcome', 'suppressForDays'],
  ['outcome_based', { afterOutcome: [], suppressForDays: -1 }, 'afterOutcome', 'suppressForDays'],
  ['outcome_based', { afterOutcome: ['a', ''], suppressForDays: 1, per: 'x' }, 'afterOutcome', 'per'],
  ['outcome_based', { afterOutcome: 5, suppressForDays: 1 }, 'afterOutcome'],
  ['segment_exclusion', {}, 'excludeSegments'],
  ['segment_exclusion', { excludeSegments: [] }, 'excludeSegments'],
  ['segment_exclusion', { excludeSegments: [5] }, 'excludeSegments'],
  [
    'time_window',
    { startHour: 25, endHour: -1, daysOfWeek: [0, 7, 'x'] },
    'startHour',
    'endHour',
    'daysOfWeek/1',
    'daysOfWeek/2',
  ],
  ['time_window', { startHour: 8.5, daysOfWeek: 1 }, 'startHour', 'daysOfWeek'],
  ['time_window', { timezone: 'Mars/Base' }, 'timezone'],
  ['time_window', { timezone: '', zonePath: 'offer.zone' }, 'timezone', 'zonePath'],
  ['time_window', { timezone: 5, zonePath: 'customer.' }, 'timezone', 'zonePath'],
  ['mutual_exclusion', {}, 'excludeOfferIds'],
  ['mutual_exclusion', { excludeOfferIds: [], lookbackDays: 1.5 }, 'excludeOfferIds', 'lookbackDays'],
  ['mutual_exclusion', { excludeOfferIds: 'a', lookbackDays: 36_501 }, 'excludeOfferIds', 'lookbackDays'],
  ['cross_channel_cap', {}, 'maxTotal'],
  [
    'cross_channel_cap',
    { maxTotal: -1, periodType: 'alltime', appliesAcross: [''] },
    'maxTotal',
    'periodType',
    'appliesAcross',
  ],
  ['customer_total_cap', { maxTotal: null, periodType: 'yearly' }, 'maxTotal', 'periodType'],
  ['offer_category_cap', {}, 'targetCategory', 'maxTotal'],
  [
    'offer_category_cap',
    { targetCategory: '', maxTotal: 1, filterByCategory: 'yes' },
    'targetCategory',
    'filterByCategory',
  ],
  ['allow_override', { reason: 5, per: 'planet' }, 'reason', 'per'],
  ['category_suppression', {}, 'suppressionDays'],
  [
    'category_suppression',
    { suppressionDays: 36_501, categoryId: '', afterOutcome: [] },
    'suppressionDays',
    'categoryId',
    'afterOutcome',
  ],
  [
    'do_not_contact',
    { segments: 'all', condition: { field: 'age', operator: 'like', value: 1 } },
    'segments',
    'condition/operator',
  ],
  ['metric_condition', {}, 'metricId'],
  ['metric_condition', { metricId: '', operator: 'neq', threshold: '1' }, 'metricId', 'operator', 'threshold'],
];

describe('configs of contact policies (docs/design/api-catalogue.md 8.4)', () => {
  it('are accepted for every type', async () => {
    for (const ruleType of contactPolicyTypes) {
      const config = configFor(ruleType);
      const metric = ruleType === 'metric_condition' ? { metricId: await createMetric() } : {};
      const answer = await create(ruleType, { ...config, ...metric, bypassable: false });
      assert.equal(answer.status, 201, `${ruleType}: ${answer.text}`);
    }
  });

  it('name the path of each error, whether decisions evaluate the type or not, and store nothing', async () => {
    const list = () => server.call<{ pagination: { total: number } }>('GET', '/api/v1/contact-policies?limit=1');
    const before = (await list()).body.pagination.total;
    const judged = new Set(bad.map(([ruleType]) => ruleType));
    assert.deepEqual([...judged].sort(), Object.keys(good).sort());
    for (const [ruleType, config, ...paths] of bad) {
      const answer = await create(ruleType, config);
      assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], `${ruleType} ${answer.text}`);
      assert.deepEqual(
        answer.body.errors.map(({ path }) => path).sort(),
        paths.map((path) => `/config/${path}`).sort(),
        `${ruleType} ${JSON.stringify(config)}`,
      );
    }
    assert.equal((await list()).body.pagination.total, before);
  });

  it('name existing categories, on create and on change', async () => {
    const category = await server.call<Answer>('POST', '/api/v1/categories', { body: { name: `Cards ${++number}` } });
    const { id } = category.body;
    const sub = await server.call<Answer>('POST', '/api/v1/sub-categories', { body: { name: 'Gold', categoryId: id } });
    assert.equal(sub.status, 201, sub.text);
    const ids = { categoryId: id.toUpperCase(), subCategoryId: sub.body.id, triggerCategoryId: id };
    const made = await create('category_suppression', { suppressionDays: 1, ...ids });
    assert.equal(made.status, 201, made.text);
    const foreign = await server.call<Answer>('POST', '/api/v1/categories', {
      body: { name: 'Theirs' },
      key: server.tenants[1]!.keys.admin,
    });
    for (const [key, value] of [
      ['categoryId', foreign.body.id],
      ['categoryId', sub.body.id],
      ['subCategoryId', id],
      ['triggerCategoryId', 'cards'],
    ] as const) {
      const config = { suppressionDays: 1, ...ids, [key]: value };
      const answers = [
        await create('category_suppression', config),
        await server.call<Answer>('PUT', `/api/v1/contact-policies/${made.body.id}`, { body: { config } }),
      ];
      for (const { status, body, text } of answers) {
        assert.deepEqual(
          [status, body.code, body.errors[0]?.path],
          [400, 'reference_not_found', `/config/${key}`],
          text,
        );
      }
    }
  });

  it('describe afterOutcome as the contract does', async () => {
    for (const afterOutcome of [undefined, '', [], [''], {}, 5]) {
      const { body } = await create('outcome_based', { suppressForDays: 1, afterOutcome });
      assert.deepEqual(
        body.errors.map(({ message }) => message),
        ['afterOutcome must be a non-empty string or non-empty string array'],
      );
    }
  });

  it('without effect, and unknown keys, are named in a header, and rejected under strict handling', async () => {
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ['frequency_cap', {}, /config \(No limit is set/],
      ['frequency_cap', { perDay: 1, maxPerWeek: 1 }, /config\.perDay/],
      ['frequency_cap', { windows: [{ max: 1, days: 1, day: 1 }] }, /config\.windows\[0\]\.day \(days\?\)/],
      ['cooldown', { cooldownHours: 0 }, /config\.cooldownHours/],
      ['outcome_based', { afterOutcome: 'dismiss', suppressForDays: 0 }, /config\.suppressForDays/],
      [
        'outcome_based',
        { afterOutcome: ['dismiss', 'impression'], suppressForDays: 1 },
        /config\.afterOutcome \(An impression is a contact/,
      ],
      [
        'category_suppression',
        { suppressionDays: 1, afterOutcome: 'impression' },
        /config\.afterOutcome \(An impression is a contact/,
      ],
      ['category_suppression', { suppressionDays: 0, category: 'x' }, /config\.category \(categoryId\?\)/],
      ['time_window', { startHour: 5, endHour: 5 }, /config \(.*allows every hour/],
      ['customer_total_cap', { maxTotal: 1, per: 'offer' }, /config\.per/],
      ['do_not_contact', { segments: [] }, /config\.segments/],
      ['mutual_exclusion', { excludeOfferIds: ['a'] }, /config\.excludeOfferIds\[0\] \(must be an existing offer\)/],
      [
        'cross_channel_cap',
        { maxTotal: 1, appliesAcross: [nobody] },
        /config\.appliesAcross\[0\] \(must be an existing channel\)/,
      ],
      ['mutual_exclusion', { excludeOfferIds: ['a'], lookBackDays: 3 }, /config\.lookBackDays \(lookbackDays\?\)/],
    ];
    for (const [ruleType, config, named] of cases) {
      const taken = await create(ruleType, config);
      assert.equal(taken.status, 201, taken.text);
      assert.match(String(taken.headers['x-unknown-properties']), named);
      const strict = await create(ruleType, config, {}, { prefer: 'handling=strict' });
      assert.deepEqual([strict.status, strict.body.code], [400, 'validation_failed'], strict.text);
    }
  });

  it('change with the type: the resulting pair is validated', async () => {
    const { body } = await create('frequency_cap', { maxPerDay: 1 });
    const change = (changes: object) =>
      server.call<Answer>('PUT', `/api/v1/contact-policies/${body.id}`, { body: changes });
    const bare = await change({ ruleType: 'customer_total_cap' });
    assert.deepEqual(
      bare.body.errors.map(({ path }) => path),
      ['/config/maxTotal'],
    );
    const unknown = await change({
      ruleType: 'metric_condition',
      config: { metricId: body.id, operator: 'eq', threshold: 1 },
    });
    assert.deepEqual(
      [unknown.body.code, ...unknown.body.errors.map(({ path }) => path)],
      ['reference_not_found', '/config/metricId'],
    );
    const stale = await change({ rowVersion: 2, priority: 1 });
    assert.deepEqual([stale.status, stale.body.code], [409, 'row_version_conflict']);
    const fine = await change({ rowVersion: 1, ruleType: 'customer_total_cap', config: { maxTotal: 5 } });
    assert.deepEqual([fine.status, fine.body.version], [200, 2], fine.text);
    assert.equal((await change({ priority: 101 })).status, 400);
    assert.equal((await change({ priority: 0 })).status, 200);
  });
});

describe('assignments of contact policies (docs/design/api-catalogue.md 8.4)', () => {
  const cap = { maxPerDay: 1 };

  it('are at most 200; duplicates collapse, and the legacy fields show the first', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) {
      ids.push(await server.call<Answer>('POST', '/api/v1/offers', { body: { name: `Offer ${++number}` } }));
    }
    const [first, second] = ids.map(({ body }) => ({ scope: 'offer', scopeId: body.id }));
    const twice = [...Array.from({ length: 150 }, () => first), ...Array.from({ length: 150 }, () => second)];
    const made = await create('frequency_cap', cap, { scope: 'global', scopes: twice });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.body.scopes.length, made.body.scope, made.body.scopeId], [2, 'offer', first?.scopeId]);
    await server.testDatabase.ownerQuery(
      `insert into arbiter.offers (tenant_id, id, name, version, created_at, updated_at)
       select $1, ('0190a1b2-c3d4-7e5f-8a9b-' || lpad(to_hex(n), 12, '0'))::uuid, 'Many ' || n, 1, now(), now()
       from generate_series(1, 201) n`,
      [server.tenants[0].id],
    );
    const many = Array.from({ length: 201 }, (_, n) => ({
      scope: 'offer',
      scopeId: `0190a1b2-c3d4-7e5f-8a9b-${(n + 1).toString(16).padStart(12, '0')}`,
    }));
    const full = await create('frequency_cap', cap, { scopes: many.slice(1) });
    assert.deepEqual([full.status, full.body.scopes.length], [201, 200], full.text);
    const over = await create('frequency_cap', cap, { scopes: many });
    assert.deepEqual([over.status, over.body.errors[0]?.path], [400, '/scopes'], over.text);
  });

  it('default to offer, and name a missing ID', async () => {
    const answer = await create('do_not_contact', {}, { scope: undefined });
    assert.deepEqual(answer.body.errors, [
      {
        path: '/scopeId',
        message: 'is required, because scope defaults to offer; send scopeId or scopes, or use scope global',
      },
    ]);
  });
});
