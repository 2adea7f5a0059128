import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem, ReportSchedule, ReportTemplate } from '@arbiter/contract';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { reachesDestinations, startDestination, type TestDestination } from '../notifications/test-destination.ts';

export const templates = '/api/v1/reports/templates';
export const schedules = '/api/v1/reports/schedules';

type Answered<T> = T & Omit<Problem, 'status'>;

/** A server whose first tenant is in Berlin, with destinations that it reaches. */
export interface ReportServer {
  readonly server: TestServer;
  readonly peer: TestDestination;
  /** Folder of the mails that were sent. */
  readonly outbox: string;
  /** The server's clock: its time in epoch ms, which a test sets. */
  readonly clock: { now: number };
  call<T>(method: string, path: string, body?: object, more?: object): Promise<CallResult<Answered<T>>>;
  template(body?: object): Promise<ReportTemplate>;
  schedule(templateId: string, body?: object): Promise<ReportSchedule>;
  destination(kind: string, config: object): Promise<string>;
  webhook(path: string): Promise<string>;
  close(): Promise<void>;
}

export async function startReportServer(): Promise<ReportServer> {
  const outbox = mkdtempSync(join(tmpdir(), 'arbiter-reports-'));
  const clock = { now: Date.UTC(2026, 10, 20, 9, 30, 15) };
  const [server, peer] = await Promise.all([
    startTestServer({
      tenants: 3,
      clock: { now: () => clock.now },
      config: { ...reachesDestinations, MAIL_OUTBOX_DIR: outbox },
    }),
    startDestination(),
  ]);
  const settings = { timezone: 'Europe/Berlin' };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: settings })).status, 200);
  const call: ReportServer['call'] = <T>(method: string, path: string, body?: object, more: object = {}) =>
    server.call<Answered<T>>(method, path, { ...(body === undefined ? {} : { body }), ...more });
  let counter = 0;
  async function made<T>(path: string, body: object): Promise<T> {
    const answer = await call<T>('POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }
  const destination: ReportServer['destination'] = async (kind, config) => {
    const body = { kind, name: `Destination ${++counter}`, config };
    return (await made<{ id: string }>('/api/v1/notifications/providers', body)).id;
  };
  return {
    server,
    peer,
    outbox,
    clock,
    call,
    template: (body = {}) =>
      made(templates, { name: `Report ${++counter}`, dataSources: [{ sourceKey: 'daily_trend' }], ...body }),
    schedule: (templateId, body = {}) =>
      made(schedules, { templateId, name: `Schedule ${++counter}`, cronExpression: '0 8 * * *', ...body }),
    destination,
    webhook: (path) => destination('webhook', { url: peer.url(path) }),
    async close() {
      await Promise.all([server.close(), peer.close()]);
      rmSync(outbox, { recursive: true, force: true });
    },
  };
}
