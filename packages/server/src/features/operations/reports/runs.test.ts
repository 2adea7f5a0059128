import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ReportPreview, ReportRun, ReportRunRow, ReportTemplate, RunNowAnswer } from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { says } from '../notifications/test-destination.ts';
import { type ReportServer, startReportServer, templates } from './test-reports.ts';

/** What is made of templates: previews, runs, their files and how long they are kept (docs/design/api-access.md 11). */

let world: ReportServer;
before(async () => {
  world = await startReportServer();
});
after(() => world?.close());

test('preview: returns the report in all formats of the template, and stores and sends nothing', async () => {
  const to = await world.webhook('/preview');
  const { id } = await world.template({
    enabled: false,
    formats: ['html', 'csv', 'markdown', 'pdf'],
    narrative: { enabled: true },
    filters: { destinations: [to] },
  });
  const count = () => world.server.testDatabase.ownerQuery('select from arbiter.report_runs');
  const before = (await count()).length;
  const { status, body, text } = await world.call<ReportPreview>('POST', `${templates}/${id}/preview`);
  assert.equal(status, 200, text);
  const [section] = body.sections;
  assert.deepEqual([section?.id, section?.title, section?.rows.length], ['s1', 'Daily trend', 7]);
  assert.deepEqual(section?.rows[0], { day: '2026-11-14', impressions: 0, conversions: 0 });
  assert.ok((body.narrative?.executiveSummary ?? '').length > 0);
  assert.deepEqual(
    body.artifacts.map(({ format, mimeType }) => [format, mimeType]),
    [
      ['html', 'text/html; charset=utf-8'],
      ['csv', 'text/csv; charset=utf-8'],
      ['markdown', 'text/markdown; charset=utf-8'],
      ['pdf', 'application/pdf'],
    ],
  );
  for (const { bytes, base64 } of body.artifacts) assert.equal(Buffer.from(base64, 'base64').length, bytes);
  assert.equal((await count()).length, before);
  assert.equal(world.peer.got('/preview').length, 0);
  assert.equal((await world.call('POST', `${templates}/${newId()}/preview`)).status, 404);
});

