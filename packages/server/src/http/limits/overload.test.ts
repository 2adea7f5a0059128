import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Operation, operation, systemOperations } from '@arbiter/contract';
import Type from 'typebox';
import { type Handlers, handlerEntries, reply } from '../handler.ts';
import { createTestApp, keys } from '../test-app.ts';
import { createLoadShedder, defaultLimits } from './load-shedding.ts';

const Answer = Type.Unsafe<unknown>({ description: 'Anything.' });
const base = {
  method: 'GET',
  tag: 'T',
  summary: 's',
  auth: 'credential',
  role: 'viewer',
  responses: { 200: { description: 'Done.', schema: Answer } },
  errors: [],
  audit: [],
  transaction: 'none',
} as const;
const things = {
  heavy: operation({ ...base, id: 'things.heavy', path: '/heavy', loadClass: 'heavy' }),
  light: operation({ ...base, id: 'things.light', path: '/light', loadClass: 'crud' }),
} satisfies Record<string, Operation>;

const waiting: (() => void)[] = [];
const handlers: Handlers<typeof things> = {
  heavy: async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return reply(200, {});
  },
  light: async () => reply(200, {}),
};
const operations = { ...systemOperations, ...things };
const made = () => new Map(handlerEntries(things, handlers));
const { app } = createTestApp({ operations, handlers: made() });
after(() => app.close());

/** Resolves when `count` calls are inside the handler. */
async function arrived(count: number): Promise<void> {
  const until = performance.now() + 20_000;
  while (waiting.length < count) {
    assert.ok(performance.now() < until, `${waiting.length} of ${count} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const get = (url: string, key = keys.viewer) => app.inject({ url, headers: { authorization: `Bearer ${key}` } });

test("rejects a tenant's heavy work at its cap, quickly, while others continue (T27)", async () => {
  const cap = defaultLimits.heavy.perTenant;
  const running = Array.from({ length: cap }, () => get('/heavy'));
  await arrived(cap);
  const tookMs: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const started = performance.now();
    const refused = await get('/heavy');
    assert.equal(refused.statusCode, 503);
    assert.equal(refused.json().code, 'overloaded');
    assert.equal(refused.headers['retry-after'], '1');
    tookMs.push(performance.now() - started);
  }
  // R1 requires less than 100 ms. A busy machine delays some refusals; waiting for the work would delay all.
  assert.ok(Math.min(...tookMs) < 100, `${tookMs} ms`);
  const other = get('/heavy', keys.otherTenant);
  assert.equal((await get('/light')).statusCode, 200);
  assert.equal((await get('/api/health')).statusCode, 200);
  await arrived(cap + 1);
  while (waiting.length > 0) waiting.pop()?.();
  for (const response of [...(await Promise.all(running)), await other]) assert.equal(response.statusCode, 200);
  const again = get('/heavy');
  await arrived(1);
  waiting.pop()?.();
  assert.equal((await again).statusCode, 200, 'the places are given back');
});

test('a slow loop sheds before any other work, but keeps health', async () => {
  const slow = createTestApp({ operations, handlers: made(), loadShedder: createLoadShedder(() => 5_000) });
  const unknown = await slow.app.inject({ url: '/light', headers: { authorization: `Bearer ${keys.unknown}` } });
  assert.equal(unknown.statusCode, 503);
  assert.equal((await slow.app.inject('/api/health')).statusCode, 200);
  assert.equal((await slow.app.inject('/nowhere')).statusCode, 404);
  await slow.app.close();
});

test('X-Forwarded-For counts only from a trusted proxy (T13)', async () => {
  const seen: string[] = [];
  const address: Handlers<typeof things> = {
    ...handlers,
    light: async ({ ip }) => {
      seen.push(ip);
      return reply(200, {});
    },
  };
  for (const trustedProxies of [[], ['127.0.0.1'], ['10.0.0.0/8']]) {
    const proxied = createTestApp({
      operations,
      handlers: new Map(handlerEntries(things, address)),
      config: { trustedProxies },
    });
    const headers = { authorization: `Bearer ${keys.viewer}`, 'x-forwarded-for': '6.6.6.6, 203.0.113.7' };
    await proxied.app.inject({ url: '/light', headers });
    await proxied.app.close();
  }
  assert.deepEqual(seen, ['127.0.0.1', '203.0.113.7', '127.0.0.1']);
});
