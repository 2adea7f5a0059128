import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Operation, operation, systemOperations } from '@arbiter/contract';
import Type from 'typebox';
import { type Handlers, handlerEntries, reply } from './handler.ts';
import { createLoadShedder, defaultLimits } from './load-shedding.ts';
import { createTestApp, keys } from './test-app.ts';

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

const get = (url: string, key = keys.viewer) => app.inject({ url, headers: { authorization: `Bearer ${key}` } });

test('heavy work of one tenant is refused at its cap, fast, and others go on (T27)', async () => {
  const cap = defaultLimits.heavy.perTenant;
  const started = performance.now();
  const running = Array.from({ length: cap }, () => get('/heavy'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let i = 0; i < 20; i += 1) {
    const refused = await get('/heavy');
    assert.equal(refused.statusCode, 503);
    assert.equal(refused.json().code, 'overloaded');
    assert.equal(refused.headers['retry-after'], '1');
  }
  assert.ok(performance.now() - started < 1_000);
  const other = get('/heavy', keys.otherTenant);
  assert.equal((await get('/light')).statusCode, 200);
  assert.equal((await get('/api/health')).statusCode, 200);
  await new Promise((resolve) => setTimeout(resolve, 50));
  while (waiting.length > 0) waiting.pop()?.();
  for (const response of [...(await Promise.all(running)), await other]) assert.equal(response.statusCode, 200);
  const again = get('/heavy');
  await new Promise((resolve) => setTimeout(resolve, 20));
  waiting.pop()?.();
  assert.equal((await again).statusCode, 200, 'the places are given back');
});

test('a slow loop sheds before anything else is done, health stays', async () => {
  const slow = createTestApp({ operations, handlers: made(), loadShedder: createLoadShedder(() => 5_000) });
  const unknown = await slow.app.inject({ url: '/light', headers: { authorization: `Bearer ${keys.unknown}` } });
  assert.equal(unknown.statusCode, 503);
  assert.equal((await slow.app.inject('/api/health')).statusCode, 200);
  assert.equal((await slow.app.inject('/nowhere')).statusCode, 404);
  await slow.app.close();
});

test('X-Forwarded-For counts when it comes from a trusted proxy, and only then (T13)', async () => {
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
