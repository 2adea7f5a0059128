import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type {
  Pagination,
  Problem,
  ReportPreview,
  ReportRun,
  ReportRunRow,
  ReportSchedule,
  ReportTemplate,
  RunNowAnswer,
} from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../main/test-server.ts';
import { newId } from '../../platform/ids.ts';
import {
  reachesDestinations,
  says,
  startDestination,
  type TestDestination,
} from '../notifications/test-destination.ts';

/** Templates, schedules and runs of reports over HTTP (contract part 1, 4.10; docs/design/api-access.md 11, 22). */

const outbox = mkdtempSync(join(tmpdir(), 'arbiter-reports-'));
let now = Date.UTC(2026, 10, 20, 9, 30, 15);
let server: TestServer;
let peer: TestDestination;
before(async () => {
  [server, peer] = await Promise.all([
    startTestServer({
      tenants: 3,
      clock: { now: () => now },
      config: { ...reachesDestinations, MAIL_OUTBOX_DIR: outbox },
    }),
    startDestination(),
  ]);
  const settings = { timezone: 'Europe/Berlin' };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: settings })).status, 200);
});
after(async () => {
  await Promise.all([server?.close(), peer?.close()]);
  rmSync(outbox, { recursive: true, force: true });
});

const templates = '/api/v1/reports/templates';
const schedules = '/api/v1/reports/schedules';
type Answered<T> = T & Omit<Problem, 'status'>;
const call = <T>(method: string, path: string, body?: object, more: object = {}) =>
  server.call<Answered<T>>(method, path, { ...(body === undefined ? {} : { body }), ...more });
let counter = 0;
async function template(body: object = {}): Promise<ReportTemplate> {
  const asked = { name: `Report ${++counter}`, dataSources: [{ sourceKey: 'daily_trend' }], ...body };
  const made = await call<ReportTemplate>('POST', templates, asked);
  assert.equal(made.status, 201, made.text);
  return made.body;
}
async function schedule(templateId: string, body: object = {}): Promise<ReportSchedule> {
  const asked = { templateId, name: `Schedule ${++counter}`, cronExpression: '0 8 * * *', ...body };
  const made = await call<ReportSchedule>('POST', schedules, asked);
  assert.equal(made.status, 201, made.text);
  return made.body;
}
async function destination(kind: string, config: object): Promise<string> {
  const made = await call<{ id: string }>('POST', '/api/v1/notifications/providers', {
    kind,
    name: `Destination ${++counter}`,
    config,
  });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
const webhook = (path: string) => destination('webhook', { url: peer.url(path) });
const pathsOf = ({ errors = [] }: { readonly errors?: readonly { readonly path: string }[] }) =>
  errors.map(({ path }) => path);
const audits = async (entityId: string) =>
  server.testDatabase.ownerQuery<{ action: string; entity_type: string }>(
    'select action, entity_type from arbiter.audit_logs where entity_id = $1 order by sequence',
    [entityId],
  );

test('a template: defaults, changes, audit rows, deletion with its schedules while its runs stay', async () => {
  const made = await call<ReportTemplate>('POST', templates, {
    name: 'Week',
    dataSources: [{ sourceKey: 'daily_trend', params: { days: 3 } }, { sourceKey: 'offer_performance' }],
  });
  const { id, createdAt, updatedAt, ...rest } = made.body;
  assert.equal(made.status, 201, made.text);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    name: 'Week',
    description: null,
    dataSources: [{ sourceKey: 'daily_trend', params: { days: 3 } }, { sourceKey: 'offer_performance' }],
    sections: [
      { id: 's1', title: 'Daily trend', dataSourceIndex: 0 },
      { id: 's2', title: 'Offer performance', dataSourceIndex: 1 },
    ],
    formats: ['html'],
    narrative: { enabled: false },
    filters: { destinations: [] },
    enabled: true,
  });
  const changed = await call<ReportTemplate>('PATCH', `${templates}/${id}`, {
    name: 'Month',
    dataSources: [{ sourceKey: 'summary' }],
    formats: ['csv', 'pdf'],
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.sections, [{ id: 's1', title: 'Summary', dataSourceIndex: 0 }]);
  assert.deepEqual([changed.body.name, changed.body.formats, changed.body.enabled], ['Month', ['csv', 'pdf'], true]);
  assert.deepEqual((await call('GET', `${templates}/${id}`)).body, changed.body);
  const newest = await template();
  const { data } = (await call<{ data: ReportTemplate[] }>('GET', templates)).body;
  assert.deepEqual(
    data.slice(0, 2).map((each) => each.id),
    [newest.id, id],
  );
  const timed = await schedule(id);
  const run = await call<RunNowAnswer>('POST', `${templates}/${id}/run-now`);
  assert.equal(run.status, 202, run.text);
  assert.equal((await call('DELETE', `${templates}/${id}`)).status, 204);
  assert.equal((await call('GET', `${templates}/${id}`)).status, 404);
  assert.equal((await call('GET', `${schedules}/${timed.id}`)).status, 404);
  assert.equal((await call<ReportRun>('GET', `/api/v1/reports/runs/${run.body.runId}`)).body.templateName, 'Month');
  assert.deepEqual(
    (await audits(id)).map(({ action }) => action),
    ['create', 'update', 'delete'],
  );
  assert.deepEqual(await audits(timed.id), [
    { action: 'create', entity_type: 'reportSchedule' },
    { action: 'delete', entity_type: 'reportSchedule' },
  ]);
});

