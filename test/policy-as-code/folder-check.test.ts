// Runs in one of 2 turns: resources.test.ts writes and reads files of every resource in each.

// Runs in a process of its own: it takes as long as many others together.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyFile } from '@arbiter/contract';
import { packs } from '@arbiter/packs';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { readFlowDirectory } from '../../packages/server/src/features/catalogue/flows/index.ts';
import { readFlowSnapshot } from '../../packages/server/src/features/deciding/plans/index.ts';
import { secretMask } from '../../packages/server/src/features/identity/audit/index.ts';
import {
  folderSnapshot,
  readFolderCatalogue,
} from '../../packages/server/src/features/operations/checks/folder/folder-catalogue.ts';
import { readFlows } from '../../packages/server/src/features/operations/checks/folder/folder-flows.ts';
import { checkPolicyFolder } from '../../packages/server/src/features/operations/checks/index.ts';
import { readPolicyFolder } from '../../packages/server/src/features/operations/gitops/index.ts';
import { kinds } from '../../packages/server/src/features/operations/gitops/kinds.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import {
  startTestServer,
  type TestServer,
  type TestTenant,
  testLoadPorts,
} from '../../packages/server/src/main/test-server.ts';
import { callsOf, makeCatalogue, secondPerson, secretsOf } from './catalogue.ts';

/** A folder must be judged as the server judges what it applies. */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 7 });
});
after(() => server?.close());

const actor = systemActor('test');

