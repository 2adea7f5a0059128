import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { insertScored } from '../../packages/server/src/features/catalogue/models/index.ts';
import {
  readAssignments,
  saveAssignments,
  saveExposures,
} from '../../packages/server/src/features/deciding/assignments/index.ts';
import { lockMadeStates, saveStates } from '../../packages/server/src/features/deciding/customer-states/index.ts';
import { contactsSince, insertShown } from '../../packages/server/src/features/deciding/interactions/index.ts';
import {
  insertReservations,
  raiseVolumes,
  readVolumes,
  volumeArrays,
  volumeNames,
  volumeRef,
} from '../../packages/server/src/features/deciding/volumes/index.ts';
import { createOutboxDispatcher } from '../../packages/server/src/features/operations/stream/index.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { populate } from './world.ts';

// No statement of the hot path touches two tenants: each finds its rows by one tenant's id, with or without row-level
// security. That lets the rows of a tenant live on one of several machines (docs/guides/scaling.md).

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Operation?: string;
  readonly Schema?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
  readonly [property: string]: unknown;
}

let server: TestServer;
/** The newest statement sent under each name, as PostgreSQL received it. */
const sent = new Map<string, Statement>();
/** Texts of the prepared statements by name. */
const texts = new Map<string, string>();
const write: unknown = Reflect.get(Socket.prototype, 'write');

before(async () => {
  Reflect.set(Socket.prototype, 'write', function (this: Socket, ...call: unknown[]): unknown {
    if (call[0] instanceof Uint8Array) note(call[0]);
    if (typeof write !== 'function') throw new Error('a socket has no write');
    return Reflect.apply(write, this, call);
  });
  server = await startTestServer({ tenants: 2 });
});
after(async () => {
  Reflect.set(Socket.prototype, 'write', write);
  await server?.close();
});

/** Notes the named statements of a write that consists of whole messages of PostgreSQL's protocol. */
function note(chunk: Uint8Array): void {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const messages: [type: string, body: Buffer][] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.length < at + 5 ? 0 : bytes.readInt32BE(at + 1);
    if (length < 4 || at + 1 + length > bytes.length) return;
    messages.push([String.fromCharCode(bytes[at]!), bytes.subarray(at + 5, at + 1 + length)]);
    at += 1 + length;
  }
  for (const [type, body] of messages) {
    const [first, rest] = takeText(body);
    if (type === 'P') texts.set(first, takeText(rest)[0]);
    if (type !== 'B') continue;
    const [name, parameters] = takeText(rest);
    const text = texts.get(name);
    if (name !== '' && text !== undefined) sent.set(name, { name, text, values: valuesOf(parameters) });
  }
}

/** Returns a text that ends with a zero byte, and the bytes after it. */
function takeText(bytes: Buffer): [text: string, rest: Buffer] {
  const end = bytes.indexOf(0);
  return end < 0 ? ['', bytes] : [bytes.toString('utf8', 0, end), bytes.subarray(end + 1)];
}

/** Returns a Bind message's values as texts. */
function valuesOf(bytes: Buffer): (string | null)[] {
  let at = 2 + 2 * bytes.readInt16BE(0);
  const count = bytes.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = bytes.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? null : bytes.toString('utf8', at - length, at);
  });
}