test('run-now: figures, files and deliveries, to each destination independently', async () => {
  const [good, bad, off] = [await world.webhook('/good'), await world.webhook('/bad'), await world.webhook('/off')];
  world.peer.on('/bad', says(500));
  await world.call('PATCH', `/api/v1/notifications/providers/${off}`, { enabled: false });
  const slack = await world.destination('slack', { webhookUrl: world.peer.url('/slack') });
  const teams = await world.destination('teams', { webhookUrl: world.peer.url('/teams') });
  const mail = await world.destination('ops_email', { toEmails: ['ops@example.com'] });
  const gone = await world.webhook('/gone');
  const all = [good, bad, off, slack, teams, mail, gone];
  const { id } = await world.template({ name: 'Week', formats: ['html', 'csv'], filters: { destinations: all } });
  await world.call('DELETE', `/api/v1/notifications/providers/${gone}`);
  const { status, body, text } = await world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`);
  assert.equal(status, 202, text);
  assert.equal(body.status, 'completed_with_errors');
  assert.deepEqual(
    body.deliveryResults.map(({ providerId, ok, error }) => [all.indexOf(providerId), ok, error]),
    [
      [0, true, null],
      [1, false, 'responded with 500'],
      [2, false, 'disabled'],
      [3, true, null],
      [4, true, null],
      [5, true, null],
      [6, false, 'destination_deleted'],
    ],
  );
  assert.deepEqual(
    body.artifacts.map(({ format, fileName }) => [format, fileName]),
    [
      ['html', 'week-2026-11-20.html'],
      ['csv', 'week-2026-11-20.csv'],
    ],
  );
  const link = `http://localhost:3000/api/v1/reports/runs/${body.runId}/artifacts/html`;
  const hook = JSON.parse(world.peer.got('/good')[0]!.text);
  assert.deepEqual(
    [hook.type, hook.title, hook.sourceUrl, hook.data.runId],
    ['report', 'Report: Week', link, body.runId],
  );
  assert.deepEqual(
    hook.data.artifacts.map((file: { format: string; bytes: number; base64: string }) => [
      file.format,
      Buffer.from(file.base64, 'base64').length === file.bytes,
    ]),
    [
      ['html', true],
      ['csv', true],
    ],
  );
  for (const path of ['/slack', '/teams']) {
    const said = world.peer.got(path)[0]!.text;
    assert.ok(said.includes(link) && !said.includes('base64'), path);
  }
  const [written] = readdirSync(world.outbox).filter((name) => name.endsWith('.eml'));
  const eml = readFileSync(join(world.outbox, written!), 'utf8');
  assert.match(eml, /Subject: \[Info\] Report: Week/);
  assert.match(eml, /filename=week-2026-11-20\.html/);
  assert.match(eml, /filename=week-2026-11-20\.csv/);
  const run = await world.call<ReportRun>('GET', `/api/v1/reports/runs/${body.runId}`);
  assert.deepEqual(
    [run.body.status, run.body.triggeredBy, run.body.templateId, run.body.scheduleId, run.body.narrativeOutput],
    ['completed_with_errors', 'api', id, null, null],
  );
  const audited = await world.server.testDatabase.ownerQuery<{ action: string; entityName: string; formats: unknown }>(
    `select action, entity_name as "entityName", after -> 'formats' as formats from arbiter.audit_logs
      where entity_type = 'reportRun' and entity_id = $1`,
    [body.runId],
  );
  assert.deepEqual(audited, [{ action: 'run_started', entityName: 'Week', formats: ['html', 'csv'] }]);
  assert.equal(run.body.sectionsData[0]?.rows.length, 7);
  assert.equal(run.body.sectionsData[0]?.truncated, false);
  assert.deepEqual(run.body.deliveryResults, body.deliveryResults);
  interface Page {
    readonly data: ReportRunRow[];
    readonly pagination: { readonly total: number; readonly limit: number; readonly offset: number };
  }
  const list = await world.call<Page>('GET', `/api/v1/reports/runs?templateId=${id}`);
  const { sectionsData: _figures, narrativeOutput: _words, ...row } = run.body;
  assert.deepEqual(list.body, { data: [row], pagination: { total: 1, limit: 50, offset: 0 } });
  assert.deepEqual((await world.call<Page>('GET', `/api/v1/reports/runs?templateId=${id}&offset=1`)).body.data, []);
  assert.equal((await world.call<Page>('GET', '/api/v1/reports/runs?limit=201')).body.pagination.limit, 200);
  assert.equal((await world.call('GET', '/api/v1/reports/runs?limit=0')).status, 400);
});

test('run-now: other formats and destinations, an empty list of them, unknown IDs', async () => {
  const [usual, other] = [await world.webhook('/usual'), await world.webhook('/other')];
  const { id } = await world.template({ formats: ['html'], filters: { destinations: [usual] } });
  const run = (body: object) => world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`, body);
  const first = await run({ formats: ['markdown'], destinations: [other] });
  assert.deepEqual(
    [first.body.status, first.body.artifacts.map(({ format }) => format), first.body.deliveryResults[0]?.providerId],
    ['completed', ['markdown'], other],
  );
  const second = await run({ destinations: [] });
  assert.deepEqual([second.body.status, second.body.deliveryResults], ['completed', []]);
  assert.deepEqual([world.peer.got('/usual').length, world.peer.got('/other').length], [0, 1]);
  assert.equal((await run({ destinations: [newId()] })).status, 404);
  assert.equal((await run({ formats: [] })).status, 400);
  assert.equal((await world.call('POST', `${templates}/${newId()}/run-now`)).status, 404);
});

test("a file downloads under its name and can't run anything; an unwritten format is 404", async () => {
  const { id } = await world.template({ name: 'Größe "1"; x', formats: ['html', 'pdf'] });
  const { runId } = (await world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`)).body;
  const file = (format: string) => world.server.call('GET', `/api/v1/reports/runs/${runId}/artifacts/${format}`);
  const html = await file('html');
  assert.equal(html.status, 200);
  assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(html.headers['content-security-policy'], 'sandbox');
  const named = /^attachment; filename="?(gro-e-1-x-[0-9-]{10}\.html)"?; filename\*=UTF-8''\1$/;
  assert.match(String(html.headers['content-disposition']), named);
  assert.match(html.text, /^<!doctype html>/i);
  assert.match((await file('pdf')).text, /^%PDF-/);
  for (const format of ['csv', 'markdown', 'docx', 'HTML']) assert.equal((await file(format)).status, 404, format);
  assert.equal((await world.server.call('GET', '/api/v1/reports/runs/x/artifacts/html')).status, 404);
  assert.equal((await world.server.call('GET', `/api/v1/reports/runs/${newId()}`)).status, 404);
});