/** Names in place of ids, in an order that doesn't depend on them. Files have neither ages nor numbers of versions. */
function comparable(snapshot: unknown, names: ReadonlyMap<string, string>): unknown {
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const named = (text: string): string => text.replaceAll(uuid, (id) => names.get(id) ?? id);
  const sorted = (inner: unknown): unknown => {
    if (Array.isArray(inner)) {
      const items = inner.map(sorted);
      const isRecords = items.every(
        (item) => typeof item === 'object' && item !== null && ('id' in item || 'lookupColumn' in item),
      );
      return isRecords ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
    }
    if (typeof inner === 'string') return inner.includes(secretMask) ? secretMask : named(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    const entries = Object.entries(inner).filter(([key]) => key !== 'createdAt' && key !== 'version');
    const others = entries.map(([key, each]): [string, unknown] => [named(key), sorted(each)]);
    return Object.fromEntries(others.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return sorted(snapshot);
}

/** A file calls segments by name, also where a tenant has stored their ids. */
const nameOf = (type: string, name: string): string => (type === 'segments' ? name : `${type}:${name}`);

/** Returns the names of a tenant's records. */
async function namesOf(tenant: TestTenant): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { type, naming, resource } of kinds) {
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `limit=${resource.page.maximum}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await server.call<{
        data: Record<string, string>[];
        pagination?: { nextCursor?: string | null };
      }>('GET', `/api/v1/${resource.path}?${query}`, { key: tenant.keys.admin });
      for (const record of body.data) names.set(record.id!, nameOf(type, record[naming]!));
      cursor = body.pagination?.nextCursor ?? null;
    }
  }
  return names;
}

async function assertJudgedAlike(tenant: TestTenant, files: readonly PolicyFile[]): Promise<void> {
  const folder = await readPolicyFolder(files);
  assert.deepEqual(folder.errors, []);
  const refused: unknown[] = [];
  const refuse = (path: string, problems: readonly object[]) =>
    refused.push(...problems.map((each) => ({ path, each })));
  const catalogue = await readFolderCatalogue(folder, refuse);
  const { directory } = readFlows(folder, catalogue, refuse);
  assert.deepEqual(refused, []);
  const own = new Map(folder.objects.map(({ id, type, name }) => [id, nameOf(type, name)]));
  const names = await namesOf(tenant);
  const stored = await server.database.withTenant(
    tenant.id,
    actor,
    async (tx) => {
      const flows = (await readFlowDirectory(tx)).runnable();
      const snapshots = new Map<string, unknown>();
      for (const flow of flows) snapshots.set(flow.key, (await readFlowSnapshot(tx, flow)).snapshot);
      return snapshots;
    },
    { snapshot: true },
  );
  assert.deepEqual(
    [...stored.keys()].sort(),
    directory
      .runnable()
      .map(({ key }) => key)
      .sort(),
  );
  assert.notEqual(stored.size, 0);
  for (const flow of directory.runnable()) {
    const judged = folderSnapshot(catalogue, directory, flow);
    assert.deepEqual(comparable(judged, own), comparable(stored.get(flow.key), names), flow.key);
  }
}

/** Returns files at the paths that their names ask for. */
async function placed(written: Readonly<Record<string, string>>): Promise<PolicyFile[]> {
  const files = Object.entries(written).map(([path, content]) => ({ path, content }));
  const { errors } = await readPolicyFolder(files);
  const paths = new Map(
    errors.flatMap(({ path, message }) => {
      const wanted = /^must be at (\S+),/.exec(message)?.[1];
      return wanted === undefined ? [] : [[path.split('#')[0], wanted] as const];
    }),
  );
  return files.map(({ path, content }) => ({ path: paths.get(path) ?? path, content }));
}

const webNodes =
  '[{ id: i, type: inventory }, { id: q, type: qualify }, { id: s, type: score, config: { method: priority_weighted } }]';
const soundFiles = {
  'channels/web.yaml': 'key: web\nname: Web\nchannelType: web\n',
  'offers/gold.yaml': 'name: gold\nstatus: active\n',
  'decision-flows/main.yaml': `key: main\nname: Main\nstatus: active\ndraft: { version: 2, nodes: ${webNodes}, flowConfig: {} }\n`,
};

const schemas = {
  'schemas/people.yaml':
    'name: people\ndisplayName: People\nschemaType: customer\nautoEnrich: true\nfields: [{ name: customer_id, dataType: varchar, isPrimaryKey: true }, { name: age, dataType: integer }]\n',
  'schemas/pays.yaml':
    'name: pays\ndisplayName: Pays\nschemaType: transaction\nfields: [{ name: nr, dataType: integer, isPrimaryKey: true }, { name: payer, dataType: varchar }]\n',
};
const joined = (sides: string) => ({
  ...schemas,
  'schema-joins/j.yaml': `name: j\nprimarySchemaId: people\n${sides}\n`,
});
const segment = (definition: string) => ({
  ...schemas,
  'segments/s.yaml': `name: s\nbaseSchemaId: people\n${definition}\n`,
});

describe('rejects what an apply rejects, with the same text', () => {
  const broken: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a text that is no YAML': { 'offers/gold.yaml': 'name: [gold\n' },
    'an unknown property': { 'offers/gold.yaml': 'name: gold\nprice: 3\n' },
    'a value of another type': { 'offers/gold.yaml': 'name: gold\npriority: high\n' },
    'a record that is missing': { 'offers/gold.yaml': 'name: gold\ncategoryId: Cards\n' },
    'a file at another path': { 'offers/silver.yaml': 'name: gold\n' },
    'a rule whose config says nothing': {
      'qualification-rules/adults.yaml': 'name: adults\nruleType: attribute_condition\nconfig: {}\n',
    },
    'a policy in an unknown time zone': {
      'contact-policies/cap.yaml':
        'name: cap\nruleType: time_window\nconfig: { startHour: 8, endHour: 20, timezone: Mars/Base }\nscopes: [{ scope: global }]\n',
    },
    'a policy without assignments': {
      'contact-policies/cap.yaml': 'name: cap\nruleType: frequency_cap\nconfig: { maxPerDay: 3 }\n',
    },
    'targeting by an unknown operator': {
      'placements/web-top-9d62a3bd.yaml':
        'channelId: web\nkey: top\nname: Top\ntargeting: { field: customer.age, operator: is, value: 18 }\n',
    },
    'a flow without a score method': {
      'decision-flows/main.yaml':
        'key: main\nname: Main\nstatus: active\ndraft: { version: 2, nodes: [{ id: i, type: inventory }], flowConfig: {} }\n',
    },
    'a setting of another type': { 'settings.yaml': 'maxOffersPerDecision: many\n' },
    'a model type that no one knows': {
      'algorithm-models/guess.yaml': 'key: guess\nname: Guess\nmodelType: guess\n',
    },
    'a field of two types': {
      'categories/cards.yaml': 'name: cards\ncustomFields: [{ key: a, type: number }, { key: a, type: text }]\n',
    },
    'a schema with a column named twice': {
      'schemas/people.yaml':
        'name: people\ndisplayName: People\nfields: [{ name: a, dataType: text }, { name: a, dataType: text }]\n',
    },
    'a schedule that ends before it starts': {
      'offers/gold.yaml': 'name: gold\nschedule: { startDate: "2026-12-02", endDate: "2026-12-01" }\n',
    },
    'a schedule in an unknown time zone': { 'offers/gold.yaml': 'name: gold\nschedule: { timezone: Mars/Base }\n' },
    'eligibility by an unknown operator': {
      'offers/gold.yaml': 'name: gold\neligibility: { conditions: { field: customer.age, operator: is, value: 1 } }\n',
    },
    'a mandate without a reason': { 'offers/gold.yaml': 'name: gold\nmandatory: true\n' },
    'a sub-category of another category': {
      'categories/cards.yaml': 'name: cards\n',
      'categories/loans.yaml': 'name: loans\n',
      'sub-categories/cards-x-8e81db70.yaml': 'name: x\ncategoryId: cards\n',
      'offers/gold.yaml': 'name: gold\ncategoryId: loans\nsubCategoryId: [cards, x]\n',
    },
    'an active offer without a required custom field': {
      'categories/cards.yaml': 'name: cards\ncustomFields: [{ key: fee, type: number, required: true }]\n',
      'offers/gold.yaml': 'name: gold\nstatus: active\ncategoryId: cards\n',
    },
    'a creative for a placement of another channel': {
      'channels/mail.yaml': 'key: mail\nname: Mail\nchannelType: email\n',
      'placements/mail-top-55a380a0.yaml': 'channelId: mail\nkey: top\nname: Top\n',
      'creatives/c.yaml': 'name: c\nofferId: gold\nchannelId: web\nplacementId: [mail, top]\n',
    },
    'a join by a column that is missing': joined('primaryKey: nope\nforeignSchemaId: pays\nforeignKey: payer'),
    'a join with a column that is missing': joined('primaryKey: age\nforeignSchemaId: pays\nforeignKey: nope'),
    'a join of a schema with itself': joined('primaryKey: age\nforeignSchemaId: people\nforeignKey: age'),
    'a segment by a column that is missing': segment('filters: { field: nope, operator: eq, value: 1 }'),
    'a segment by an unknown operator': segment('filters: { field: age, operator: is, value: 1 }'),
    'a segment that compares a number with a text': segment('filters: { field: age, operator: gte, value: old }'),
    'a segment by a metric that is missing': segment('filters: { field: metric.nope, operator: gte, value: 1 }'),
    'a segment with a join by a column that is missing': segment(
      'joins: [{ alias: p, schemaId: pays, baseField: customer_id, joinField: nope }]',
    ),
    'a segment of rows that aren’t customers': {
      ...schemas,
      'segments/s.yaml': 'name: s\nbaseSchemaId: pays\n',
    },
    'a model with an invalid schedule': {
      'algorithm-models/m.yaml': 'key: m\nname: M\nmodelType: bayesian\nlearnSchedule: "99 * * * *"\n',
    },
    'an experiment whose champion is a challenger': {
      'algorithm-models/m.yaml': 'key: m\nname: M\nmodelType: bayesian\n',
      'experiments/e.yaml': 'key: e\nname: E\nchampionModelId: m\nchallengers: [{ modelId: m, trafficPct: 50 }]\n',
    },
  };
  for (const [name, files] of Object.entries(broken)) {
    test(name, async () => {
      await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
      const wanted = Object.entries({ ...soundFiles, ...files }).map(([path, content]) => ({ path, content }));
      const answer = await server.call<{ errors: { path: string; message: string }[] }>('POST', '/api/v1/gitops/diff', {
        body: { files: wanted },
        key: server.tenants[6]!.keys.admin,
      });
      assert.equal(answer.status >= 400 && answer.status < 500, true, answer.text);
      const { errors, findings, flows } = await checkPolicyFolder(wanted, Date.now());
      const shown = errors.map(({ path, message }) => `${path} ${message}`);
      assert.deepEqual(
        shown,
        answer.body.errors.map(({ path, message }) => `${path} ${message}`),
      );
      assert.deepEqual([findings, flows], [[], []]);
    });
  }

  test('accepts the same files without the fault', async () => {
    const files = Object.entries(soundFiles).map(([path, content]) => ({ path, content }));
    assert.deepEqual((await checkPolicyFolder(files, Date.now())).errors, []);
  });
});

describe('a folder gives the catalogue that the server reads', () => {
  for (const [at, pack] of packs.entries()) {
    test(`for the pack ${pack.key}, and nothing in it never works`, async () => {
      const tenant = server.tenants[at]!;
      await server.database.withTenant(tenant.id, actor, (tx) => loadPack(tx, pack, testLoadPorts));
      const { files } = await callsOf(server, tenant).export();
      await assertJudgedAlike(tenant, files);
      const { errors, findings, flows, contradictions } = await checkPolicyFolder(files, Date.now());
      assert.deepEqual(errors, []);
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== 'info'),
        [],
      );
      assert.equal(contradictions, 0);
      assert.ok(flows.some(({ offers }) => offers > 0));
    });
  }

  test('for a catalogue that uses every property', async () => {
    const tenant = server.tenants[3]!;
    const calls = callsOf(server, tenant);
    await makeCatalogue(calls, callsOf(server, tenant, await secondPerson(server, tenant)));
    const { files } = await calls.export();
    const to = server.tenants[5]!;
    await callsOf(server, to).apply({ files, secrets: secretsOf(files) });
    // Content is published by another person.
    await callsOf(server, to, await secondPerson(server, to)).apply({ files });
    await assertJudgedAlike(to, files);
  });

  test('for files written by a person, with defaults and other spellings', async () => {
    const tenant = server.tenants[4]!;
    const nodes =
      '[{ id: i, type: inventory }, { id: q, type: qualify }, { id: c, type: contact_policy }, { id: s, type: score, config: { method: priority_weighted } }]';
    const written = {
      'categories/cards-3d0c7e3d.yaml':
        'name: Cards\ncustomFields: [{ key: fee, type: computed, formula: "2 * 3", outputType: decimal }]\n',
      'channels/web.yaml': 'key: web\nname: Web\nchannelType: web\n',
      'placements/web-top.yaml':
        'channelId: web\nkey: top\nname: Top\ntargeting: { field: customer.age, operator: gte, value: 18 }\n',
      'offers/gold.yaml':
        'name: gold\nstatus: active\ncategoryId: Cards\nbudget: { dailyCapCents: 500 }\ninventory: { totalStock: 3 }\n',
      'offers/idle.yaml': 'name: idle\n',
      'creatives/gold.yaml': 'name: gold\nofferId: gold\nchannelId: web\nplacementId: [web, top]\nstatus: active\n',
      'qualification-rules/adults.yaml':
        'name: adults\nstatus: active\nruleType: attribute_condition\nconfig: { attribute: customer.tier, operator: "==", value: gold }\nstage: suitability\n',
      'contact-policies/cap.yaml':
        'name: cap\nstatus: active\nruleType: frequency_cap\nconfig: { maxPerDay: 3 }\nscopes: [{ scope: global }]\n',
      'decision-flows/main.yaml': `key: main\nname: Main\nstatus: active\ndraft: { version: 2, nodes: ${nodes}, flowConfig: {} }\n`,
    };
    const files = await placed(written);
    await callsOf(server, tenant).apply({ files });
    await assertJudgedAlike(tenant, files);
  });
});
