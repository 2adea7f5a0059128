// Runs in a process of its own: it takes as long as many others together. Tests the promise of sealed records over
// random catalogues (docs/design/decisioning.md 3): whatever happens to the catalogue, and in another process with any
// time zone and locale, each decision replays byte for byte. Tampering is detected, and erased decisions are refused.
// `REPLAY_DECISIONS=10000` makes more of them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Chance, chanceOf } from '../../packages/engine/test/corpus/chance.ts';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { createCustomerKeys } from '../../packages/server/src/features/deciding/customer-states/index.ts';
import { learnReports } from '../../packages/server/src/features/deciding/model-learning/learn.service.ts';
import { createOutboxDispatcher } from '../../packages/server/src/features/operations/stream/index.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { createPatientCaller } from '../faults/api.ts';
import { createInstallation, type Installation, type ServerProcess } from '../faults/server-process.ts';
import { sized } from '../form.ts';
import { changeEverything } from './change-everything.ts';
import { bitsOf } from './flipped-bits.ts';
import { markOf } from './people.ts';
import { createRandomCatalogue, type RandomCatalogue } from './random-catalogue.ts';
import { type Decided, decideSome } from './random-decisions.ts';

const wanted = sized('REPLAY_DECISIONS', { short: 100, long: 10_000 });
const tenants = Math.min(20, Math.max(3, Math.ceil(wanted / 500)));
const perRound = 10;
const rounds = Math.ceil(wanted / tenants / perRound);
const maxFurtherRounds = 40;
/** Decisions are spread over these hours, the last of them some time ago. */
const hours = 70;
const hourMs = 3_600_000;

let now = Date.now() - (hours + 2) * hourMs;
let server: TestServer;
let installation: Installation;
const catalogues: RandomCatalogue[] = [];
const decided: Decided[] = [];
const keys = {
  API_KEY_PEPPER: randomBytes(20).toString('hex'),
  DATA_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
};

/** Opens the records of this installation. */
const testKeys = createCustomerKeys([Buffer.from(keys.DATA_ENCRYPTION_KEY, 'base64')]);

/** A webhook that answers every call. */
const hookChance = chanceOf('replays', 'hook');
const hook = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    if (hookChance.flip(0.1)) return void response.writeHead(500).end();
    const { candidates } = JSON.parse(text) as { readonly candidates: readonly { readonly offerId: string }[] };
    const answers = hookChance.some(candidates, 0.7).map(({ offerId }) => ({
      offerId,
      ...(hookChance.flip(0.6) ? { score: hookChance.int(0, 100) / 100 } : {}),
      ...(hookChance.flip(0.1) ? { drop: true } : {}),
    }));
    response.end(JSON.stringify({ candidates: answers }));
  });
});

before(async () => {
  await new Promise<void>((listening) => hook.listen(0, '127.0.0.1', listening));
  server = await startTestServer({
    tenants,
    clock: { now: () => now },
    config: { ...keys, OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'], OUTBOUND_HTTP_OK: true },
    checkResponses: false,
  });
  installation = await createInstallation(
    {
      DATABASE_URL: server.testDatabase.url,
      ...keys,
      RATE_LIMIT_DEFAULT_PER_MINUTE: '0',
      RECOMMEND_RATE_PER_MINUTE: '0',
    },
    [],
  );
});
after(async () => {
  await installation?.stopAll();
  await server?.close();
  hook.close();
});

interface Replay {
  readonly identical?: boolean;
  readonly differences?: readonly unknown[];
  readonly resultHash?: string;
  readonly replayedHash?: string;
  readonly code?: string;
}
type Replayer = (one: Decided) => Promise<{ readonly status: number; readonly body: Replay; readonly text: string }>;

const here: Replayer = ({ id, tenant }) =>
  untilAnswered(() => tenant.ask<Replay>('POST', `decisions/${id}/replay`, {}));

/** Attempts at a replay that a busy machine doesn't answer in time. */
const maxTries = 20;

/**
 * Retries while there was no time for an answer, and resets the rate limit when thousands of replays exceed it. Timing
 * isn't tested here, and a repeated replay does no harm.
 */
async function untilAnswered<Answer extends { readonly status: number; readonly body: { readonly code?: unknown } }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; ) {
    const answer = await ask();
    if (answer.status === 429) await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
    else if (answer.status !== 503 || answer.body.code !== 'unavailable' || tries === maxTries) return answer;
    else tries += 1;
  }
}

