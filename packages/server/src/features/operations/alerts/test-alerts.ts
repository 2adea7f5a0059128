import assert from 'node:assert/strict';
import { type Alert, type AlertEvent, draftFlowConfig, type Problem, type TickAnswer } from '@arbiter/contract';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { reachesDestinations, startDestination, type TestDestination } from '../notifications/test-destination.ts';

export const minuteMs = 60_000;
/** CRON_TOKEN of the server. */
export const token = 'the token of the tick';

export type AnsweredAlert = Alert & Omit<Problem, 'status'>;

/** A server whose clock stands still unless the test moves it, with records for alert rules. */
export interface AlertServer {
  /** Epoch ms. */
  now: number;
  readonly server: TestServer;
  readonly peer: TestDestination;
  /** Offer and channel, and two published flows. */
  readonly ids: { readonly offer: string; readonly channel: string; readonly flow: string; readonly otherFlow: string };
  /** Makes a record; answers with its id. */
  made(path: string, body: object): Promise<string>;
  post(body: object): Promise<CallResult<AnsweredAlert>>;
  /** Makes a rule; answers with its id. */
  rule(body: object): Promise<string>;
  read(id: string): Promise<Alert>;
  put(id: string, body: object): Promise<CallResult<AnsweredAlert>>;
  events(id: string): Promise<AlertEvent[]>;
  callTick(headers?: Record<string, string>): Promise<CallResult<TickAnswer & { error?: string }>>;
  /** A tick, a millisecond later. */
  tick(): Promise<TickAnswer>;
  /** Delivers what waits in the background, as the worker would. */
  deliverAll(): Promise<void>;
  /** Takes the rules of earlier tests away, so that a tick counts those of its own test. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function startAlertServer(): Promise<AlertServer> {
  const clock = { now: Date.UTC(2026, 10, 20, 9, 30, 15) };
  const [server, peer] = await Promise.all([
    startTestServer({
      tenants: 2,
      clock: { now: () => clock.now },
      config: { ...reachesDestinations, CRON_TOKEN: token },
    }),
    startDestination(),
  ]);
  let counter = 0;
  const made: AlertServer['made'] = async (path, body) => {
    const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    return answer.body.id;
  };
  const post: AlertServer['post'] = (body) =>
    server.call('POST', '/api/v1/alerts', {
      body: { name: `Rule ${++counter}`, metric: 'decision_count', operator: 'gte', threshold: 0, ...body },
    });
  const callTick: AlertServer['callTick'] = (headers = { 'x-cron-token': token }) =>
    server.call('POST', '/api/cron/tick', { key: null, headers });
  const category = await made('categories', { name: 'Cards' });
  const channel = await made('channels', { name: 'Web', channelType: 'web', status: 'active' });
  const offer = await made('offers', { name: 'Gold', status: 'active', categoryId: category });
  const content = { headline: 'x' };
  await made('creatives', { name: 'Gold on web', offerId: offer, channelId: channel, status: 'active', content });
  const published = async (key: string): Promise<string> => {
    const id = await made('decision-flows', { key, name: key, draftConfig: draftFlowConfig(category) });
    const answer = await server.call('POST', '/api/v1/decision-flows/publish', { body: { id } });
    assert.equal(answer.status, 200, answer.text);
    return id;
  };
  return {
    get now() {
      return clock.now;
    },
    set now(ms) {
      clock.now = ms;
    },
    server,
    peer,
    ids: { offer, channel, flow: await published('main'), otherFlow: await published('other') },
    made,
    post,
    async rule(body) {
      const answer = await post(body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    },
    read: async (id) => (await server.call<Alert>('GET', `/api/v1/alerts/${id}`)).body,
    put: (id, body) => server.call('PUT', `/api/v1/alerts/${id}`, { body }),
    events: async (id) => (await server.call<{ data: AlertEvent[] }>('GET', `/api/v1/alerts/${id}/events`)).body.data,
    callTick,
    async tick() {
      clock.now += 1;
      const { status, body, text } = await callTick();
      assert.equal(status, 200, text);
      return body;
    },
    async deliverAll() {
      const rows = await server.testDatabase.ownerQuery<{ id: string; tenant_id: string }>(
        'select id, tenant_id from arbiter.notification_deliveries order by id',
      );
      for (const { id, tenant_id } of rows) {
        const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
        await server.jobs
          .get('notification.deliver')!
          .run({ deliveryId: id }, facts, tenant_id)
          .catch((error: unknown) => {
            assert.match(String(error), /^DeliveryError/);
          });
      }
    },
    async clear() {
      const { body } = await server.call<{ data: Alert[] }>('GET', '/api/v1/alerts?limit=200');
      for (const { id } of body.data) assert.equal((await server.call('DELETE', `/api/v1/alerts/${id}`)).status, 204);
    },
    close: async () => void (await Promise.all([server.close(), peer.close()])),
  };
}
