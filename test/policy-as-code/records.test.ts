// Runs in one of 2 turns: resources.test.ts writes and reads files of every resource in each.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyFile } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { callsOf, contentOf, edited, type Made } from './catalogue.ts';

/** What individual kinds of records need beyond their declaration. */

let server: TestServer;
let used = 0;
before(async () => {
  server = await startTestServer({ tenants: 20 });
});
after(() => server?.close());

function freshTenant() {
  const tenant = server.tenants[used]!;
  used += 1;
  return { tenant, ...callsOf(server, tenant) };
}

const file = (path: string, content: string): PolicyFile => ({ path, content });

test("stock left of an offer isn't configuration", async () => {
  const it = freshTenant();
  await it.make('offers', { name: 'Umbrella', inventory: { totalStock: 5 } });
  const { files } = await it.export();
  const [umbrella] = files.filter(({ path }) => path.startsWith('offers/'));
  assert.match(umbrella?.content ?? '', /\n? *totalStock: 5\n/);
  assert.ok(!umbrella?.content.includes('remainingStock'));
  await server.testDatabase.ownerQuery('update arbiter.offer_stock set remaining = 3 where tenant_id = $1', [
    it.tenant.id,
  ]);
  const [offer] = (await it.must<{ data: Made[] }>('GET', 'offers', undefined, 200)).data;
  assert.deepEqual(offer?.inventory, { totalStock: 5, remainingStock: 3 });
  assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
});

