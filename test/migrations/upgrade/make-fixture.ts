// Writes the database of the newest release for the upgrade test. See README.md in this folder.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { packs } from '@arbiter/packs';
import { systemActor } from '../../../packages/server/src/db/index.ts';
import { readMigrations } from '../../../packages/server/src/db/migrate.ts';
import { createCustomerKeys } from '../../../packages/server/src/features/deciding/customer-states/index.ts';
import { loadPack } from '../../../packages/server/src/features/operations/seed-packs/index.ts';
import { createOutboxDispatcher } from '../../../packages/server/src/features/operations/stream/index.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../../packages/server/src/main/test-server.ts';
import { dumpDatabase } from './dump.ts';
import { buildWorld, type UpgradeWorld } from './world.ts';

const keys = {
  API_KEY_PEPPER: 'a pepper of the upgrade test, 40 letters',
  DATA_ENCRYPTION_KEY: Buffer.alloc(32, 42).toString('base64'),
};
const minuteMs = 60_000;
const outcomes = ['click', 'dismiss', 'convert', 'accept'];
let now = Date.now() - 4 * 24 * 60 * minuteMs;
/** Answers a flow's webhook: every third candidate is dropped. */
const peer = createServer(async (request, response) => {
  const { candidates } = JSON.parse(await text(request)) as { candidates: readonly { offerId: string }[] };
  const answer = candidates.map(({ offerId }, at) => ({ offerId, drop: at % 3 === 2 }));
  response.end(JSON.stringify({ candidates: answer }));
});
await new Promise<void>((listening) => peer.listen(0, '127.0.0.1', listening));
const hookUrl = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/hook`;
const outbound = { OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'], OUTBOUND_HTTP_OK: true };
const server = await startTestServer({ tenants: 2, clock: { now: () => now }, config: { ...keys, ...outbound } });
try {
  const world = await buildWorld(server, hookUrl);
  const [rich, withPack] = server.tenants as [TestTenant, TestTenant];
  const first = await decideMany(server, world);
  const { rest } = await decideByPack(server, withPack);
  const [newest] = (await readMigrations()).slice(-1);
  assert.ok(newest);
  const dump = await dumpDatabase(server.testDatabase.ownerQuery, {
    migration: newest.name,
    madeAt: new Date().toISOString(),
    keys,
    tenants: [
      { id: rich.id, apiKey: rich.keys.admin, ...first },
      { id: withPack.id, apiKey: withPack.keys.admin, decisions: rest, withheld: [] },
    ],
  });
  const packed = gzipSync(dump, { level: 9 });
  const file = new URL(process.argv[2] ?? `database-${newest.name.slice(0, 4)}.jsonl.gz`, import.meta.url);
  await writeFile(file, packed);
  console.log(
    `${first.decisions.length + rest.length} decisions, ${dump.length} characters, ${packed.length} bytes packed`,
  );
} finally {
  await server.close();
  peer.closeAllConnections();
  peer.close();
}

interface Answer {
  readonly recommendationId: string;
  readonly count: number;
  readonly decisions: readonly { readonly channelType: string | null; readonly offerId: string }[];
}

/** Makes decisions of each kind of request, hours apart, with responses in between. Half of them are rolled up. */
async function decideMany(to: TestServer, world: UpgradeWorld) {
  const { flows, email, web, hero, side, inbox, offers, creatives } = world;
  const decisions: string[] = [];
  const withheld: string[] = [];
  const total = 120;
  const placed = (...ids: string[]) => ids.map((placementId, at) => ({ placementId, limit: at === 1 ? 2 : null }));
  const shapes: readonly ((at: number) => Record<string, unknown>)[] = [
    () => ({ channel: 'email', limit: 3 }),
    (at) => ({ channel: 'phone', limit: 1 + (at % 3), segments: ['vip'] }),
    () => ({ placements: placed(hero, side), attributes: { page: 'home' } }),
    () => ({ placements: placed(hero, side), attributes: { page: 'checkout' } }),
    () => ({ placements: placed(side, hero, inbox), deduplicate: true }),
    () => ({ placement: 'inbox', channelId: email, attributes: { first_name: 'Änne', salutation: 'Herr "K."' } }),
    (at) => ({ limit: 6, excludeOffers: [offers[at % 7]], excludeCreatives: [creatives[at % 11]] }),
    () => ({ channelId: web, limit: 2, locale: 'de-DE', currency: 'EUR', context: { page: 'home', n: 1.5 } }),
    (at) => ({ attributes: { propensityScores: { [offers[at % 9]!]: 0.93 }, interests: ['card'] }, limit: 50 }),
    () => ({ channel: 'email', segments: ['left'] }),
  ];
  for (let at = 0; at < total; at++) {
    now += 29 * minuteMs + at;
    const decisionFlowKey = at % 15 === 12 ? flows.at(-1) : flows[(at >> 1) % (flows.length - 1)];
    const customerId = at % 13 === 12 ? `stranger ${at}` : `C${(at * 7) % 40}`;
    const named = at % 12 === 0 ? { requestId: `0199${String(at).padStart(4, '0')}-0000-7000-8000-00000000000a` } : {};
    const body = { customerId, decisionFlowKey, ...shapes[at % shapes.length]!(at), ...named };
    const answer = await to.call<Answer>('POST', '/api/v1/recommend', { body });
    assert.equal(answer.status, 200, answer.text);
    const id = answer.body.recommendationId;
    const replay = await to.call<{ identical?: boolean }>('POST', `/api/v1/decisions/${id}/replay`, { body: {} });
    if (replay.status === 409) withheld.push(id);
    else decisions.push(id);
    if (replay.status === 200) assert.equal(replay.body.identical, true, replay.text);
    await answerTo(to, answer.body, at);
    if (at % 30 === 15) await world.teach(at);
    if (at === Math.floor(total / 2)) await rollUp(to, 'Europe/Berlin');
  }
  assert.ok(withheld.length > 0 && withheld.length < 20, `${withheld.length} withheld`);
  return { decisions, withheld };
}

async function answerTo(to: TestServer, { recommendationId, count, decisions }: Answer, at: number): Promise<void> {
  if (count === 0 || at % 2 === 1) return;
  now += 2 * minuteMs;
  const respond = async (body: object) => {
    const answered = await to.call('POST', '/api/v1/respond', { body: { recommendationId, rank: 1, ...body } });
    assert.equal(answered.status, 200, answered.text);
  };
  if (decisions[0]?.channelType === 'phone') await respond({ outcome: at % 4 === 0 ? 'impression' : 'not_presented' });
  if (at % 3 !== 0) await respond({ outcome: outcomes[(at >> 1) % outcomes.length], conversionValue: at + 0.25 });
}

async function rollUp(to: TestServer, zone: string): Promise<void> {
  const dispatcher = createOutboxDispatcher(to.database, to.outboxPath, {
    zoneOf: async () => zone,
    pause: async () => undefined,
    stopped: () => false,
  });
  await dispatcher.drain();
}

/** The second tenant: what `npm start` gives a newcomer. */
async function decideByPack(to: TestServer, tenant: TestTenant): Promise<{ rest: string[] }> {
  const [pack] = packs;
  assert.ok(pack);
  const customers = [...pack.schemas[0]!.rows(new Date(now))].slice(0, 6).map((row) => String(Object.values(row)[0]));
  // Rows and history of all customers would be most of the file.
  const isOfOne = (row: object) => customers.some((id) => Object.values(row).some((value) => String(value) === id));
  const few = {
    ...pack,
    schemas: pack.schemas.map((each) => ({
      ...each,
      rows: (loadedAt: Date) => [...each.rows(loadedAt)].filter(isOfOne),
    })),
    history: (loadedAt: Date) => [...pack.history(loadedAt)].filter(isOfOne),
  };
  const ports = { keys: createCustomerKeys([Buffer.from(keys.DATA_ENCRYPTION_KEY, 'base64')]) };
  await to.database.withTenant(tenant.id, systemActor('test'), (tx) => loadPack(tx, few, ports));
  const rest: string[] = [];
  const channels: readonly string[] = pack.channels.map(({ channelType }) => channelType);
  for (const [at, customerId] of customers.entries()) {
    for (const channel of channels) {
      now += minuteMs;
      const body = { customerId, channel, limit: 2 };
      const answer = await to.call<Answer>('POST', '/api/v1/recommend', { body, key: tenant.keys.admin });
      assert.equal(answer.status, 200, answer.text);
      rest.push(answer.body.recommendationId);
    }
    if (at === 4) await rollUp(to, 'UTC');
  }
  return { rest };
}
