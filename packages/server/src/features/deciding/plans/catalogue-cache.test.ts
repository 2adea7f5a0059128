import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { type CatalogueCache, createCatalogueCache } from './catalogue-cache.ts';

let server: TestServer;
let cache: CatalogueCache;

before(async () => {
  server = await startTestServer();
  const failed = (error: unknown): never => {
    throw error;
  };
  cache = createCatalogueCache(server.database, { onError: failed });
});
after(async () => {
  cache.close();
  await server.close();
});

async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  // What a promise has just handed over is still held by the turn that took it.
  for (let i = 0; i < 5; i++) {
    await sleep(10);
    gc();
  }
}

test('releases a replaced catalogue, with its plans', async () => {
  const tenantId = server.tenants[0].id;
  const change = async (name: string): Promise<void> => {
    const made = await server.call('POST', '/api/v1/offers', { body: { name, status: 'active' } });
    assert.equal(made.status, 201, made.text);
  };
  await change('first');
  await cache.makeBaseFlow(tenantId);
  const old: { readonly name: string; readonly ref: WeakRef<object> }[] = [];
  for (const name of ['second', 'third', 'fourth']) {
    const { version } = await cache.get(tenantId);
    await (async () => {
      const catalogue = await cache.get(tenantId);
      const flow = await catalogue.flowFor(null);
      old.push({ name: `catalogue before ${name}`, ref: new WeakRef(catalogue) });
      old.push({ name: `plan before ${name}`, ref: new WeakRef(flow.plan) });
    })();
    await change(name);
    await cache.refresh(tenantId, version + 1);
  }
  await collect();
  const kept = old.filter(({ ref }) => ref.deref() !== undefined).map(({ name }) => name);
  assert.deepEqual(kept, []);
});

test('stores precompiled plans once someone decides with them, and not before', async () => {
  const tenantId = server.tenants[0].id;
  const ahead = createCatalogueCache(server.database, { onError: assert.ifError });
  try {
    const made = await server.call('POST', '/api/v1/offers', { body: { name: 'fifth', status: 'active' } });
    assert.equal(made.status, 201, made.text);
    const stored = async () => (await server.testDatabase.ownerQuery('select hash from arbiter.plans')).length;
    const before = await stored();
    const catalogue = await ahead.get(tenantId);
    const pieces = () => catalogue.rows.pieces.map(({ piece }) => piece);
    assert.ok(pieces().every(({ hash }) => hash === null));
    await catalogue.compileAhead();
    assert.ok(pieces().length > 0 && pieces().every(({ hash }) => hash !== null));
    assert.equal(await stored(), before);
    const flow = await catalogue.flowFor(null);
    assert.equal(await stored(), before + 1);
    assert.equal(await catalogue.flowFor(null), flow);
    await catalogue.compileAhead();
    assert.equal(await catalogue.flowFor(null), flow);
    assert.ok(
      pieces().every(({ body }) => body === null),
      'what is stored is not kept for storing',
    );
  } finally {
    ahead.close();
  }
});

test('keeps a catalogue that is read again at the same version, with its plans', async () => {
  const tenantId = server.tenants[0].id;
  const before = await cache.makeBaseFlow(tenantId);
  const flow = await before.flowFor(null);
  const again = await cache.makeBaseFlow(tenantId);
  assert.equal(again, before);
  assert.equal(again.flowFor(null), flow);
  const made = await server.call('POST', '/api/v1/offers', { body: { name: 'sixth', status: 'active' } });
  assert.equal(made.status, 201, made.text);
  assert.notEqual(await cache.makeBaseFlow(tenantId), before);
});
