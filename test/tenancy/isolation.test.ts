// Runs in a process of its own: it takes as long as many others together.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { isSecret, type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { sized } from '../form.ts';
import { examples } from '../operations/examples.ts';
import { send } from '../operations/requests.ts';
import { type PopulatedTenant, populate } from './world.ts';

/** Many tenants on one server at once: each sees only its own data (docs/design/quality.md T2c, T2e, R7, law 4). */

const tenantCount = 20;
let server: TestServer;
let populated: PopulatedTenant[];
before(async () => {
  server = await startTestServer({ tenants: tenantCount, config: { DATABASE_POOL_MAX: 4 } });
  populated = [];
  for (const tenant of server.tenants) {
    populated.push(await populate(server, tenant, { sparse: true }));
  }
});
after(() => server?.close());

const marker = /mark[0-9a-f]{10}/g;

/** Returns every marker and tenant id in a text that belongs to another tenant. */
function foreignTo({ fixtures, tenant }: PopulatedTenant, text: string): string[] {
  const markers = [...text.matchAll(marker)].map(([found]) => found).filter((found) => found !== fixtures.marker);
  const ids = server.tenants.filter((other: TestTenant) => other.id !== tenant.id && text.includes(other.id));
  return [...markers, ...ids.map(({ id }) => id)];
}

/** Makes one call of a tenant, of a different kind each turn. */
async function anyCall(turn: number, of: PopulatedTenant): Promise<{ status: number; text: string }> {
  const { tenant, fixtures, world, schema, decision } = of;
  const customerId = `customer ${fixtures.marker}`;
  const calls: [string, string, unknown?][] = [
    ['GET', 'offers?limit=100'],
    ['POST', 'recommend', { customerId, channelId: world.channel.id, decisionFlowKey: world.flow.key, debug: true }],
    ['GET', `schemas/${schema.id}/data`],
    ['PUT', `offers/${world.otherOffer.id}`, { shortDesc: `${fixtures.marker} ${turn}` }],
    ['GET', 'audit-logs?limit=20'],
    ['GET', `decisions/${String(decision.recommendationId)}?include=inputs`],
    ['POST', 'categories', { name: fixtures.name('Crowd') }],
    ['GET', 'decision-traces'],
    ['GET', 'creatives'],
    ['GET', 'tenant'],
  ];
  const [method, path, body] = calls[turn % calls.length]!;
  const answer = await server.call(method, `/api/v1/${path}`, { key: tenant.keys.admin, body });
  return { status: answer.status, text: answer.text };
}

/** No connection in time, or none to the store of rate limits. */
const isBusy = (status: number) => status === 503 || status === 429;

