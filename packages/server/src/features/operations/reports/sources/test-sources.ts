import assert from 'node:assert/strict';
import type { Problem, ReportColumn, ReportRow } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { idAt, newId } from '../../../../platform/ids.ts';
import {
  reachesDestinations,
  says,
  startDestination,
  type TestDestination,
} from '../../notifications/test-destination.ts';

/** 00:30 on 21 November in Berlin; in UTC it is still the 20th. */
export const now = Date.parse('2026-11-20T23:30:00Z');

export interface SourceData {
  readonly params: object;
  readonly period: { readonly from: string; readonly to: string } | null;
  readonly filters: readonly { readonly label: string; readonly value: string }[];
  readonly columns: ReportColumn[];
  readonly rows: ReportRow[];
  readonly notes: string[];
}

export interface Total {
  readonly day: string;
  readonly offer: string;
  readonly channel?: string | null;
  readonly counts: readonly [
    impressions: number,
    positive: number,
    negative: number,
    neutral: number,
    clicks: number,
    converts: number,
    value: number,
  ];
}

type Query = Readonly<Record<string, string | number>>;

/** A tenant in Berlin with three offers, two channels and a segment, whose figures are what a test says. */
export interface SourceWorld {
  readonly server: TestServer;
  readonly peer: TestDestination;
  readonly tenantId: string;
  readonly ids: Readonly<
    Record<'cards' | 'loans' | 'gold' | 'silver' | 'loan' | 'web' | 'mail' | 'flow' | 'segment', string>
  >;
  made(path: string, body: object): Promise<string>;
  put(path: string, body: object): Promise<void>;
  ask(type: string, query?: Query, key?: string): ReturnType<typeof askOf>;
  data(type: string, query?: Query): Promise<SourceData>;
  /** Rows without the ids beside the names. */
  rows(type: string, query?: Query): Promise<Record<string, unknown>[]>;
  count(totals: readonly Total[], tenant?: string): Promise<void>;
  usual(): Total[];
  event(
    at: string,
    customerId: string,
    offerId: string,
    type: 'impression' | 'response',
    more?: { readonly channelId?: string; readonly value?: number; readonly outcome?: string },
  ): Promise<void>;
  /** Minutes with this many decisions and failures, of 3 candidates each, one of them blocked; each took 1 ms or so. */
  decided(minutes: readonly [at: string, decisions: number, failed: number][]): Promise<void>;
  close(): Promise<unknown>;
}

const askOf = (server: TestServer, type: string, query: Query = {}, key?: string) =>
  server.call<SourceData & Omit<Problem, 'status'>>(
    'GET',
    `/api/v1/dashboard-data?${new URLSearchParams({ type, ...Object.fromEntries(Object.entries(query).map(([k, v]) => [k, String(v)])) })}`,
    key === undefined ? {} : { key },
  );