test('rejects invalid field definitions at their place, without crashing', async () => {
  const it = freshTenant();
  for (const fields of [
    '[text]',
    '[{ name: a, dataType: 5 }]',
    '[{ dataType: text }]',
    '[{ name: a, dataType: text, length: b }]',
  ]) {
    const content = `name: wrong\ndisplayName: Wrong\nfields: ${fields}\n`;
    const [error] = await it.refused('diff', { files: [file('schemas/wrong.yaml', content)] });
    assert.match(error?.path ?? '', /^schemas\/wrong\.yaml#\/fields\/0/, fields);
  }
});

test('names flow routes after their purpose', async () => {
  const it = freshTenant();
  const base = [
    file('channels/web.yaml', 'key: web\nname: Web\nchannelType: web\n'),
    file('decision-flows/main.yaml', 'key: main\nname: Main\npublished: null\n'),
    file('decision-flows/other.yaml', 'key: other\nname: Other\npublished: null\n'),
  ];
  await it.apply({ files: base });
  const web = (await it.must<{ data: Made[] }>('GET', 'channels', undefined, 200)).data[0]!;
  await it.make('placements', { name: 'Top', key: 'top', channelId: web.id });
  const flows = await it.must<{ data: (Made & { key: string })[] }>('GET', 'decision-flows', undefined, 200);
  const main = flows.data.find(({ key }) => key === 'main')!;
  await it.make('flow-routes', { decisionFlowId: main.id });
  await it.make('flow-routes', { decisionFlowId: main.id, channelId: web.id });
  const placements = await it.must<{ data: Made[] }>('GET', 'placements', undefined, 200);
  await it.make('flow-routes', { decisionFlowId: main.id, placementId: placements.data[0]!.id, priority: 3 });
  const { files } = await it.export();
  const paths = files.map(({ path }) => path).filter((path) => path.startsWith('flow-routes/'));
  assert.equal(paths.length, 3);
  const [every, top] = ['flow-routes/every-request-', 'flow-routes/web-top-'].map(
    (start) => paths.find((path) => path.startsWith(start))!,
  );
  assert.match(contentOf(files, every!), /\ndecisionFlowId: main\n$/);
  assert.match(contentOf(files, 'flow-routes/web.yaml'), /\nchannelId: web\ndecisionFlowId: main\n$/);
  assert.match(contentOf(files, top!), /\ndecisionFlowId: main\nplacementId:\n {2}- web\n {2}- top\npriority: 3\n$/);

  // A file may name the channel next to the placement if it is the placement's own.
  const said = edited(files, top!, 'decisionFlowId', 'channelId: web\ndecisionFlowId');
  assert.deepEqual((await it.diff({ files: said, prune: true })).changes, []);
  const wrong = edited(files, top!, 'decisionFlowId', 'channelId: mail\ndecisionFlowId');
  assert.deepEqual((await it.refused('diff', { files: wrong }))[0]?.path, `${top}#/channelId`);
  const moved = edited(files, every!, 'decisionFlowId: main', 'decisionFlowId: other\npriority: 7');
  const plan = await it.apply({ files: moved, prune: true });
  assert.deepEqual(
    plan.changes.map(({ action, ref }) => [action, ref]),
    [['update', 'every request']],
  );
  // A route for another target is another route.
  const other = edited(moved, 'flow-routes/web.yaml', 'channelId: web\n', '');
  assert.match((await it.refused('diff', { files: other }))[0]!.message, /must be at flow-routes\/every-request/);
  const gone = await it.apply({ files: moved.filter(({ path }) => path !== top), prune: true });
  assert.deepEqual(
    gone.changes.map(({ action, ref }) => [action, ref]),
    [['delete', ['web', 'top']]],
  );
});

test("an outcome type with a deleted one's key restores it", async () => {
  const it = freshTenant();
  const old = await it.make('outcome-types', {
    key: 'signed',
    name: 'Signed',
    description: 'Then',
    classification: 'positive',
    isConversion: true,
    ordinal: 4,
  });
  await it.must('DELETE', `outcome-types/${old.id}`, undefined, 204);
  const files = [file('outcome-types/signed.yaml', 'key: signed\nname: Signed again\nclassification: negative\n')];
  const plan = await it.diff({ files });
  assert.equal(plan.summary.create, 1);
  assert.equal((await it.must<{ data: Made[] }>('GET', 'outcome-types?search=signed', undefined, 200)).data.length, 0);
  assert.deepEqual((await it.apply({ files })).changes, plan.changes);
  const now = await it.must('GET', `outcome-types/${old.id}`, undefined, 200);
  assert.deepEqual(
    [now.name, now.description, now.classification, now.isConversion, now.ordinal, now.deletedAt],
    ['Signed again', '', 'negative', false, 0, null],
  );
  assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
  const { data } = await it.must<{ data: { action: string }[] }>(
    'GET',
    `audit-logs?entityType=outcomeType&limit=3`,
    undefined,
    200,
  );
  assert.deepEqual(data.map(({ action }) => action).slice(0, 2), ['update', 'restore']);
});

describe('columns used by segments and joins', () => {
  const field = (text: string) => `  - {${text}}\n`;
  const people = (...fields: string[]) =>
    file(
      'schemas/people.yaml',
      `name: people\ndisplayName: People\nschemaType: customer\nfields:\n${field('name: id, dataType: text, isPrimaryKey: true')}${fields.map(field).join('')}`,
    );
  const visits = (...fields: string[]) =>
    file(
      'schemas/visits.yaml',
      `name: visits\ndisplayName: Visits\nfields:\n${field('name: visit, dataType: text, isPrimaryKey: true')}${fields.map(field).join('')}`,
    );
  const adults = (column: string) =>
    file(
      'segments/adults.yaml',
      `name: adults\nbaseSchemaId: people\nfilters: {logic: and, conditions: [{field: ${column}, operator: gte, value: 18}]}\n`,
    );

  test('drops, adds and renames a column together with the segment that uses it', async () => {
    const it = freshTenant();
    const first = [people('name: age, dataType: integer'), adults('age')];
    await it.apply({ files: first });
    const version = (await it.diff({ files: first })).configVersion;
    // The segment still refers to it.
    const dropped = [people(), adults('age')];
    const errors = await it.refused('apply', { files: dropped, allowDataLoss: true });
    assert.ok(
      errors.some(({ path, code }) => path.startsWith('schemas/people.yaml#') && code === 'in_use'),
      JSON.stringify(errors),
    );
    assert.equal((await it.diff({ files: first })).configVersion, version);

    const renamed = [people('name: years, dataType: integer'), adults('years')];
    assert.match((await it.refused('apply', { files: renamed }))[0]!.message, /--allow-data-loss/);
    const done = await it.apply({ files: renamed, allowDataLoss: true });
    assert.deepEqual(done.changes.map(({ action, type }) => `${action} ${type}`).sort(), [
      'update schemas',
      'update segments',
    ]);
    assert.equal(done.configVersion, version + 1, 'one transaction');
    assert.deepEqual((await it.diff({ files: renamed, prune: true })).changes, []);
    const { data } = await it.must<{ data: Made[] }>('GET', 'schemas', undefined, 200);
    const { fields } = await it.must<{ fields: { name: string }[] }>('GET', `schemas/${data[0]!.id}`, undefined, 200);
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['id', 'years'],
    );
    // Another type for a column that is still referenced.
    const retyped = [people('name: years, dataType: bigint'), adults('years')];
    const told = await it.refused('apply', { files: retyped, allowDataLoss: true });
    assert.ok(
      told.some(({ code }) => code === 'in_use'),
      JSON.stringify(told),
    );
    // Everything goes: the segment before its schema.
    assert.equal((await it.apply({ files: [], prune: true, allowDataLoss: true })).summary.delete, 2);
  });

  test('replaces a column in the step in which a segment stops using it', async () => {
    const it = freshTenant();
    await it.apply({
      files: [people('name: age, dataType: integer', 'name: level, dataType: integer'), adults('age')],
    });
    const files = [people('name: age, dataType: text', 'name: level, dataType: integer'), adults('level')];
    const done = await it.apply({ files, allowDataLoss: true });
    assert.deepEqual(done.changes.map(({ action, type }) => `${action} ${type}`).sort(), [
      'replace schemas',
      'update segments',
    ]);
    assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
  });

  test('treats a join on a dropped column like a call does', async () => {
    const it = freshTenant();
    const join = (column: string) =>
      file(
        'schema-joins/both.yaml',
        `name: both\nprimarySchemaId: people\nprimaryKey: id\nforeignSchemaId: visits\nforeignKey: ${column}\nautoEnrich: false\n`,
      );
    await it.apply({ files: [people(), visits('name: client, dataType: text'), join('client')] });
    const kept = [people(), visits('name: guest, dataType: text'), join('client')];
    const errors = await it.refused('apply', { files: kept, allowDataLoss: true });
    assert.ok(errors.length > 0);
    const files = [people(), visits('name: guest, dataType: text'), join('guest')];
    await it.apply({ files, allowDataLoss: true });
    assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
  });
});