test('what a template cannot be is refused with its place, and changes nothing', async () => {
  const source = { sourceKey: 'daily_trend' };
  const cases: [body: object, status: number, path: string][] = [
    [{ name: '' }, 400, '/name'],
    [{ name: 'x'.repeat(121) }, 400, '/name'],
    [{ dataSources: [] }, 400, '/dataSources'],
    [{ dataSources: Array.from({ length: 21 }, () => source) }, 400, '/dataSources'],
    [{ dataSources: [{ sourceKey: 'nothing' }] }, 400, '/dataSources/0/sourceKey'],
    [{ dataSources: [{ ...source, params: { days: 0 } }] }, 400, '/dataSources/0/params/days'],
    [{ dataSources: [{ ...source, params: { days: 366 } }] }, 400, '/dataSources/0/params/days'],
    [{ dataSources: [{ ...source, params: { limit: 5 } }] }, 400, '/dataSources/0/params/limit'],
    [{ dataSources: [{ ...source, params: { colour: 'red' } }] }, 400, '/dataSources/0/params'],
    [{ dataSources: [{ sourceKey: 'why_not_ranked' }] }, 400, '/dataSources/0/params/offerId'],
    [
      { dataSources: [{ sourceKey: 'offer_performance_grouped', params: { groupBy: 'offer' } }] },
      400,
      '/dataSources/0/params/groupBy',
    ],
    [{ dataSources: [{ ...source, params: { offerId: newId() } }] }, 400, '/dataSources/0/params/offerId'],
    [
      { dataSources: [{ sourceKey: 'experiment_results', params: { experimentId: newId() } }] },
      400,
      '/dataSources/0/params/experimentId',
    ],
    [{ sections: [{ id: 'a', title: 'A', dataSourceIndex: 1 }] }, 400, '/sections/0/dataSourceIndex'],
    [
      {
        sections: [
          { id: 'a', title: 'A', dataSourceIndex: 0 },
          { id: 'a', title: 'B', dataSourceIndex: 0 },
        ],
      },
      400,
      '/sections/1/id',
    ],
    [{ formats: [] }, 400, '/formats'],
    [{ formats: ['html', 'html'] }, 400, '/formats'],
    [{ formats: ['docx'] }, 400, '/formats/0'],
    [{ filters: { destinations: ['x'] } }, 400, '/filters/destinations/0'],
    [{ filters: { destinations: [newId()] } }, 404, '/filters/destinations/0'],
  ];
  const before = (await call<{ data: unknown[] }>('GET', templates)).body.data.length;
  for (const [body, status, path] of cases) {
    const refused = await call('POST', templates, { name: 'N', dataSources: [source], ...body });
    assert.equal(refused.status, status, `${JSON.stringify(body).slice(0, 200)}: ${refused.text}`);
    assert.ok(
      pathsOf(refused.body).some((each) => each.startsWith(path)),
      `${path}: ${refused.text}`,
    );
  }
  assert.equal((await call<{ data: unknown[] }>('GET', templates)).body.data.length, before);
  const most = { name: 'x'.repeat(120), dataSources: Array.from({ length: 20 }, () => source) };
  assert.equal((await call('POST', templates, most)).status, 201, '20 sources and a name of 120 characters pass');
});

