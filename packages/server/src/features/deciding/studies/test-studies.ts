import assert from 'node:assert/strict';
import type { BacktestResult, BacktestSpec, Study, StudyStarted } from '@arbiter/contract';
import type { CallOptions, TestServer } from '../../../main/test-server.ts';

/** Runs the waiting jobs of studies like a worker, until none is left. */
export async function runStudies(server: Pick<TestServer, 'jobs' | 'testDatabase'>): Promise<void> {
  const handler = server.jobs.get('study.run');
  assert.ok(handler !== undefined);
  for (;;) {
    const waiting = await server.testDatabase.ownerQuery<{ payload: { tenantId: string } }>(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
       where t.id = j.task_id and t.identifier = 'study.run' and j.locked_at is null returning j.payload`,
    );
    if (waiting.length === 0) return;
    for (const { payload } of waiting) {
      const { tenantId, ...own } = payload;
      await handler.run(own, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, tenantId);
    }
  }
}

/** Moves the data cut of an evaluation two days into the future, as if the time for responses had passed. */
export async function passRewardDays({ testDatabase }: Pick<TestServer, 'testDatabase'>, id: string): Promise<void> {
  const [study] = await testDatabase.ownerQuery<{ cut: Date }>(
    'select data_cut as cut from arbiter.studies where id = $1',
    [id],
  );
  await testDatabase.ownerQuery('update arbiter.studies set data_cut = $2 where id = $1', [
    id,
    new Date(study!.cut.getTime() + 2 * 86_400_000),
  ]);
}

/** The last hour, and a moment into the future. */
export const lastHour = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 60_000).toISOString(),
});

/** Starts a backtest of a flow. Fails unless it's accepted. */
export async function startBacktest(server: TestServer, flow: string, body: object): Promise<string> {
  await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
  const started = await server.call<StudyStarted>('POST', `/api/v1/decision-flows/${flow}/backtest`, {
    body: { version: 'draft', ...lastHour(), ...body },
  });
  assert.equal(started.status, 202, started.text);
  return started.body.studyId;
}

/** A study that is a backtest. */
export type BacktestStudy = Study & { readonly spec: BacktestSpec; readonly result: BacktestResult | null };

export async function readStudy<S extends Study = BacktestStudy>(
  server: TestServer,
  id: string,
  options: CallOptions = {},
): Promise<S> {
  const { status, body, text } = await server.call<S>('GET', `/api/v1/studies/${id}`, options);
  assert.equal(status, 200, text);
  return body;
}

/** A line of `GET /studies/{id}/rows`. */
export interface ChangedRow {
  readonly decisionId: string;
  readonly kind: string;
  readonly before: readonly { readonly offerId: string; readonly creativeId: string | null }[];
  readonly after: readonly { readonly offerId: string; readonly creativeId: string | null }[];
}

export async function readRows(server: TestServer, id: string): Promise<ChangedRow[]> {
  const { status, text } = await server.call('GET', `/api/v1/studies/${id}/rows`);
  assert.equal(status, 200, text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChangedRow);
}

/** Starts a backtest, runs it and returns its study. Fails unless it's completed. */
export async function backtest(server: TestServer, flow: string, body: object) {
  const id = await startBacktest(server, flow, body);
  await runStudies(server);
  const study = await readStudy(server, id);
  assert.equal(study.status, 'completed', JSON.stringify(study.error));
  assert.ok(study.result !== null);
  return { id, study, result: study.result };
}
