import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NotificationProvider, Problem, SendResult } from '@arbiter/contract';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { reachesDestinations, startDestination, type TestDestination } from './test-destination.ts';

export const providers = '/api/v1/notifications/providers';

export type AnsweredProvider = NotificationProvider & Omit<Problem, 'status'>;

export interface Sent {
  readonly results: readonly SendResult[];
  readonly code?: string;
}

/** A server that reaches a destination of the test. */
export interface NotificationServer {
  readonly server: TestServer;
  readonly peer: TestDestination;
  /** Folder of the mails that were sent. */
  readonly outbox: string;
  /** What the server is started with, for others like it. */
  readonly config: typeof reachesDestinations & { readonly MAIL_OUTBOX_DIR: string };
  post(body: object, on?: Pick<TestServer, 'call'>): Promise<CallResult<AnsweredProvider>>;
  patch(id: string, body: object): Promise<CallResult<AnsweredProvider>>;
  get(id: string): Promise<AnsweredProvider>;
  /** Makes a destination at a path of the peer. */
  webhook(path: string, more?: object): Promise<CallResult<AnsweredProvider>>;
  /** The ID of the new record. */
  made(answer: Promise<CallResult<AnsweredProvider>>): Promise<string>;
  send(
    providerIds: readonly string[],
    notification?: object,
    headers?: Record<string, string>,
  ): Promise<CallResult<Sent>>;
  probe(
    id: string,
  ): Promise<CallResult<{ ok: boolean; latencyMs: number; providerMessageId: string | null; detail: string }>>;
  close(): Promise<void>;
}

export async function startNotificationServer(
  more: { readonly MAIL_RATE_PER_MINUTE?: number } = {},
): Promise<NotificationServer> {
  const outbox = mkdtempSync(join(tmpdir(), 'arbiter-notifications-'));
  const config = { ...reachesDestinations, ...more, MAIL_OUTBOX_DIR: outbox };
  const [server, peer] = await Promise.all([startTestServer({ tenants: 2, config }), startDestination()]);
  let counter = 0;
  const post: NotificationServer['post'] = (body, on = server) =>
    on.call('POST', providers, { body: { name: `Destination ${++counter}`, ...body } });
  return {
    server,
    peer,
    outbox,
    config,
    post,
    patch: (id, body) => server.call('PATCH', `${providers}/${id}`, { body }),
    get: async (id) => (await server.call<AnsweredProvider>('GET', `${providers}/${id}`)).body,
    webhook: (path, own = {}) => post({ kind: 'webhook', config: { url: peer.url(path), ...own } }),
    async made(answer) {
      const { status, body, text } = await answer;
      assert.equal(status, 201, text);
      return body.id;
    },
    send: (providerIds, notification = {}, headers = {}) =>
      server.call('POST', '/api/v1/notifications/send', {
        body: { providerIds, notification: { title: 'Hello', message: 'World', ...notification } },
        headers,
      }),
    probe: (id) => server.call('POST', `${providers}/${id}/test`),
    async close() {
      await Promise.all([server.close(), peer.close()]);
      rmSync(outbox, { recursive: true, force: true });
    },
  };
}