/** Calls another process. */
function through(process: ServerProcess): Replayer {
  const callers = new Map(
    catalogues.map(({ tenant }) => [tenant.id, createPatientCaller(() => process.url, tenant.keys.admin, 4)]),
  );
  return ({ id, tenant }) =>
    untilAnswered(() => callers.get(tenant.tenant.id)!('POST', `/v1/decisions/${id}/replay`, {}));
}

/** Replays all of them, a few at a time. */
async function each(some: readonly Decided[], act: (one: Decided) => Promise<void>): Promise<void> {
  const rest = some[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const one of rest) await act(one);
    }),
  );
}

const assertIdentical = (some: readonly Decided[], replay: Replayer) =>
  each(some, async (one) => {
    const { status, body, text } = await replay(one);
    assert.deepEqual([status, body.identical, body.differences], [200, true, []], `${one.id}: ${text}`);
    assert.equal(body.replayedHash, body.resultHash);
  });

async function learnAndCount(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  for (const { tenant } of catalogues) {
    const learnSome = () => server.database.withTenant(tenant.id, systemActor('test'), learnReports(testKeys));
    while (await learnSome());
  }
}

test(`${wanted} random decisions replay byte for byte, with everything that a decision can read`, async (t) => {
  const chances = new Map<RandomCatalogue, Chance>();
  for (const [number, tenant] of server.tenants.entries()) {
    const chance = chanceOf('replays', String(number));
    const { port } = hook.address() as AddressInfo;
    const made = await createRandomCatalogue(server, tenant, chance, `http://127.0.0.1:${port}/`);
    chances.set(made, chance);
    catalogues.push(made);
  }
  const missed = async () => {
    const [inputs, ways] = [await inputsRead(decided.slice(-500)), await waysOf(decided)];
    return [...inputsAlways.filter((name) => !inputs.has(name)), ...waysAlways.filter((way) => !ways.has(way))];
  };
  // IDs and the instant differ each time, so a few decisions may miss a flow's rarer branches.
  for (let round = 0; round < rounds || (round < rounds + maxFurtherRounds && (await missed()).length > 0); round++) {
    now += round < rounds ? (hours * hourMs) / rounds : hourMs / maxFurtherRounds;
    for (const [catalogue, chance] of chances) decided.push(...(await decideSome(chance, catalogue, perRound)));
    await learnAndCount();
  }
  assert.ok(decided.length >= wanted);
  await assertIdentical(decided, here);

  const missing = nodesAlways.filter((type) => !catalogues.some(({ nodeTypes }) => nodeTypes.has(type)));
  assert.deepEqual(missing, [], 'nodes in no flow');
  const inputs = await inputsRead(decided.slice(-500));
  const ways = await waysOf(decided);
  t.diagnostic(`${decided.length} decisions, ${[...inputs].sort().join(', ')}; ${[...ways].sort().join(', ')}`);
  assert.deepEqual(await missed(), [], 'inputs and ways of no decision');
  assert.ok(decided.filter(({ count }) => count > 0).length > wanted / 4);
});

test('random decisions still replay after everything was changed or deleted', async () => {
  for (const catalogue of catalogues) {
    const changes = await changeEverything(server, catalogue);
    for (const path of ['decision-flows', 'contact-policies', 'offers', 'creatives']) {
      const { changed, deleted } = changes.get(path)!;
      assert.ok(changed > 0 && deleted + changed > 0, `${path}: ${changed} changed, ${deleted} deleted`);
    }
  }
  await assertIdentical(decided, here);
});