export async function startSourceWorld(): Promise<SourceWorld> {
  const ids = { cards: '', loans: '', gold: '', silver: '', loan: '', web: '', mail: '', flow: '', segment: '' };
  const server = await startTestServer({ tenants: 2, clock: { now: () => now }, config: reachesDestinations });
  const tenantId = server.tenants[0].id;
  const peer = await startDestination();
  peer.on('/dead', says(500));
  await put('tenant-settings', { timezone: 'Europe/Berlin', decisionTraceEnabled: true, decisionTraceSampleRate: 1 });
  ids.cards = await made('categories', { name: 'Cards' });
  ids.loans = await made('categories', { name: 'Loans' });
  ids.web = await made('channels', { name: 'Web', channelType: 'web', status: 'active' });
  ids.mail = await made('channels', { name: 'Mail', channelType: 'email', status: 'active' });
  const offer = (name: string, categoryId: string, more: object = {}) =>
    made('offers', { name, categoryId, status: 'active', ...more });
  ids.gold = await offer('Gold', ids.cards, {
    budget: { lifetimeCapCents: 10_000, costPerImpressionCents: 10, costPerClickCents: 100 },
  });
  ids.silver = await offer('Silver', ids.cards, { budget: { lifetimeCapCents: 500 } });
  ids.loan = await offer('Loan', ids.loans, { status: 'paused' });
  const schema = await made('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 255,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'age', displayName: 'Age', dataType: 'integer' },
    ],
  });
  const filled = await server.call('POST', `/api/v1/schemas/${schema}/data`, {
    body: {
      rows: [
        { customer_id: 'A', age: 70 },
        { customer_id: 'B', age: 30 },
        { customer_id: 'C', age: 80 },
      ],
    },
  });
  assert.equal(filled.status, 201, filled.text);
  ids.segment = await made('segments', {
    name: 'Elders',
    baseSchemaId: schema,
    status: 'active',
    filters: { logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 60 }] },
  });

  async function made(path: string, body: object): Promise<string> {
    const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    return answer.body.id;
  }
  async function put(path: string, body: object): Promise<void> {
    const answer = await server.call('PUT', `/api/v1/${path}`, { body });
    assert.equal(answer.status, 200, answer.text);
  }
  const ask: SourceWorld['ask'] = (type, query, key) => askOf(server, type, query, key);
  async function data(type: string, query: Query = {}): Promise<SourceData> {
    const { status, body, text } = await ask(type, query);
    assert.equal(status, 200, text);
    // The columns describe a row, except for IDs of named records.
    for (const row of body.rows) {
      const keys = Object.keys(row).filter((name) => !name.endsWith('Id'));
      assert.deepEqual(keys.sort(), body.columns.map(({ key }) => key).sort(), type);
    }
    return body;
  }
  const rows = async (type: string, query: Query = {}) =>
    (await data(type, query)).rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([k]) => !k.endsWith('Id'))),
    );

  async function count(totals: readonly Total[], tenant = tenantId): Promise<void> {
    await server.testDatabase.ownerQuery('delete from arbiter.daily_totals where tenant_id = $1', [tenant]);
    for (const { day, offer, channel = null, counts } of totals) {
      await server.testDatabase.ownerQuery(
        `insert into arbiter.daily_totals (tenant_id, day, offer_id, channel_id, direction, impressions, positive, negative, neutral,
           clicks, converts, total_value) values ($1, $2, $3, $4, 'outbound', $5, $6, $7, $8, $9, $10, $11)`,
        [tenant, day, offer, channel, ...counts],
      );
    }
  }
  const usual = (): Total[] => [
    { day: '2026-11-21', offer: ids.gold, channel: ids.web, counts: [100, 20, 5, 3, 12, 4, 80.5] },
    { day: '2026-11-20', offer: ids.gold, channel: ids.mail, counts: [50, 5, 1, 0, 3, 1, 20] },
    { day: '2026-11-15', offer: ids.silver, channel: ids.web, counts: [30, 3, 0, 1, 2, 0, 0] },
    { day: '2026-11-15', offer: ids.loan, channel: null, counts: [10, 1, 0, 0, 0, 1, 1000] },
    // The day before the first of seven.
    { day: '2026-11-14', offer: ids.silver, channel: ids.web, counts: [7, 7, 7, 7, 7, 7, 7] },
  ];
  async function event(
    at: string,
    customerId: string,
    offerId: string,
    type: 'impression' | 'response',
    more: { readonly channelId?: string; readonly value?: number; readonly outcome?: string } = {},
  ): Promise<void> {
    const id = idAt(Date.parse(at));
    await server.testDatabase.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         is_conversion, offer_id, channel_id, conversion_value, occurred_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
      [
        tenantId,
        id,
        customerId,
        type,
        type === 'impression' ? 'impression' : (more.outcome ?? 'click'),
        type === 'impression' ? 'neutral' : 'positive',
        type === 'impression' ? 'outbound' : 'inbound',
        more.value !== undefined,
        offerId,
        more.channelId ?? null,
        more.value ?? null,
        at,
      ],
    );
  }
  async function decided(minutes: readonly [at: string, decisions: number, failed: number][]): Promise<void> {
    await server.testDatabase.ownerQuery('delete from arbiter.decision_minutes where tenant_id = $1', [tenantId]);
    for (const [at, decisions, failed] of minutes) {
      await server.testDatabase.ownerQuery(
        `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
           policy_blocked, degraded, policy_errors, compute_errors, durations)
         values ($1, $2, $3, 1, 0, $4::int, 1, $5, $6::int, $4::int, 2, 0, 0, $7)`,
        [
          tenantId,
          at,
          newId(),
          decisions,
          failed === 0 ? {} : { internal: failed },
          3 * decisions,
          `{${Array.from({ length: 25 }, (_, bucket) => (bucket === 24 ? decisions : 0)).join(',')}}`,
        ],
      );
    }
  }
  return {
    server,
    peer,
    tenantId,
    ids,
    made,
    put,
    ask,
    data,
    rows,
    count,
    usual,
    event,
    decided,
    close: () => Promise.all([server.close(), peer.close()]),
  };
}
