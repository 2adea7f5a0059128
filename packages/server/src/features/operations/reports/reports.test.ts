import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  Pagination,
  ReportPreview,
  ReportRun,
  ReportSchedule,
  ReportTemplate,
  RunNowAnswer,
} from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { type ReportServer, schedules, startReportServer, templates } from './test-reports.ts';

/** Templates and schedules of reports over HTTP (docs/design/api-access.md 11, 22). */

let world: ReportServer;
before(async () => {
  world = await startReportServer();
});
after(() => world?.close());

const pathsOf = ({ errors = [] }: { readonly errors?: readonly { readonly path: string }[] }) =>
  errors.map(({ path }) => path);
const audits = async (entityId: string) =>
  world.server.testDatabase.ownerQuery<{ action: string; entity_type: string }>(
    'select action, entity_type from arbiter.audit_logs where entity_id = $1 order by sequence',
    [entityId],
  );

test('a template: defaults, changes, audit rows, deletion with its schedules while its runs stay', async () => {
  const made = await world.call<ReportTemplate>('POST', templates, {
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
  const changed = await world.call<ReportTemplate>('PATCH', `${templates}/${id}`, {
    name: 'Month',
    dataSources: [{ sourceKey: 'summary' }],
    formats: ['csv', 'pdf'],
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.sections, [{ id: 's1', title: 'Summary', dataSourceIndex: 0 }]);
  assert.deepEqual([changed.body.name, changed.body.formats, changed.body.enabled], ['Month', ['csv', 'pdf'], true]);
  assert.deepEqual((await world.call('GET', `${templates}/${id}`)).body, changed.body);
  const newest = await world.template();
  const { data } = (await world.call<{ data: ReportTemplate[] }>('GET', templates)).body;
  assert.deepEqual(
    data.slice(0, 2).map((each) => each.id),
    [newest.id, id],
  );
  const timed = await world.schedule(id);
  const run = await world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`);
  assert.equal(run.status, 202, run.text);
  assert.equal((await world.call('DELETE', `${templates}/${id}`)).status, 204);
  assert.equal((await world.call('GET', `${templates}/${id}`)).status, 404);
  assert.equal((await world.call('GET', `${schedules}/${timed.id}`)).status, 404);
  assert.equal(
    (await world.call<ReportRun>('GET', `/api/v1/reports/runs/${run.body.runId}`)).body.templateName,
    'Month',
  );
  assert.deepEqual(
    (await audits(id)).map(({ action }) => action),
    ['create', 'update', 'delete'],
  );
  assert.deepEqual(await audits(timed.id), [
    { action: 'create', entity_type: 'reportSchedule' },
    { action: 'delete', entity_type: 'reportSchedule' },
  ]);
});

test('a report covers one period, and a section with another one says so', async () => {
  const { body: template } = await world.call<{ id: string }>('POST', templates, {
    name: 'Periods',
    dataSources: [
      { sourceKey: 'offer_performance' },
      { sourceKey: 'daily_trend', params: { days: 30 } },
      { sourceKey: 'revenue_trend', params: { days: 2 } },
      { sourceKey: 'system_health' },
    ],
    formats: ['markdown'],
  });
  const preview = await world.call<ReportPreview>('POST', `${templates}/${template.id}/preview`);
  assert.equal(preview.status, 200, preview.text);
  const { sections, artifacts } = preview.body;
  const days = sections.map(({ period }) =>
    period === null ? null : (Date.parse(period.to) - Date.parse(period.from)) / 86_400_000 + 1,
  );
  assert.deepEqual(days, [30, 30, 2, null], 'the first source that sets its days sets those of the report');
  const lines = Buffer.from(artifacts[0]?.base64 ?? '', 'base64')
    .toString()
    .split('\n');
  assert.equal(lines.filter((line) => /^\d{4}-\d\d-\d\d to \S+ \(30 days\) · /.test(line)).length, 2);
  assert.equal(lines.filter((line) => /^\*\*Different period: \S+ to \S+ \(2 days\) · /.test(line)).length, 1);
  assert.equal(lines.filter((line) => line.startsWith('As of ')).length, 1);
});

test('rejects an invalid template with its path, and changes nothing', async () => {
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
    [{ dataSources: [{ ...source, params: { color: 'red' } }] }, 400, '/dataSources/0/params'],
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
  const before = (await world.call<{ data: unknown[] }>('GET', templates)).body.data.length;
  for (const [body, status, path] of cases) {
    const refused = await world.call('POST', templates, { name: 'N', dataSources: [source], ...body });
    assert.equal(refused.status, status, `${JSON.stringify(body).slice(0, 200)}: ${refused.text}`);
    assert.ok(
      pathsOf(refused.body).some((each) => each.startsWith(path)),
      `${path}: ${refused.text}`,
    );
  }
  assert.equal((await world.call<{ data: unknown[] }>('GET', templates)).body.data.length, before);
  const most = { name: 'x'.repeat(120), dataSources: Array.from({ length: 20 }, () => source) };
  assert.equal((await world.call('POST', templates, most)).status, 201, '20 sources and a name of 120 characters pass');
});

test('a tenant has at most 500 templates', async () => {
  const [{ count } = { count: 0 }] = await world.server.testDatabase.ownerQuery<{ count: number }>(
    'select count(*)::int as count from arbiter.report_templates where tenant_id = $1',
    [world.server.tenants[0].id],
  );
  await world.server.testDatabase.ownerQuery(
    `insert into arbiter.report_templates (tenant_id, id, name, data_sources, sections, formats, narrative, destinations,
       enabled, created_at, updated_at)
     select $1, gen_random_uuid(), 'Filler', '[]', '[]', '{html}', '{}', '{}', true, now(), now() from generate_series(1, $2)`,
    [world.server.tenants[0].id, 499 - count],
  );
  await world.template();
  const refused = await world.call('POST', templates, { name: 'One more', dataSources: [{ sourceKey: 'summary' }] });
  assert.deepEqual([refused.status, refused.body.code], [409, 'limit_reached']);
  await world.server.testDatabase.ownerQuery(`delete from arbiter.report_templates where name = 'Filler'`);
});

test('a schedule: defaults, next run in its zone, changes that count again, rejected expressions', async () => {
  const { id: templateId } = await world.template();
  const made = await world.schedule(templateId, { name: 'Mornings' });
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
  const patch = (body: object) => world.call<ReportSchedule>('PATCH', `${schedules}/${id}`, body);
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
    const refused = await world.call('POST', schedules, {
      templateId,
      name: 'N',
      cronExpression: '* * * * *',
      ...body,
    });
    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text);
  }
  const other = await world.schedule(templateId);
  interface Page {
    readonly data: ReportSchedule[];
    readonly pagination: Pagination;
  }
  const first = await world.call<Page>('GET', `${schedules}?limit=1&templateId=${templateId}`);
  assert.deepEqual([first.body.data[0]?.id, first.body.pagination.total], [other.id, 2]);
  const cursor = first.body.pagination.nextCursor;
  const second = await world.call<Page>('GET', `${schedules}?limit=1&templateId=${templateId}&cursor=${cursor}`);
  assert.deepEqual([second.body.data[0]?.id, second.body.pagination.hasMore], [id, false]);
  assert.equal((await world.call<Page>('GET', `${schedules}?templateId=x`)).body.pagination.total, 0);
  assert.equal((await world.call('GET', `${schedules}?cursor=${newId()}`)).body.code, 'invalid_cursor');
  assert.equal((await world.call('DELETE', `${schedules}/${id}`)).status, 204);
  assert.equal((await world.call('DELETE', `${schedules}/${id}`)).status, 404);
});

test('roles: viewers read and preview, editors write and run; another tenant sees nothing', async () => {
  const { id } = await world.template();
  const timed = await world.schedule(id);
  const run = await world.call<RunNowAnswer>('POST', `${templates}/${id}/run-now`);
  const { viewer, editor } = world.server.tenants[0].keys;
  const stranger = world.server.tenants[1]!.keys.admin;
  const reads = [
    `${templates}/${id}`,
    `${schedules}/${timed.id}`,
    `/api/v1/reports/runs/${run.body.runId}`,
    `/api/v1/reports/runs/${run.body.runId}/artifacts/html`,
  ];
  for (const path of reads) {
    assert.equal((await world.call('GET', path, undefined, { key: viewer })).status, 200, path);
    assert.equal((await world.call('GET', path, undefined, { key: stranger })).status, 404, path);
  }
  assert.equal((await world.call('POST', `${templates}/${id}/preview`, undefined, { key: viewer })).status, 200);
  for (const [method, path, body] of [
    ['POST', templates, { name: 'N', dataSources: [{ sourceKey: 'summary' }] }],
    ['PATCH', `${templates}/${id}`, { enabled: true }],
    ['POST', `${templates}/${id}/run-now`, {}],
    ['PATCH', `${schedules}/${timed.id}`, { enabled: true }],
    ['DELETE', `${schedules}/${timed.id}`, undefined],
    ['DELETE', `${templates}/${id}`, undefined],
  ] as const) {
    assert.equal((await world.call(method, path, body, { key: viewer })).status, 403, `${method} ${path}`);
    if (path === templates) continue;
    assert.equal((await world.call(method, path, body, { key: stranger })).status, 404, `${method} ${path}`);
  }
  assert.equal((await world.call('PATCH', `${templates}/${id}`, { enabled: true }, { key: editor })).status, 200);
  for (const list of [templates, schedules, '/api/v1/reports/runs']) {
    assert.deepEqual(
      (await world.call<{ data: unknown[] }>('GET', list, undefined, { key: stranger })).body.data,
      [],
      list,
    );
  }
});