test('random decisions replay in another process, time zone and locale', async () => {
  const process = await installation.start({ TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' });
  await assertIdentical(decided, through(process));
  process.kill('SIGTERM');
  await process.ended;
});

test('finds a flipped bit', async () => {
  const { ownerQuery } = server.testDatabase;
  const [named] = await ownerQuery<{ id: string }>('select decision_id as id from arbiter.model_decisions limit 1');
  const one = decided.find(({ id }) => id === named?.id)!;
  // A process that hasn't opened any plan yet, since opened plans stay in memory.
  const process = await installation.start({ LC_ALL: 'C' });
  const replay = through(process);
  for (const { what, flip } of await bitsOf(ownerQuery, one.id)) {
    await flip();
    const { status, body, text } = await replay(one);
    // Replays are compared by hash, so a changed hash differs from the replayed one.
    const wanted = what.includes('result_hash') ? [200, false] : [409, 'record_corrupt'];
    assert.deepEqual([status, body.code ?? body.identical], wanted, `${what}: ${text}`);
    await flip();
  }
  await assertIdentical([one], replay);
  process.kill('SIGTERM');
  await process.ended;
});

test('rejects erased decisions, which are nowhere in the database, and replays all others', async () => {
  const process = await installation.start({ TZ: 'America/St_Johns', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' });
  const replay = through(process);
  const erased = new Set<string>();
  for (const { customers, tenant } of catalogues) {
    const call = createPatientCaller(() => process.url, tenant.keys.admin, 1);
    for (const customerId of customers.slice(0, 3).concat(customers.slice(-1))) {
      const confirm = { 'x-confirm-delete': Buffer.from(customerId).toString('latin1') };
      const path = `/v1/customers/${encodeURIComponent(customerId)}/data?scope=everything`;
      const { status, text } = await untilAnswered(() => call('DELETE', path, undefined, confirm));
      assert.equal(status, 200, text);
      erased.add(customerId);
    }
  }
  const theirs = decided.filter(({ customerId }) => erased.has(customerId));
  assert.ok(theirs.length > 0);
  await each(theirs, async (one) => {
    const { status, body, text } = await replay(one);
    assert.deepEqual([status, body.code], [409, 'inputs_unavailable'], text);
  });
  await assertIdentical(
    decided.filter(({ customerId }) => !erased.has(customerId)),
    replay,
  );
  const held = await placesOf([...erased].map(markOf));
  assert.deepEqual(held, []);
  const [somebody] = decided.filter(({ customerId }) => !erased.has(customerId));
  assert.ok((await placesOf([markOf(somebody!.customerId)])).length > 0, 'the search finds what is there');
});

const nodesAlways = [
  'call_flow',
  'conditional',
  'contact_policy',
  'enrich',
  'extension_point',
  'filter',
  'group',
  'match_creatives',
  'optimize',
  'qualify',
  'rank',
  'score',
];
// Whether stock is used up depends on chance. The test of the packed form covers it.
const inputsAlways = [
  'enriched',
  'profile',
  'segments',
  'counters',
  'outcomes',
  'suppressions',
  'volumes',
  'objectiveCounts',
  'modelStates',
  'experiments',
  'external',
];

/** Stages and models that the decisions must have passed through, not only contained. */
const waysAlways = [
  'call_flow null',
  'compute null',
  'conditional null',
  'enrich null',
  'extension_point null',
  'group optimal',
  'mandatory null',
  'model epsilon',
  'model thompson',
  'optimize blend',
  'rank diversity',
  'rank explore_exploit',
  'rank round_robin',
  'rank topN',
  'score formula',
  'score priority_weighted',
  'score propensity',
  'suppression null',
];

/** Returns the stages in traces with their methods, and how items were chosen and scored. */
async function waysOf(some: readonly Decided[]): Promise<ReadonlySet<string>> {
  const ways = new Set<string>();
  const traced = some.filter(({ traceId }) => traceId !== null).slice(0, 300);
  await each(traced, async ({ traceId, tenant }) => {
    const { status, body, text } = await tenant.ask<{
      readonly pipeline: readonly { readonly stage: string; readonly method: string | null }[];
      readonly scoringResults: readonly { readonly modelKey?: string | null }[];
      readonly selectedOffers: readonly {
        readonly selection: { readonly method: string; readonly explored: boolean };
      }[];
    }>('GET', `decision-traces/${traceId}`);
    assert.equal(status, 200, text);
    for (const { stage, method } of body.pipeline) ways.add(`${stage} ${method}`);
    for (const { modelKey } of body.scoringResults) ways.add(`model ${modelKey}`);
    for (const { selection } of body.selectedOffers)
      ways.add(`${selection.method}${selection.explored ? ', explored' : ''}`);
  });
  return ways;
}

/** Returns the inputs that at least one of these decisions read. */
async function inputsRead(some: readonly Decided[]): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  await each(some, async ({ id, tenant }) => {
    const record = await tenant.ask<{
      inputs: Record<string, unknown> & { readonly budgets: Record<string, unknown> };
    }>('GET', `decisions/${id}?include=inputs`);
    assert.equal(record.status, 200, record.text);
    const { budgets, ...others } = record.body.inputs;
    for (const [name, value] of Object.entries({ ...others, ...budgets })) {
      if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) names.add(name);
    }
  });
  return names;
}

/** Returns the tables that contain one of these texts, as text or as bytes. */
async function placesOf(texts: readonly string[]): Promise<string[]> {
  const { ownerQuery } = server.testDatabase;
  const tables = await ownerQuery<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`,
  );
  assert.ok(tables.length > 40, 'the dump holds the product');
  const pattern = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')]).join('|');
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await ownerQuery<{ held: boolean }>(
      `select exists (select from ${name} t where t::text ~ $1) as held`,
      [pattern],
    );
    if (row?.held === true) found.push(name);
  }
  return found;
}
