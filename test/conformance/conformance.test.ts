import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { type ConformanceCase, readCase } from '../../packages/engine/src/conformance-case.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { type Heard, heardExpectations, inTrace, notShown } from './answer-reading.ts';
import { flowKey, makeCatalogue, type Tools } from './case-catalogue.ts';
import { importHistory, writeTotals } from './case-history.ts';
import { newCaseIds } from './case-ids.ts';
import { type Skip, skipOf } from './skips.ts';
import { standingOf } from './standing.ts';

const folder = new URL('../../packages/engine/conformance/decisions/', import.meta.url);
const atOnce = 6;
const hourMs = 3_600_000;

interface Run {
  readonly file: string;
  readonly read: ConformanceCase;
  readonly keys: readonly string[];
  readonly now: number;
  readonly skip: Skip | null;
}

/** The API did not take a record of the case. */
class Refused extends Error {}

const only = process.env.CONFORMANCE_ONLY;
const runs: Run[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .flatMap((file) => {
    const cases: readonly Json[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    return cases.map((json) => runOf(file, readCase(json)));
  })
  .filter(({ file, read }) => only === undefined || `${file} ${read.name}`.includes(only));

function runOf(file: string, read: ConformanceCase): Run {
  const standing = standingOf(read);
  const keys = standing.keys.filter((key) => !notShown.has(key));
  return { file, read, keys, now: instantOf(read), skip: skipOf(read, standing, keys) };
}

/** When the case is decided; a case that tells only the hour and the day of the week is put where the clock shows them. */
function instantOf({ source }: ConformanceCase): number {
  const at = Date.parse(source.at ?? '2026-11-20T12:00:00Z');
  const { hour, weekday = 5 } = source.clock ?? {};
  return hour === undefined ? at : Date.UTC(2026, 10, 15 + weekday, hour);
}

let server: TestServer;
let now = 0;
const refused = new Map<string, string>();
const wrong = new Map<string, unknown>();
const ran = new Set<Run>();

before(async () => {
  const chosen = runs.filter(({ skip }) => skip === null);
  server = await startTestServer({ tenants: chosen.length, clock: { now: () => now } });
  const tenantOf = new Map(chosen.map((run, at) => [run, server.tenants[at] as TestTenant]));
  const instants = [...new Set(chosen.map((run) => run.now))].sort((a, b) => a - b);
  for (const instant of instants) {
    const waiting = chosen.filter((run) => run.now === instant);
    const catalogues = new Map<Run, Tools>();
    now = instant - hourMs;
    await each(waiting, async (run) => {
      catalogues.set(run, await catalogueOf(run, tenantOf.get(run)!));
    });
    now = instant;
    await each([...catalogues.keys()], (run) => decideOver(run, tenantOf.get(run)!, catalogues.get(run)!));
  }
});
after(() => server?.close());

/** Works on all of them, some at a time. What a case throws is told by its test. */
async function each(all: readonly Run[], work: (run: Run) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const run of left) {
        try {
          await work(run);
        } catch (error) {
          if (error instanceof Refused) refused.set(nameOf(run), error.message);
          else wrong.set(nameOf(run), error);
        }
      }
    }),
  );
}

async function catalogueOf({ read }: Run, tenant: TestTenant): Promise<Tools> {
  const send = async (method: string, path: string, body: object) => {
    const answer = await server.call<{ id: string }>(method, `/api/v1/${path}`, { body, key: tenant.keys.admin });
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.text}`);
    if (answer.status >= 400) throw new Refused(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  let approver: Promise<string> | null = null;
  const tools: Tools = {
    ids: newCaseIds(),
    create: async (path, body) => (await send('POST', path, body)).id,
    put: (path, body) => send('PUT', path, body),
    post: (path, body) => send('POST', path, body),
    approver: () => {
      approver ??= plantAdmin(tenant.id);
      return approver;
    },
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

async function decideOver(run: Run, { id, keys }: TestTenant, tools: Tools): Promise<void> {
  const { read } = run;
  await writeTotals(read, tools, id, server.testDatabase, now);
  await importHistory(read, tools, async (lines) => {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/api/v1/interactions/import',
      headers: {
        authorization: `Bearer ${keys.admin}`,
        'x-requested-with': 'test',
        'content-type': 'application/x-ndjson',
      },
      payload: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    assert.deepEqual([answer.statusCode, answer.json().rejected], [200, 0], answer.body);
  });
  const request = { customerId: 'C1', decisionFlowKey: flowKey, debug: true, ...read.source.request };
  const body = tools.ids.out(JSON.parse(JSON.stringify(request)));
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body, key: keys.admin });
  if (answer.status >= 400 && answer.status < 500) throw new Refused(`recommend: ${answer.text}`);
  assert.equal(answer.status, 200, answer.text);
  const get = async <Body>(path: string): Promise<Body> => {
    const { status, body: found, text } = await server.call<Body>('GET', `/api/v1/${path}`, { key: keys.admin });
    assert.equal(status, 200, `${path}: ${text}`);
    return tools.ids.back(found);
  };
  const needsTrace = run.keys.some((key) => inTrace.has(key));
  const trace = needsTrace ? await get<Heard['trace']>(`decision-traces/${answer.body.trace.traceId}`) : {};
  const needsRecord = run.keys.includes('subFlows');
  const record = needsRecord ? await get<Heard['record']>(`decisions/${answer.body.recommendationId}`) : { flows: [] };
  const heard = heardExpectations({ answer: tools.ids.back(answer.body), trace, record });
  for (const key of run.keys) {
    const reading = heard[key];
    assert.ok(reading !== undefined, `nothing reads ${key} in the answer`);
    assert.deepEqual(JSON.parse(JSON.stringify(reading() ?? null)), read.expect[key], key);
  }
  ran.add(run);
}

const nameOf = ({ file, read }: Run) => `${file} ${read.name}`;

for (const [file, cases] of Map.groupBy(runs, (run) => run.file)) {
  describe(`${file} over HTTP`, () => {
    for (const run of cases.filter(({ skip }) => skip === null)) {
      it(run.read.name, () => {
        const error = wrong.get(nameOf(run));
        if (error !== undefined) throw error;
        assert.equal(refused.get(nameOf(run)), undefined);
        assert.ok(ran.has(run));
      });
    }
  });
}
