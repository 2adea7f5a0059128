// Runs in a process of its own: it is as long as many others together.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { type ConformanceCase, readCase } from '../../packages/engine/test/conformance/case.ts';
import { importLines } from '../../packages/server/src/features/deciding/history-import/test-import.ts';
import { seedOf } from '../../packages/server/src/features/deciding/sealed-records/decision-ids.ts';
import {
  type CallResult,
  startTestServer,
  type TestServer,
  type TestTenant,
} from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { isInTurn } from '../form.ts';
import { type Heard, heardExpectations, inRecord, inTrace } from './answer-reading.ts';
import { makeCatalogue, type Tools } from './case-catalogue.ts';
import { importHistory, suppress, writeTotals } from './case-history.ts';
import { newCaseIds } from './case-ids.ts';
import { reservationsOf, reserve } from './case-reservations.ts';
import { refusals } from './refusals.ts';
import { type Skip, skipOf, skipReasons } from './skips.ts';
import { luckOf, standingOf } from './standing.ts';
import { startWebhooks, type Webhooks } from './webhooks.ts';

const folder = new URL('../../packages/engine/conformance/decisions/', import.meta.url);
const atOnce = 6;
const policyTells: ReadonlySet<string> = new Set(['drops', 'dropped', 'emptyReason', 'policyRows']);
const hourMs = 3_600_000;
const maxTries = 2_000;

interface Run {
  readonly file: string;
  readonly read: ConformanceCase;
  readonly keys: readonly string[];
  /** Those that depend on chance. */
  readonly chance: readonly string[];
  readonly now: number;
  readonly skip: Skip | null;
}

/** The API rejected a record of the case. */
class Refused extends Error {
  readonly path: string | undefined;
  constructor(call: string, { text, body }: CallResult<unknown>) {
    super(`${call}: ${text}`);
    const { errors } = body as { readonly errors?: readonly { readonly path: string }[] };
    this.path = errors?.[0]?.path.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '<id>');
  }
}