test('a table in use delays nobody and fails the apply; later operations wait like any other write', async () => {
  const it = freshTenant();
  const people = (more: string) =>
    file(
      'schemas/people.yaml',
      `name: people\ndisplayName: People\nfields:\n  - {name: id, dataType: text, isPrimaryKey: true}\n${more}`,
    );
  const offer = (priority: number) => file('offers/z.yaml', `name: z\npriority: ${priority}\n`);
  await it.apply({ files: [people(''), offer(1)] });
  const { data } = await it.must<{ data: (Made & { tableName: string })[] }>('GET', 'schemas', undefined, 200);
  const files = [people('  - {name: age, dataType: integer}\n'), offer(2)];
  const table = `t_${it.tenant.id.replaceAll('-', '')}.${data[0]!.tableName}`;
  const release = await server.testDatabase.ownerHold(`lock table ${table} in access share mode`);
  const busy = await it.must<{ code: string }>('POST', 'gitops/apply', { files }, 409);
  assert.equal(busy.code, 'concurrent_modification');
  await release();
  // After the table change the apply waits for another write, longer than for the table.
  const letGo = await server.testDatabase.ownerHold(`select 1 from arbiter.offers where name = 'z' for update`);
  const applied = it.apply({ files });
  for (let waits = false; !waits; ) {
    const rows = await server.testDatabase.ownerQuery<{ waits: boolean }>(
      `select coalesce(bool_or(clock_timestamp() - query_start > interval '600 ms'), false) as waits
         from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    waits = rows[0]?.waits === true;
  }
  await letGo();
  assert.equal((await applied).summary.update, 2);
  assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
});

test('enables content management from the files before creating content', async () => {
  const it = freshTenant();
  await it.must('PUT', 'tenant-settings', { enableContentManagement: false, timezone: 'Europe/Rome' }, 200);
  const { files } = await it.export();
  assert.match(contentOf(files, 'settings.yaml'), /enableContentManagement: false/);
  const item = file('content/a.yaml', 'name: a\nchannelType: web\npublished: null\n');
  assert.equal((await it.refused('apply', { files: [...files, item] }))[0]?.code, 'feature_disabled');
  const on = edited(files, 'settings.yaml', /enableContentManagement: false\n/, '');
  const done = await it.apply({ files: [...on, item] });
  assert.deepEqual(done.changes.map(({ type }) => type).sort(), ['content', 'settings']);
  assert.deepEqual((await it.diff({ files: [...on, item], prune: true })).changes, []);
});

test('the ID of a deleted record stays in the file, and another tenant rejects it at its place', async () => {
  const [it, elsewhere] = [freshTenant(), freshTenant()];
  const gone = await it.make('offers', { name: 'gone' });
  const kept = await it.make('offers', { name: 'kept' });
  const scopes = [
    { scope: 'offer', scopeId: kept.id },
    { scope: 'offer', scopeId: gone.id },
  ];
  await it.make('contact-policies', { name: 'cap', ruleType: 'frequency_cap', config: { maxPerDay: 3 }, scopes });
  await it.must('DELETE', `offers/${gone.id}`, undefined, 200);
  const { files } = await it.export();
  assert.match(contentOf(files, 'contact-policies/cap.yaml'), new RegExp(gone.id));
  const plan = await it.diff({ files, prune: true });
  assert.deepEqual(plan.changes, []);
  assert.deepEqual(
    plan.warnings.map(({ path }) => path),
    ['contact-policies/cap.yaml#/scopes/1/scopeId'],
  );
  // Other changes of the policy still apply.
  const changed = edited(files, 'contact-policies/cap.yaml', 'maxPerDay: 3', 'maxPerDay: 4');
  assert.equal((await it.apply({ files: changed })).summary.update, 1);
  const errors = await elsewhere.refused('apply', { files });
  assert.deepEqual(
    errors.map(({ path, code }) => [path, code]),
    [['contact-policies/cap.yaml#/scopes/1/scopeId', 'reference_not_found']],
  );
  assert.match(errors[0]!.message, /was deleted or belongs to another tenant; use an existing one, or remove it/);
  assert.deepEqual((await elsewhere.export()).files, []);
  // Without it, the files can be applied anywhere.
  const scope = new RegExp(` *- scope: offer\\n *scopeId: "?${gone.id}"?\\n`);
  await elsewhere.apply({ files: edited(files, 'contact-policies/cap.yaml', scope, '') });
});

test("files contain everything that ranks: profiles, weights of placements, strategies, the tenant's default", async () => {
  const [it, elsewhere, third] = [freshTenant(), freshTenant(), freshTenant()];
  const web = await it.make('channels', { name: 'The web', key: 'web', channelType: 'web' });
  const hero = await it.make('placements', { name: 'Hero', key: 'hero', channelId: web.id });
  const side = await it.make('placements', { name: 'Side', key: 'side', channelId: web.id });
  await it.make('categories', { name: 'Cards' });
  const margin = await it.make('ranking-profiles', { name: 'Margin', key: 'margin', weights: { margin: 1 } });
  const goals = await it.make('ranking-profiles', { name: 'Goals', key: 'goals', weights: { impact: 1 } });
  const strategy = (scope: string, value: string) => ({ scope, value, profileId: goals.id });
  const nodes = [
    { id: 'i', type: 'inventory' },
    {
      id: 's',
      type: 'score',
      config: {
        method: 'formula',
        strategyProfileId: goals.id,
        strategyOverrides: [
          strategy('channel', String(web.id)),
          strategy('channel', 'The web'),
          strategy('category', 'Cards'),
          strategy('productType', 'card'),
        ],
      },
    },
    { id: 'o', type: 'optimize', config: { profileId: margin.id } },
    {
      id: 'g',
      type: 'group',
      config: { placements: [{ placementId: hero.id }], placementWeights: { [hero.id]: 2, [side.id]: 0.5 } },
    },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const flow = await it.make('decision-flows', { key: 'rank', name: 'Rank', draftConfig });
  await it.must('POST', 'decision-flows/publish', { id: flow.id }, 200);
  await it.must('PUT', 'tenant-settings', { defaultArbitrationProfileId: margin.id }, 200);
  const { files } = await it.export();
  assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
  const text = files.map(({ content }) => content).join('\n');
  for (const { id } of [web, hero, side, margin, goals])
    assert.ok(!text.includes(id), contentOf(files, 'decision-flows/rank.yaml'));
  await elsewhere.apply({ files });
  assert.deepEqual((await elsewhere.export()).files, files);
  assert.deepEqual((await elsewhere.diff({ files, prune: true })).changes, []);
  const placements = await elsewhere.must<{ data: Made[] }>('GET', 'placements', undefined, 200);
  const own = placements.data.find(({ key }) => key === 'hero')!.id;
  const rank = (await elsewhere.must<{ data: Made[] }>('GET', 'decision-flows', undefined, 200)).data.find(
    ({ key }) => key === 'rank',
  )!;
  const { draftConfig: applied } = await elsewhere.must<{
    draftConfig: { nodes: { config?: Record<string, unknown> }[] };
  }>('GET', `decision-flows/${rank.id}`, undefined, 200);
  const ofOwn = applied.nodes[3]?.config?.placementWeights as Record<string, number> | undefined;
  assert.equal(ofOwn?.[own], 2);
  // A single flow as JSON has the same references.
  const { body: one } = await server.call<Record<string, unknown>>(
    'GET',
    `/api/v1/decision-flows/${flow.id}/export?version=draft`,
    { key: it.tenant.keys.admin },
  );
  const without = files.filter(({ path }) => !path.startsWith('decision-flows/') && path !== 'settings.yaml');
  await third.apply({ files: without });
  const imported = await third.must<{ draftConfig: { nodes: { config?: Record<string, unknown> }[] } }>(
    'POST',
    'decision-flows/import',
    { flow: one },
    201,
  );
  const weights = imported.draftConfig.nodes[3]?.config?.placementWeights as Record<string, number>;
  assert.deepEqual(Object.values(weights).sort(), [0.5, 2]);
  assert.ok(!Object.hasOwn(weights, String(hero.id)));
  // A profile used by the settings is deleted together with the setting.
  const kept = files.filter(({ path }) => !/^(decision-flows|ranking-profiles|settings)/.test(path));
  await elsewhere.apply({ files: kept, prune: true });
  assert.deepEqual((await elsewhere.export()).files, kept);
});

test('files name the references in configs of policies and enrich nodes', async () => {
  const [it, elsewhere] = [freshTenant(), freshTenant()];
  const web = await it.make('channels', { name: 'The web', key: 'web', channelType: 'web' });
  const mail = await it.make('channels', { name: 'Mail', key: 'mail', channelType: 'email' });
  const cards = await it.make('categories', { name: 'Cards' });
  const gold = await it.make('sub-categories', { name: 'Gold', categoryId: cards.id });
  const offers: Made[] = [];
  for (const name of ['One', 'Two']) offers.push(await it.make('offers', { name, categoryId: cards.id }));
  const policy = (name: string, ruleType: string, config: object) =>
    it.make('contact-policies', { name, ruleType, scope: 'global', config });
  await policy('either', 'mutual_exclusion', { excludeOfferIds: offers.map(({ id }) => id) });
  await policy('across', 'cross_channel_cap', { maxTotal: 1, appliesAcross: [web.id, mail.id] });
  await policy('after cards', 'category_suppression', {
    categoryId: cards.id,
    subCategoryId: gold.id,
    triggerCategoryId: cards.id,
    suppressionDays: 1,
  });
  for (const [name, targetCategory] of [
    ['by category', cards.id],
    ['by sub-category', gold.id],
    ['by label', 'engagement'],
  ] as const) {
    await policy(name, 'offer_category_cap', { targetCategory, maxTotal: 2, filterByCategory: true });
  }
  const { files } = await it.export();
  assert.deepEqual((await it.diff({ files, prune: true })).changes, []);
  const text = files.map(({ content }) => content).join('\n');
  for (const { id, name } of [web, mail, cards, gold, ...offers]) assert.ok(!text.includes(id), String(name));
  await elsewhere.apply({ files });
  assert.deepEqual((await elsewhere.export()).files, files);
  assert.deepEqual((await elsewhere.diff({ files, prune: true })).changes, []);
  const { data } = await elsewhere.must<{ data: (Made & { config: Record<string, unknown> })[] }>(
    'GET',
    'contact-policies',
    undefined,
    200,
  );
  const idsOf = async (path: string) =>
    (await elsewhere.must<{ data: Made[] }>('GET', path, undefined, 200)).data.map(({ id }) => id).sort();
  const configOf = (name: string) => data.find((each) => each.name === name)?.config ?? {};
  assert.deepEqual([...(configOf('either').excludeOfferIds as string[])].sort(), await idsOf('offers'));
  assert.deepEqual([...(configOf('across').appliesAcross as string[])].sort(), await idsOf('channels'));
  assert.deepEqual([configOf('after cards').triggerCategoryId], await idsOf('categories'));
  assert.deepEqual([configOf('by category').targetCategory], await idsOf('categories'));
  assert.deepEqual([configOf('by sub-category').targetCategory], await idsOf('sub-categories'));
  assert.equal(configOf('by label').targetCategory, 'engagement');
  const byGold = files.find(({ content }) => /^name: by sub-category$/m.test(content))!.path;
  const [error] = await elsewhere.refused('diff', { files: edited(files, byGold, '- Gold', '- Silver') });
  assert.match(error?.message ?? '', /refers to the sub-category .*, which does not exist/);
});

test('files contain the registry of models, so that a flow can name a family', async () => {
  const [it, elsewhere] = [freshTenant(), freshTenant()];
  const model = (key: string, more: object = {}) =>
    it.make('algorithm-models', { key, name: key, modelType: 'scorecard', status: 'active', family: 'cards', ...more });
  const [one, two] = [await model('one'), await model('two')];
  await model('three');
  await model('lone', { family: null });
  const promote = (id: string, toStatus: string) =>
    it.must('POST', `algorithm-models/${id}/promote`, { toStatus }, 200);
  for (const [id, toStatus] of [
    [one.id, 'shadow'],
    [one.id, 'champion'],
    [two.id, 'challenger'],
  ] as const) {
    await promote(id, toStatus);
  }
  const nodes = [
    { id: 'i', type: 'inventory' },
    { id: 's', type: 'score', config: { method: 'propensity', modelKey: 'cards' } },
  ];
  const flow = await it.make('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: { version: 2, nodes, flowConfig: {} },
  });
  await it.must('POST', 'decision-flows/publish', { id: flow.id }, 200);
  const { files } = await it.export();
  await elsewhere.apply({ files });
  assert.deepEqual((await elsewhere.export()).files, files);
  assert.ok(!contentOf(files, 'algorithm-models/lone.yaml').includes('registryStatus'));
  // The champion changes: the old one is archived and then moves to the state in its file.
  await promote(two.id, 'champion');
  await it.must('POST', `algorithm-models/${one.id}/promote`, { toStatus: 'draft' }, 200);
  const later = (await it.export()).files;
  const plan = await elsewhere.diff({ files: later });
  assert.deepEqual(
    plan.changes.map(({ path, fields }) => [path, fields]),
    [
      ['algorithm-models/one.yaml', [{ path: 'registryStatus', before: 'champion', after: 'draft' }]],
      ['algorithm-models/two.yaml', [{ path: 'registryStatus', before: 'challenger', after: 'champion' }]],
    ],
  );
  await elsewhere.apply({ files: later });
  assert.deepEqual((await elsewhere.export()).files, later);
  // What a file doesn't mention stays.
  const silent = later.map(({ path, content }) => ({ path, content: content.replace(/^registryStatus: .*\n/m, '') }));
  assert.deepEqual((await elsewhere.diff({ files: silent })).changes, []);
  const odd = edited(later, 'algorithm-models/two.yaml', 'registryStatus: champion', 'registryStatus: emperor');
  const [error] = await elsewhere.refused('diff', { files: odd });
  assert.deepEqual(error?.path, 'algorithm-models/two.yaml#/registryStatus');
});

test('the response of an apply says which version includes it', async () => {
  const { tenant, ...it } = freshTenant();
  const apply = (files: PolicyFile[]) =>
    server.call<{ configVersion: number }>('POST', '/api/v1/gitops/apply', { key: tenant.keys.admin, body: { files } });
  const done = await apply([file('offers/a.yaml', 'name: a\n')]);
  assert.equal(done.headers['x-config-version'], String(done.body.configVersion));
  const idle = await apply([file('offers/a.yaml', 'name: a\n')]);
  assert.equal(idle.headers['x-config-version'], done.headers['x-config-version']);
  const made = await server.call('POST', '/api/v1/offers', { key: tenant.keys.admin, body: { name: 'b' } });
  assert.equal(Number(made.headers['x-config-version']), done.body.configVersion + 1);
  assert.equal((await it.export()).configVersion, done.body.configVersion + 1);
});