test('run-now under an Idempotency-Key runs once; another body under it is 422', async () => {
  const { id } = await world.template();
  const headers = { 'Idempotency-Key': 'once' };
  const run = (body: object) => world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`, body, { headers });
  const first = await run({});
  const again = await run({});
  assert.deepEqual([again.status, again.body], [202, first.body]);
  assert.deepEqual(
    [first, again].map(({ headers: told }) => told['idempotent-replay']),
    [undefined, 'true'],
  );
  assert.equal((await run({ formats: ['csv'] })).status, 422);
  const runs = await world.server.testDatabase.ownerQuery('select from arbiter.report_runs where template_id = $1', [
    id,
  ]);
  assert.equal(runs.length, 1);
});

test('retention: deletes runs of the metrics class with their files after their days, but not while held', async () => {
  const { id } = await world.template();
  const { runId } = (await world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`)).body;
  const retain = (body: object) =>
    world.call('POST', '/api/v1/admin/retention-configs', { dataClass: 'metrics', retentionDays: 365, ...body });
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  const tidy = () => world.server.jobs.get('reports.retain')!.run({}, facts, world.server.tenants[0].id);
  const isThere = async () => (await world.call('GET', `/api/v1/reports/runs/${runId}`)).status === 200;
  const began = world.clock.now;
  try {
    world.clock.now = began + 365 * 86_400_000;
    await tidy();
    assert.ok(await isThere(), 'a run of exactly 365 days is kept');
    world.clock.now += 1;
    assert.equal((await retain({ legalHold: true })).status, 200);
    await tidy();
    assert.ok(await isThere(), 'a run that is held is kept');
    assert.equal((await retain({ legalHold: false })).status, 200);
    await tidy();
    assert.ok(!(await isThere()));
    assert.deepEqual(
      await world.server.testDatabase.ownerQuery('select from arbiter.report_artifacts where run_id = $1', [runId]),
      [],
    );
  } finally {
    world.clock.now = began;
  }
});

test('preview and run-now share 30 calls a minute per tenant', async () => {
  const other = { key: world.server.tenants[2]!.keys.admin };
  const asked = { name: 'Limits', dataSources: [{ sourceKey: 'summary' }] };
  const { id } = (await world.call<ReportTemplate>('POST', templates, asked, other)).body;
  for (let at = 0; at < 30; at++) {
    const verb = at % 2 === 0 ? 'preview' : 'run-now';
    const { status } = await world.call('POST', `${templates}/${id}/${verb}`, undefined, other);
    assert.equal(status, verb === 'preview' ? 200 : 202, `call ${at}`);
  }
  assert.equal((await world.call('POST', `${templates}/${id}/preview`, undefined, other)).status, 429);
  assert.equal((await world.call('POST', `${templates}/${id}/run-now`, undefined, other)).status, 429);
});