test('a tenant has 500 templates at most', async () => {
  const [{ count } = { count: 0 }] = await server.testDatabase.ownerQuery<{ count: number }>(
    'select count(*)::int as count from arbiter.report_templates where tenant_id = $1',
    [server.tenants[0].id],
  );
  await server.testDatabase.ownerQuery(
    `insert into arbiter.report_templates (tenant_id, id, name, data_sources, sections, formats, narrative, destinations,
       enabled, created_at, updated_at)
     select $1, gen_random_uuid(), 'Filler', '[]', '[]', '{html}', '{}', '{}', true, now(), now() from generate_series(1, $2)`,
    [server.tenants[0].id, 499 - count],
  );
  await template();
  const refused = await call('POST', templates, { name: 'One more', dataSources: [{ sourceKey: 'summary' }] });
  assert.deepEqual([refused.status, refused.body.code], [409, 'limit_reached']);
  await server.testDatabase.ownerQuery(`delete from arbiter.report_templates where name = 'Filler'`);
});

test('a schedule: defaults, next run in its zone, changes that count anew, refused expressions', async () => {
  const { id: templateId } = await template();
  const made = await schedule(templateId, { name: 'Mornings' });
  const { id, createdAt, updatedAt, ...rest } = made;
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    templateId,
    name: 'Mornings',
    cronExpression: '0 8 * * *',
    timezone: 'Europe/Berlin',
    destinations: [],
    enabled: true,
    // 08:00 in Berlin is over.
    nextRunAt: '2026-11-21T07:00:00.000Z',
    lastRunAt: null,
    lastRunId: null,
  });
  const patch = (body: object) => call<ReportSchedule>('PATCH', `${schedules}/${id}`, body);
  assert.equal((await patch({ timezone: 'America/New_York' })).body.nextRunAt, '2026-11-20T13:00:00.000Z');
  assert.equal((await patch({ cronExpression: '15 9 * * mon' })).body.nextRunAt, '2026-11-23T14:15:00.000Z');
  assert.equal((await patch({ enabled: false })).body.nextRunAt, null);
  assert.equal((await patch({ name: 'Other' })).body.nextRunAt, null);
  assert.equal((await patch({ enabled: true })).body.nextRunAt, '2026-11-23T14:15:00.000Z');
  assert.equal((await patch({ templateId })).status, 200);
  assert.deepEqual(pathsOf((await patch({ templateId: newId() })).body), ['/templateId']);
  for (const cronExpression of ['', '* * * *', '@daily', '0 9 L * *', '0 9 15W * *', '0 9 * * 5#2', '0 9 31 2 *']) {
    const refused = await patch({ cronExpression });
    assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_cron'], cronExpression);
  }
  const cases: [body: object, status: number, code: string][] = [
    [{ timezone: 'Mars/Olympus' }, 400, 'validation_failed'],
    [{ timezone: 'europe/berlin' }, 400, 'validation_failed'],
    [{ templateId: newId() }, 404, 'not_found'],
    [{ destinations: [newId()] }, 404, 'not_found'],
    [{ cronExpression: '61 * * * *' }, 422, 'invalid_cron'],
    [{ name: '' }, 400, 'validation_failed'],
  ];
  for (const [body, status, code] of cases) {
    const refused = await call('POST', schedules, { templateId, name: 'N', cronExpression: '* * * * *', ...body });
    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text);
  }
  const other = await schedule(templateId);
  interface Page {
    readonly data: ReportSchedule[];
    readonly pagination: Pagination;
  }
  const first = await call<Page>('GET', `${schedules}?limit=1&templateId=${templateId}`);
  assert.deepEqual([first.body.data[0]?.id, first.body.pagination.total], [other.id, 2]);
  const cursor = first.body.pagination.nextCursor;
  const second = await call<Page>('GET', `${schedules}?limit=1&templateId=${templateId}&cursor=${cursor}`);
  assert.deepEqual([second.body.data[0]?.id, second.body.pagination.hasMore], [id, false]);
  assert.equal((await call<Page>('GET', `${schedules}?templateId=x`)).body.pagination.total, 0);
  assert.equal((await call('GET', `${schedules}?cursor=${newId()}`)).body.code, 'invalid_cursor');
  assert.equal((await call('DELETE', `${schedules}/${id}`)).status, 204);
  assert.equal((await call('DELETE', `${schedules}/${id}`)).status, 404);
});

