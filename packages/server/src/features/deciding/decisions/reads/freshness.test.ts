import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startServerOn, startTestServer, type TestNode, type TestServer } from '../../../../main/test-server.ts';
import { newId } from '../../../../platform/ids.ts';

/** What a decision may require of its catalogue and profile (docs/design/api-settled.md 8). */

let server: TestServer;
let other: TestNode;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  // Another process over the same database: it learns of changes through notifications and by polling.
  other = startServerOn({ ...server.testDatabase, close: async () => undefined }, {});
});
after(async () => {
  await other?.close();
  await server?.close();
});

type Answer = RecommendAnswer & {
  readonly code: string;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly { readonly path: string }[];
  readonly freshness: { readonly configVersion: number };
};

const key = () => server.tenants[0].keys.admin;
const recommend = (body: object, at: Pick<TestServer, 'call'> = server) =>
  at.call<Answer>('POST', '/api/v1/recommend', { body: { customerId: 'C1', ...body }, key: key() });
let number = 0;
async function change(): Promise<number> {
  number += 1;
  const body = { name: `Offer ${number}`, status: 'active' };
  const made = await server.call('POST', '/api/v1/offers', { body, key: key() });
  assert.equal(made.status, 201, made.text);
  return Number(made.headers['x-config-version']);
}
const stored = async (table: string) => {
  const [row] = await server.testDatabase.ownerQuery<{ rows: number }>(
    `select count(*)::int as rows from arbiter.${table} where tenant_id = $1`,
    [server.tenants[0].id],
  );
  return row!.rows;
};

test('a decision sees the change it requires, in the process that made it and in another', async () => {
  await recommend({});
  await recommend({}, other);
  for (let round = 0; round < 5; round += 1) {
    const minConfigVersion = await change();
    for (const at of [server, other]) {
      const answer = await recommend({ require: { minConfigVersion } }, at);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.body.freshness.configVersion >= minConfigVersion);
    }
  }
});

test('a decision waits for a version that is committed in the meantime', async () => {
  // It waits a second. A busy machine may take longer for the change, so there are several attempts.
  for (let attempt = 1; ; attempt += 1) {
    const version = await change();
    const waiting = Promise.all(
      [server, other].flatMap((at) => [
        recommend({ require: { minConfigVersion: version + 1 } }, at),
        recommend({ require: { minConfigVersion: version + 1 }, dryRun: true }, at),
      ]),
    );
    assert.equal(await change(), version + 1);
    const answers = await waiting;
    const late = answers.find(({ status }) => status !== 200);
    if (late !== undefined && attempt < 10) continue;
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.body.freshness.configVersion > version);
    }
    return;
  }
});

test("a version that doesn't arrive is 503 not_fresh; nothing is stored, and the requestId stays free", async () => {
  const version = await change();
  const requestId = newId();
  const before = [await stored('decisions'), await stored('decision_requests'), await stored('outbox')];
  const body = { requestId, require: { minConfigVersion: version + 1, maxProfileAgeMs: 0 } };
  for (const more of [{}, { dryRun: true }]) {
    const refused = await recommend({ ...body, ...more });
    assert.equal(refused.status, 503, refused.text);
    assert.deepEqual([refused.body.code, refused.body.retryAfterSeconds], ['not_fresh', 1]);
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal(refused.body.errors?.[0]?.path, '/require/minConfigVersion');
  }
  assert.deepEqual([await stored('decisions'), await stored('decision_requests'), await stored('outbox')], before);
  assert.equal(await change(), version + 1);
  const made = await recommend(body);
  assert.equal(made.status, 200, made.text);
  assert.equal(made.headers['idempotent-replay'], undefined);
  // The answer is stored: a repeat gets it without another check of its requirement.
  const repeated = await recommend(body);
  assert.deepEqual([repeated.text, repeated.headers['idempotent-replay']], [made.text, 'true']);
  const another = await recommend({ ...body, require: { minConfigVersion: version } });
  assert.deepEqual([another.status, another.body.code], [422, 'idempotency_key_reused']);
});

test("another tenant's version doesn't count", async () => {
  const stranger = server.tenants[1]!.keys.admin;
  const version = await change();
  const body = { customerId: 'C1', require: { minConfigVersion: version + 1 } };
  const made = await server.call('POST', '/api/v1/categories', { body: { name: 'Theirs' }, key: stranger });
  assert.equal(made.status, 201);
  const answer = await server.call<Answer>('POST', '/api/v1/recommend', { body, key: stranger });
  assert.deepEqual([answer.status, answer.body.code], [503, 'not_fresh']);
});

test('an invalid require is 400 with its path; null and absence require nothing', async () => {
  for (const [require, path] of [
    [{ minConfigVersion: -1 }, '/require/minConfigVersion'],
    [{ minConfigVersion: 1.5 }, '/require/minConfigVersion'],
    [{ minConfigVersion: '1' }, '/require/minConfigVersion'],
    [{ minConfigVersion: null }, '/require/minConfigVersion'],
    [{ maxProfileAgeMs: -1 }, '/require/maxProfileAgeMs'],
    [[], '/require'],
    ['fresh', '/require'],
  ] as const) {
    const answer = await recommend({ require });
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.errors?.[0]?.path],
      [400, 'validation_failed', path],
    );
  }
  for (const require of [null, {}, { minConfigVersion: 0 }, { maxProfileAgeMs: 0 }]) {
    assert.equal((await recommend({ require })).status, 200);
  }
});