/** Each test waits until all cases are done. */
const patience = { timeout: 900_000 };
/** Without `CONFORMANCE_ALL=1` a share of the cases runs, a case of each file, and all that the API refuses. */
const isWhole = process.env.CONFORMANCE_ALL === '1';
const shares = 5;
const all: Run[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .flatMap((file) => {
    const cases: readonly Json[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    return cases.map((json) => runOf(file, readCase(json)));
  });
const isTold = (run: Run) => run.skip === null && !(nameOf(run) in refusals);
/** One case of each file, whatever the share. */
const firsts = new Set([...Map.groupBy(all.filter(isTold), (run) => run.file).values()].map(([first]) => first));
const runs = all.filter(
  (run) => run.skip === null && (isWhole || !isTold(run) || firsts.has(run) || isInTurn(nameOf(run), shares)),
);

function runOf(file: string, read: ConformanceCase): Run {
  const now = instantOf(read);
  const standing = standingOf(read, now);
  // The outcome writes its suppression, which drops the offer before the policy applies.
  const isWritten =
    read.source.outcomes !== undefined && read.snapshot.policies.some(({ ruleType }) => ruleType === 'outcome_based');
  const keys = [...standing.keys, ...standing.chance].filter((key) => !(isWritten && policyTells.has(key)));
  return { file, read, keys, chance: standing.chance, now, skip: skipOf(read, standing, keys) };
}

/** When the case is decided; a case that tells only the hour and the day of the week is put where the clock shows them. */
function instantOf({ source }: ConformanceCase): number {
  const { hour, weekday = 5 } = source.clock ?? {};
  if (source.at !== undefined || hour === undefined) return Date.parse(source.at ?? '2026-11-20T12:00:00Z');
  return Date.UTC(2026, 10, 15 + weekday, hour);
}

let server: TestServer;
let webhooks: Webhooks;
let now = 0;
const refused = new Map<string, Refused>();
const wrong = new Map<string, unknown>();
const ran = new Set<Run>();
/** Request ids with the luck of the case, for cases that expect a random result. */
const lucky = new Map<Run, string>();

before(async () => {
  webhooks = await startWebhooks();
  const config = { OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'], OUTBOUND_HTTP_OK: true };
  server = await startTestServer({ tenants: runs.length, clock: { now: () => now }, config });
  const tenantOf = new Map(runs.map((run, at) => [run, server.tenants[at] as TestTenant]));
  const reserving = runs.flatMap((run) => reservationsOf(run.read).map((one) => ({ run, ...one })));
  const instants = [...new Set([...runs.map((run) => run.now), ...reserving.map(({ at }) => at)])];
  instants.sort((a, b) => a - b);
  // Search before the server has work, since it shares the process.
  for (const run of runs) if (run.chance.length > 0) lucky.set(run, luckyRequest(run, tenantOf.get(run)!.id));
  const catalogues = new Map<Run, Tools>();
  now = (instants[0] ?? 0) - hourMs;
  await each(runs, async (run) => {
    const tools = await catalogueOf(run, tenantOf.get(run)!);
    await suppress(run.read, tools);
    catalogues.set(run, tools);
  });
  for (const instant of instants) {
    now = instant;
    for (const { run, ...one } of reserving) {
      const tools = catalogues.get(run);
      if (one.at === instant && tools !== undefined) await each([run], () => reserve(run.read, one, tools));
    }
    const due = [...catalogues.keys()].filter((run) => run.now === instant);
    await each(due, (run) => decideOver(run, tenantOf.get(run)!, catalogues.get(run)!));
  }
}, patience);
after(async () => {
  await server?.close();
  await webhooks?.close();
});

/** Works on all of them, some at a time. A case's test reports what it throws. */
async function each(some: readonly Run[], work: (run: Run) => Promise<void>): Promise<void> {
  const left = some.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const run of left) {
        try {
          await work(run);
        } catch (error) {
          if (error instanceof Refused) refused.set(nameOf(run), error);
          else wrong.set(nameOf(run), error);
        }
      }
    }),
  );
}

async function catalogueOf({ read, now: at }: Run, tenant: TestTenant): Promise<Tools> {
  const send = async (method: string, path: string, body: object) => {
    const answer = await server.call<{ id: string }>(method, `/api/v1/${path}`, { body, key: tenant.keys.admin });
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.text}`);
    if (answer.status >= 400) throw new Refused(`${method} ${path}`, answer);
    return answer.body;
  };
  let approver: Promise<string> | null = null;
  const tools: Tools = {
    ids: newCaseIds(),
    create: async (path, body) => (await send('POST', path, body)).id,
    put: (path, body) => send('PUT', path, body),
    post: (path, body) => send('POST', path, body),
    webhook: (nodeId) => webhooks.urlOf(tenant.id, nodeId, read.source.external ?? {}, tools.ids),
    approver: () => {
      approver ??= plantAdmin(tenant.id);
      return approver;
    },
    writeTotals: (ids) => writeTotals(read, ids, tenant.id, server.testDatabase, at),
  };
  await makeCatalogue(read, tools);
  return tools;
}

async function plantAdmin(tenantId: string): Promise<string> {
  const id = newId();
  await server.testDatabase.ownerQuery(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, created_at, updated_at)
     values ($1, $2, $3, $3, 'Approver', 'admin', 'bootstrap', now(), now())`,
    [tenantId, id, `${id}@example.org`],
  );
  return id;
}