test('roles: viewers read and preview, editors write and run; another tenant sees nothing', async () => {
  const { id } = await template();
  const timed = await schedule(id);
  const run = await call<RunNowAnswer>('POST', `${templates}/${id}/run-now`);
  const { viewer, editor } = server.tenants[0].keys;
  const stranger = server.tenants[1]!.keys.admin;
  const reads = [
    `${templates}/${id}`,
    `${schedules}/${timed.id}`,
    `/api/v1/reports/runs/${run.body.runId}`,
    `/api/v1/reports/runs/${run.body.runId}/artifacts/html`,
  ];
  for (const path of reads) {
    assert.equal((await call('GET', path, undefined, { key: viewer })).status, 200, path);
    assert.equal((await call('GET', path, undefined, { key: stranger })).status, 404, path);
  }
  assert.equal((await call('POST', `${templates}/${id}/preview`, undefined, { key: viewer })).status, 200);
  for (const [method, path, body] of [
    ['POST', templates, { name: 'N', dataSources: [{ sourceKey: 'summary' }] }],
    ['PATCH', `${templates}/${id}`, { enabled: true }],
    ['POST', `${templates}/${id}/run-now`, {}],
    ['PATCH', `${schedules}/${timed.id}`, { enabled: true }],
    ['DELETE', `${schedules}/${timed.id}`, undefined],
    ['DELETE', `${templates}/${id}`, undefined],
  ] as const) {
    assert.equal((await call(method, path, body, { key: viewer })).status, 403, `${method} ${path}`);
    if (path === templates) continue;
    assert.equal((await call(method, path, body, { key: stranger })).status, 404, `${method} ${path}`);
  }
  assert.equal((await call('PATCH', `${templates}/${id}`, { enabled: true }, { key: editor })).status, 200);
  for (const list of [templates, schedules, '/api/v1/reports/runs']) {
    assert.deepEqual((await call<{ data: unknown[] }>('GET', list, undefined, { key: stranger })).body.data, [], list);
  }
});

test('preview: the report as it is, in all formats of the template; nothing is kept and nothing sent', async () => {
  const to = await webhook('/preview');
  const { id } = await template({
    enabled: false,
    formats: ['html', 'csv', 'markdown', 'pdf'],
    narrative: { enabled: true },
    filters: { destinations: [to] },
  });
  const count = () => server.testDatabase.ownerQuery('select from arbiter.report_runs');
  const before = (await count()).length;
  const { status, body, text } = await call<ReportPreview>('POST', `${templates}/${id}/preview`);
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
  assert.equal(peer.got('/preview').length, 0);
  assert.equal((await call('POST', `${templates}/${newId()}/preview`)).status, 404);
});