/** Statements that read no tenant's rows: the transaction's and those that set the session. */
const withoutRows = new Set([
  ...['hot.begin', 'hot.tenant', 'hot.present', 'hot.leftover', 'hot.commit', 'hot.rollback'],
  ...['outbox.take', 'volumes.announce'],
]);
/** Sent in races and after gaps that this test doesn't cause. Their conditions equal those of other statements. */
const rare = new Map([
  ['decisions.lock.wait', 'decisions.lock'],
  ['tenants.quota.hold', 'tenants.quota.read'],
]);
const shownItem = {
  id: newId(),
  rank: 1,
  offerId: newId(),
  creativeId: null,
  channelId: null,
  placementId: null,
  categoryId: null,
  reservedUntil: null,
};
const shownOne = { id: newId(), customerId: 'somebody', customerSeq: 1, context: null, items: [shownItem] };
const madeState = {
  customerId: 'somebody',
  customerSeq: 1,
  hadBase: true,
  stored: { state: Buffer.alloc(1), base: Buffer.alloc(1) },
};
const reserved = {
  itemId: newId(),
  offerId: newId(),
  creativeId: null,
  channelId: null,
  costCents: 1,
  reservedAt: new Date(0),
  expiresAt: new Date(1),
};
const volume = volumeRef({ scope: 'offer', scopeId: newId() });
const raisedAt = { now: new Date(0), dayStart: new Date(0), dayEnd: new Date(1) };
const raised = { ref: volume, impressions: 1, spentCents: 1, dayImpressions: 1, daySpentCents: 1 };
const assigned = { customerId: 'somebody', experimentId: newId(), variant: 'two' };
/** Sent for histories, models, experiments and budgets that this test doesn't have. */
const made = (tenantId: string): readonly Statement[] => [
  ...saveStates(tenantId, [madeState]),
  lockMadeStates(tenantId, ['somebody']),
  contactsSince(tenantId, 'somebody', new Date(0), newId()),
  readAssignments(tenantId, [newId()], ['somebody']),
  saveAssignments(tenantId, new Date(0), [{ ...assigned, share: 0.5 }]),
  saveExposures(tenantId, new Date(0), [assigned]),
  insertScored(tenantId, [{ decisionId: newId(), modelId: newId() }], new Date(0)),
  readVolumes(tenantId, volumeArrays([volume]), true),
  insertReservations(tenantId, [reserved]),
  raiseVolumes(tenantId, [raised], raisedAt, true),
  raiseVolumes(tenantId, [raised], raisedAt, false),
  volumeNames(tenantId),
  ...insertShown(tenantId, new Date(0), [
    shownOne,
    { ...shownOne, items: [{ ...shownItem, reservedUntil: new Date(1) }] },
  ]),
];

/** Returns the names of the statements in the stores of the hot path. */
function namesInSources(): ReadonlySet<string> {
  const features = join(import.meta.dirname, '../../packages/server/src/features');
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.store.ts'),
  );
  const sources = files
    .map((file) => readFileSync(join(features, file), 'utf8'))
    .filter((text) => text.includes('HotStatement'));
  assert.ok(sources.length >= 5, 'the stores of the hot path were found');
  const lines = sources.flatMap((text) => text.split('\n').filter((line) => /^\s+name: /.test(line)));
  return new Set(lines.flatMap((line) => [...line.matchAll(/'([a-z]+(?:\.[a-z]+)+)'/g)].map(([, name]) => name!)));
}

async function work(tenant: TestTenant): Promise<void> {
  const { world, fixtures } = await populate(server, tenant);
  const call = (path: string, body: object) => server.call('POST', `/api/v1/${path}`, { key: tenant.keys.admin, body });
  const ask = { channelId: world.channel.id, decisionFlowKey: world.flow.key };
  for (const dryRun of [true, false]) {
    const { status, text } = await call('recommend', { customerId: `customer ${fixtures.marker}`, dryRun, ...ask });
    assert.equal(status, 200, text);
  }
  await fixtures.campaignRun();
  await fixtures.pipelineRun();
}

test('every statement of the hot path names one tenant, and reads, changes and adds rows of that one only', async (t) => {
  // Other files of the process may have sent statements already.
  sent.clear();
  const [first, second] = server.tenants as readonly [TestTenant, TestTenant];
  const { ownerQuery } = server.testDatabase;
  await ownerQuery('update arbiter.tenants set is_playground = true where id = $1', [second.id]);
  await ownerQuery('insert into arbiter.playground_quotas (tenant_id, used) values ($1, 0)', [second.id]);
  await work(second);
  await work(first);
  const dispatcher = createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  });
  await dispatcher.drain();

  for (const statement of made(first.id)) sent.set(statement.name, statement);

  const expected = namesInSources();
  const missing = [...expected].filter((name) => !sent.has(name) && !rare.has(name));
  t.diagnostic(`${sent.size} statements: ${[...sent.keys()].sort().join(', ')}`);
  assert.deepEqual(missing, [], 'statements that this test does not know');

  const tenants = server.tenants.map(({ id }) => id);
  for (const statement of sent.values()) {
    if (withoutRows.has(statement.name)) continue;
    const named = statement.values.flatMap((value, i) => (tenants.includes(String(value)) ? [`$${i + 1}`] : []));
    const text = statement.values.map(String).join(' ');
    assert.ok(tenants.filter((id) => text.includes(id)).length === 1, `${statement.name} names one tenant`);
    assert.deepEqual(await problemsOf(statement, named), [], statement.name);
  }
});