/** Repeats the call until the server has time for it. */
async function patiently(turn: number, of: PopulatedTenant) {
  for (let tries = 1; ; tries += 1) {
    const answer = await anyCall(turn, of);
    if (!isBusy(answer.status) || tries === 10) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

test('T2c: 200 requests of 20 tenants at once over a pool of 4 see only their own', async () => {
  const turns = Array.from({ length: 200 }, (_, turn) => turn);
  const answers = await Promise.all(
    turns.map(async (turn) => {
      const of = populated[turn % tenantCount]!;
      // Seven and twenty are coprime, so every tenant makes calls of every kind.
      return { of, ...(await anyCall(turn * 7 + Math.floor(turn / tenantCount), of)) };
    }),
  );
  for (const { of, text } of answers) assert.deepEqual(foreignTo(of, text), []);
  const good = answers.filter(
    ({ of, status, text }) => status < 300 && (text.includes(of.fixtures.marker) || text.includes(of.tenant.id)),
  );
  // On a busy machine a few may get no connection in time. Those responses must contain nothing of others either.
  assert.ok(good.length >= 100, `${good.length} of 200 were answered`);
  assert.deepEqual(
    answers.filter(({ status }) => status >= 300 && !isBusy(status)),
    [],
  );
});

/** Of 30 clients each. */
const leavingRounds = sized('LEAVING_ROUNDS', { short: 4, long: 10 });

test('T2e: clients that disconnect mid-request leave nothing behind', async () => {
  const address = await server.app.listen({ port: 0, host: '127.0.0.1' });
  const leave = (turn: number) =>
    new Promise<void>((resolve) => {
      const { tenant, fixtures, world } = populated[turn % tenantCount]!;
      const writes = turn % 2 === 0;
      const body = writes
        ? { name: fixtures.name('Left'), description: 'x'.repeat(turn) }
        : { customerId: `left ${turn}`, channelId: world.channel.id, decisionFlowKey: world.flow.key };
      const outgoing = request(`${address}/api/v1/${writes ? 'categories' : 'recommend'}`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${tenant.keys.admin}`,
          'content-type': 'application/json',
          'x-requested-with': 'XMLHttpRequest',
        },
      });
      outgoing.on('error', () => resolve()).on('close', () => resolve());
      const text = JSON.stringify(body);
      // Some disconnect before the body is complete, others at some point of the work.
      if (turn % 5 === 0) outgoing.write(text.slice(0, -1), () => outgoing.destroy());
      else outgoing.end(text, () => void setTimeout(() => outgoing.destroy(), turn % 13));
    });
  for (let round = 0; round < leavingRounds; round += 1) {
    await Promise.all(Array.from({ length: 30 }, (_, index) => leave(round * 30 + index)));
  }
  const settings = await Promise.all(
    Array.from({ length: 4 }, () =>
      server.database.withSystem('test', async (tx) => {
        await tx.query('select pg_sleep(0.05)');
        return tx.query<{ tenant: string | null }>(`select current_setting('app.tenant', true) as tenant`);
      }),
    ),
  );
  for (const [row] of settings) assert.ok(row!.tenant === '' || row!.tenant === null, String(row!.tenant));
  const open = await server.testDatabase.ownerQuery(
    `select state, query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
       and now() - state_change > interval '2 seconds'`,
  );
  assert.deepEqual(open, []);
  for (const [turn, of] of populated.entries()) {
    const answer = await patiently(turn, of);
    assert.ok(answer.status < 300, answer.text);
    assert.deepEqual(foreignTo(of, answer.text), []);
  }
  // Work that a client didn't wait for happened completely or not at all.
  const [halves] = await server.testDatabase.ownerQuery<{ categories: number }>(
    `select count(*) as categories from arbiter.categories c where name like 'Left %' and not exists (
       select from arbiter.audit_logs a where a.tenant_id = c.tenant_id and a.entity_id = c.id::text and a.action = 'create')`,
  );
  assert.equal(halves!.categories, 0);
  for (const { tenant } of populated.slice(0, 5)) {
    const chain = await server.call('GET', '/api/v1/audit-logs/verify', { key: tenant.keys.admin });
    assert.equal(chain.body.intact, true, chain.text);
  }
});

test('no response to one tenant contains a word of another, on any route that reads', async () => {
  const reads: readonly Operation[] = Object.values(operations).filter(({ method }) => method === 'GET');
  const [first] = populated;
  let read = 0;
  for (const operation of reads) {
    if (isSecret(operation.auth)) continue;
    const key = operation.auth === 'none' ? null : (await first!.fixtures.credentials(operation)).admin;
    const own = await examples[operation.id]!(first!.fixtures);
    const needed: unknown = Reflect.get(operation.query ?? {}, 'required') ?? [];
    const required = Object.entries(own.query ?? {}).filter(([name]) => Array.isArray(needed) && needed.includes(name));
    const isList = Object.hasOwn((Reflect.get(operation.query ?? {}, 'properties') ?? {}) as object, 'limit');
    // As in the example, and without any optional filter.
    const calls = isList
      ? [
          own,
          {
            ...own,
            query: operation.id === 'auditLogs.verify' ? {} : { ...Object.fromEntries(required), limit: '100' },
          },
        ]
      : [own];
    for (const call of calls) {
      const answer = await send(server, operation, call, { key });
      // Without a credential, a link leads to a page, and unconfigured features don't exist.
      assert.ok(answer.status < (operation.auth === 'none' ? 500 : 300), `${operation.id}: ${answer.text}`);
      assert.deepEqual(foreignTo(first!, JSON.stringify(answer.headers) + answer.text), [], operation.id);
      read += 1;
    }
  }
  assert.ok(read > 50, `${read} answers were read`);
});

test("T36: the log contains no key, no customer and no word of a tenant's texts", () => {
  const log = server.log.map((line) => JSON.stringify(line)).join('\n');
  assert.ok(server.log.length > 500);
  for (const { tenant, fixtures } of populated) {
    for (const secret of [...Object.values(tenant.keys), fixtures.marker]) assert.ok(!log.includes(secret), secret);
  }
});