test('run-now: figures, files and deliveries, each destination for itself', async () => {
  const [good, bad, off] = [await webhook('/good'), await webhook('/bad'), await webhook('/off')];
  peer.on('/bad', says(500));
  await call('PATCH', `/api/v1/notifications/providers/${off}`, { enabled: false });
  const slack = await destination('slack', { webhookUrl: peer.url('/slack') });
  const teams = await destination('teams', { webhookUrl: peer.url('/teams') });
  const mail = await destination('ops_email', { toEmails: ['ops@example.com'] });
  const gone = await webhook('/gone');
  const all = [good, bad, off, slack, teams, mail, gone];
  const { id } = await template({ name: 'Week', formats: ['html', 'csv'], filters: { destinations: all } });
  await call('DELETE', `/api/v1/notifications/providers/${gone}`);
  const { status, body, text } = await call<RunNowAnswer>('POST', `${templates}/${id}/run-now`);
  assert.equal(status, 202, text);
  assert.equal(body.status, 'completed_with_errors');
  assert.deepEqual(
    body.deliveryResults.map(({ providerId, ok, error }) => [all.indexOf(providerId), ok, error]),
    [
      [0, true, null],
      [1, false, 'answered 500'],
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
  const hook = JSON.parse(peer.got('/good')[0]!.text);
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
    const said = peer.got(path)[0]!.text;
    assert.ok(said.includes(link) && !said.includes('base64'), path);
  }
  const [written] = readdirSync(outbox).filter((name) => name.endsWith('.eml'));
  const eml = readFileSync(join(outbox, written!), 'utf8');
  assert.match(eml, /Subject: \[Info\] Report: Week/);
  assert.match(eml, /filename=week-2026-11-20\.html/);
  assert.match(eml, /filename=week-2026-11-20\.csv/);
  const run = await call<ReportRun>('GET', `/api/v1/reports/runs/${body.runId}`);
  assert.deepEqual(
    [run.body.status, run.body.triggeredBy, run.body.templateId, run.body.scheduleId, run.body.narrativeOutput],
    ['completed_with_errors', 'api', id, null, null],
  );
  assert.equal(run.body.sectionsData[0]?.rows.length, 7);
  assert.equal(run.body.sectionsData[0]?.truncated, false);
  assert.deepEqual(run.body.deliveryResults, body.deliveryResults);
  interface Page {
    readonly data: ReportRunRow[];
    readonly pagination: { readonly total: number; readonly limit: number; readonly offset: number };
  }
  const list = await call<Page>('GET', `/api/v1/reports/runs?templateId=${id}`);
  const { sectionsData: _figures, narrativeOutput: _words, ...row } = run.body;
  assert.deepEqual(list.body, { data: [row], pagination: { total: 1, limit: 50, offset: 0 } });
  assert.deepEqual((await call<Page>('GET', `/api/v1/reports/runs?templateId=${id}&offset=1`)).body.data, []);
  assert.equal((await call<Page>('GET', '/api/v1/reports/runs?limit=201')).body.pagination.limit, 200);
  assert.equal((await call('GET', '/api/v1/reports/runs?limit=0')).status, 400);
});

test('run-now: other formats and destinations, an empty list of them, ids that nobody has', async () => {
  const [usual, other] = [await webhook('/usual'), await webhook('/other')];
  const { id } = await template({ formats: ['html'], filters: { destinations: [usual] } });
  const run = (body: object) => call<RunNowAnswer>('POST', `${templates}/${id}/run-now`, body);
  const first = await run({ formats: ['markdown'], destinations: [other] });
  assert.deepEqual(
    [first.body.status, first.body.artifacts.map(({ format }) => format), first.body.deliveryResults[0]?.providerId],
    ['completed', ['markdown'], other],
  );
  const second = await run({ destinations: [] });
  assert.deepEqual([second.body.status, second.body.deliveryResults], ['completed', []]);
  assert.deepEqual([peer.got('/usual').length, peer.got('/other').length], [0, 1]);
  assert.equal((await run({ destinations: [newId()] })).status, 404);
  assert.equal((await run({ formats: [] })).status, 400);
  assert.equal((await call('POST', `${templates}/${newId()}/run-now`)).status, 404);
});

test('a file is downloaded under its name and may do nothing; a format that was not written is 404', async () => {
  const { id } = await template({ name: 'Größe "1"; x', formats: ['html', 'pdf'] });
  const { runId } = (await call<RunNowAnswer>('POST', `${templates}/${id}/run-now`)).body;
  const file = (format: string) => server.call('GET', `/api/v1/reports/runs/${runId}/artifacts/${format}`);
  const html = await file('html');
  assert.equal(html.status, 200);
  assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(html.headers['content-security-policy'], 'sandbox');
  const named = /^attachment; filename="?(gro-e-1-x-[0-9-]{10}\.html)"?; filename\*=UTF-8''\1$/;
  assert.match(String(html.headers['content-disposition']), named);
  assert.match(html.text, /^<!doctype html>/i);
  assert.match((await file('pdf')).text, /^%PDF-/);
  for (const format of ['csv', 'markdown', 'docx', 'HTML']) assert.equal((await file(format)).status, 404, format);
  assert.equal((await server.call('GET', '/api/v1/reports/runs/x/artifacts/html')).status, 404);
  assert.equal((await server.call('GET', `/api/v1/reports/runs/${newId()}`)).status, 404);
});

test('run-now under an Idempotency-Key runs once; another body under it is 422', async () => {
  const { id } = await template();
  const headers = { 'Idempotency-Key': 'once' };
  const run = (body: object) => call<RunNowAnswer>('POST', `${templates}/${id}/run-now`, body, { headers });
  const first = await run({});
  const again = await run({});
  assert.deepEqual([again.status, again.body], [202, first.body]);
  assert.equal((await run({ formats: ['csv'] })).status, 422);
  const runs = await server.testDatabase.ownerQuery('select from arbiter.report_runs where template_id = $1', [id]);
  assert.equal(runs.length, 1);
});

test('retention: runs of the class metrics go with their files after their days, not before, and not while held', async () => {
  const { id } = await template();
  const { runId } = (await call<RunNowAnswer>('POST', `${templates}/${id}/run-now`)).body;
  const retain = (body: object) =>
    call('POST', '/api/v1/admin/retention-configs', { dataClass: 'metrics', retentionDays: 365, ...body });
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  const tidy = () => server.jobs.get('reports.retain')!.run({}, facts, server.tenants[0].id);
  const isThere = async () => (await call('GET', `/api/v1/reports/runs/${runId}`)).status === 200;
  const began = now;
  try {
    now = began + 365 * 86_400_000;
    await tidy();
    assert.ok(await isThere(), 'a run of exactly 365 days is kept');
    now += 1;
    assert.equal((await retain({ legalHold: true })).status, 200);
    await tidy();
    assert.ok(await isThere(), 'a run that is held is kept');
    assert.equal((await retain({ legalHold: false })).status, 200);
    await tidy();
    assert.ok(!(await isThere()));
    assert.deepEqual(
      await server.testDatabase.ownerQuery('select from arbiter.report_artifacts where run_id = $1', [runId]),
      [],
    );
  } finally {
    now = began;
  }
});

test('preview and run-now share 30 calls a minute of a tenant', async () => {
  const other = { key: server.tenants[2]!.keys.admin };
  const asked = { name: 'Limits', dataSources: [{ sourceKey: 'summary' }] };
  const { id } = (await call<ReportTemplate>('POST', templates, asked, other)).body;
  for (let at = 0; at < 30; at++) {
    const verb = at % 2 === 0 ? 'preview' : 'run-now';
    const { status } = await call('POST', `${templates}/${id}/${verb}`, undefined, other);
    assert.equal(status, verb === 'preview' ? 200 : 202, `call ${at}`);
  }
  assert.equal((await call('POST', `${templates}/${id}/preview`, undefined, other)).status, 429);
  assert.equal((await call('POST', `${templates}/${id}/run-now`, undefined, other)).status, 429);
});