test('finds a statement that touches another tenant', async () => {
  const bad = [
    'select state from customer_states where customer_id = $2 and $1::uuid is not null',
    'select s.state from customer_states s join outbox o on o.tenant_id = $1 where s.customer_id = $2',
    'update customer_states set state = state where customer_id = $2 or tenant_id = $1',
    'delete from interactions where recommendation_id in (select id from interactions where tenant_id = $1 and customer_id = $2)',
    'insert into stream_heads (tenant_id, position) select t.id, $2::bigint from tenants t where $1::uuid is not null',
  ];
  for (const text of bad) {
    assert.notDeepEqual(await problemsOf({ name: 'bad', text, values: [] }, ['$1']), [], text);
  }
  const good =
    'select s.state from customer_states s join outbox o using (tenant_id) where s.tenant_id = $1 and s.customer_id = $2';
  assert.deepEqual(await problemsOf({ name: 'good', text: good, values: [] }, ['$1']), []);
});

/** Returns what a statement's plan does beyond one tenant, as a role without policies. */
async function problemsOf({ text }: Statement, tenantParameters: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: server.testDatabase.adminUrl });
  await client.connect();
  try {
    await client.query('set search_path = arbiter, pg_temp; set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
      `explain (generic_plan, verbose, format json) ${text}`,
    );
    return [...judge(rows[0]!['QUERY PLAN'][0].Plan, tenantParameters)];
  } finally {
    await client.end();
  }
}

const conditionNames = ['Index Cond', 'Filter', 'Recheck Cond', 'Hash Cond', 'Join Filter', 'Merge Cond'];

function* judge(node: PlanNode, parameters: readonly string[]): Generator<string> {
  const relation = node['Relation Name'];
  const ours = relation !== undefined && /^(arbiter|t_[0-9a-f]{32})$/.test(node.Schema ?? '');
  if (ours && node['Node Type'] === 'ModifyTable') {
    // An update or deletion finds its rows by the scan below it. A new row carries the given tenant.
    if (node.Operation === 'Insert' && !insertsOneTenant(node, parameters))
      yield `adds rows to ${relation} of ${tenantOfRows(node)}`;
  } else if (ours) {
    const conditions = conditionNames.flatMap((name) => (typeof node[name] === 'string' ? [String(node[name])] : []));
    const column = relation === 'tenants' ? 'id' : 'tenant_id';
    const byTenant = conditions.some((condition) => isBound(condition, column, parameters));
    if (!byTenant) yield `${node['Node Type']} of ${relation} by ${conditions.join(' and ') || 'nothing'}`;
  }
  for (const child of node.Plans ?? []) yield* judge(child, parameters);
}

/** True if every matching row has the given tenant, or the tenant of a row found by it. */
function isBound(condition: string, column: string, parameters: readonly string[]): boolean {
  if (/ OR /.test(condition)) return false;
  const other = [...parameters.map((parameter) => `\\${parameter}`), '[a-z_0-9]+\\.tenant_id'].join('|');
  return new RegExp(`(^|[(. ])${column} = (${other})(\\)|$)`).test(condition);
}

function insertsOneTenant(node: PlanNode, parameters: readonly string[]): boolean {
  const tenant = tenantOfRows(node);
  const isGiven = parameters.some((parameter) => tenant === parameter || tenant.startsWith(`${parameter}::`));
  return isGiven || tenant.endsWith('.tenant_id');
}

/** Returns the first column of the rows that a node adds: columns come in table order, the tenant first. */
function tenantOfRows(node: PlanNode): string {
  const [source] = node.Plans ?? [];
  const [first = 'nothing'] = source?.Output ?? [];
  // A subquery is named by its alias. Its output is in the node below.
  return source !== undefined && first.startsWith('"*SELECT') ? tenantOfRows(source) : first;
}