async function decideOver(run: Run, { keys }: TestTenant, tools: Tools): Promise<void> {
  const { read } = run;
  await importHistory(read, run.now, tools, async (lines) => {
    assert.equal((await importLines(server, lines, keys.admin)).rejected, 0);
  });
  const requestId = lucky.get(run);
  const request = {
    customerId: 'C1',
    decisionFlowKey: read.snapshot.flow.key,
    debug: true,
    ...(requestId === undefined ? {} : { requestId }),
    ...read.source.request,
  };
  const body = tools.ids.out(JSON.parse(JSON.stringify(request)));
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body, key: keys.admin });
  if (answer.status >= 400 && answer.status < 500) throw new Refused('recommend', answer);
  assert.equal(answer.status, 200, answer.text);
  const get = async <Body>(path: string): Promise<Body> => {
    const { status, body: found, text } = await server.call<Body>('GET', `/api/v1/${path}`, { key: keys.admin });
    assert.equal(status, 200, `${path}: ${text}`);
    return tools.ids.back(found);
  };
  const needsTrace = run.keys.some((key) => inTrace.has(key));
  const trace = needsTrace ? await get<Heard['trace']>(`decision-traces/${answer.body.trace.traceId}`) : {};
  const needsRecord = run.keys.some((key) => inRecord.has(key));
  const record = needsRecord ? await get<Heard['record']>(`decisions/${answer.body.recommendationId}`) : noRecord;
  const heard = heardExpectations({ answer: tools.ids.back(answer.body), trace, record });
  for (const key of run.keys) {
    const reading = heard[key];
    assert.ok(reading !== undefined, `nothing reads ${key} in the answer`);
    assert.deepEqual(JSON.parse(JSON.stringify(reading() ?? null)), read.expect[key], key);
  }
  ran.add(run);
}

const noRecord: Heard['record'] = {
  flows: [],
  assignment: { creative: [], experiment: null, holdout: null },
  result: { items: [] },
};

/** Returns a request id whose seed gives the random result that the case expects. */
function luckyRequest({ read, now: at, chance }: Run, tenantId: string): string {
  const isLucky = luckOf(read, at, chance);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const requestId = newId();
    if (isLucky(seedOf(tenantId, requestId))) return requestId;
  }
  throw new Error(`none of ${maxTries} requests has the chance of the case`);
}

function nameOf({ file, read }: Run): string {
  return `${file} ${read.name}`;
}

for (const [file, cases] of Map.groupBy(runs, (run) => run.file)) {
  describe(`${file} over HTTP`, patience, () => {
    for (const run of cases) {
      it(run.read.name, patience, () => {
        const name = nameOf(run);
        const error = wrong.get(name);
        if (error !== undefined) throw error;
        const path = refusals[name];
        if (path === undefined) assert.equal(refused.get(name)?.message, undefined);
        else assert.equal(refused.get(name)?.path, path, refused.get(name)?.message ?? 'it was not refused');
        assert.equal(ran.has(run), path === undefined);
      });
    }
  });
}

/** No call sets the values of behavioral metrics: metrics-in-decisions.test.ts computes them, and decides over HTTP. */
const testedElsewhere: ReadonlySet<string> = new Set(['metrics.json']);

test('leaves out few cases, none completely, and each for a reason', patience, (t) => {
  for (const [skip, left] of Map.groupBy(all, (run) => run.skip)) {
    if (skip !== null) t.diagnostic(`${left.length} left out: ${skipReasons[skip]}`);
  }
  const told = new Set(all.filter(isTold));
  const refusedCount = Object.keys(refusals).length;
  t.diagnostic(`${told.size} of ${all.length} cases can be told over HTTP, and ${refusedCount} are refused`);
  assert.ok(told.size >= all.length * 0.8, `only ${told.size} of ${all.length}`);
  for (const [file, cases] of Map.groupBy(all, (run) => run.file)) {
    if (testedElsewhere.has(file)) continue;
    const share = cases.filter((run) => told.has(run)).length / cases.length;
    t.diagnostic(`${file}: ${share.toFixed(2)}`);
    assert.ok(share >= 0.15, `${file}: only ${share} of its cases`);
    assert.ok(
      runs.some((run) => run.file === file && told.has(run)),
      `${file}: none runs`,
    );
  }
  const names = new Set(all.map(nameOf));
  for (const name of Object.keys(refusals)) assert.ok(names.has(name), `${name} is no case`);
});
