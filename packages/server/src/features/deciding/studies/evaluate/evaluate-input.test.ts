import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { makeWorld } from '../test-catalogue.ts';

let server: TestServer;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  await makeWorld(server);
});
after(() => server?.close());

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString();

const start = (body: object, key?: string) =>
  server.call('POST', '/api/v1/decision-flows/main/evaluate', {
    ...(key === undefined ? {} : { key }),
    body: { version: 'draft', from: day(-1), to: day(1), reward: 'convert', ...body },
  });

test('rejects bad input, and changes nothing', async () => {
  const cases: readonly (readonly [object, number, string])[] = [
    [{ confidence: 0.5 }, 400, 'validation_failed'],
    [{ maxDecisions: 999 }, 400, 'validation_failed'],
    [{ maxDecisions: 1_000_001 }, 400, 'validation_failed'],
    [{ from: '2026-11-27', to: '2026-11-20' }, 400, 'validation_failed'],
    [{ from: '2020-01-01', to: '2020-02-01' }, 409, 'history_unavailable'],
    [{ version: 'published' }, 400, 'validation_failed'],
    [{ version: 77 }, 404, 'not_found'],
    [{ reward: 'nothing_like_it' }, 400, 'unknown_outcome'],
    [{ reward: 'weighted' }, 400, 'validation_failed'],
    [{ reward: 'weighted', outcomeWeights: { nothing_like_it: 1 } }, 400, 'unknown_outcome'],
    [{ outcomeWeights: { convert: 1 } }, 400, 'validation_failed'],
    [{ valueCap: 5 }, 400, 'validation_failed'],
    [{ estimators: ['best'] }, 400, 'validation_failed'],
    [{ overlay: [{ kind: 'offers', key: 'No such offer', patch: null }] }, 422, 'overlay_invalid'],
  ];
  const before = await server.call<{ readonly pagination: { readonly total: number } }>('GET', '/api/v1/studies');
  for (const [body, status, code] of cases) {
    const refused = await start(body);
    assert.equal(refused.status, status, `${JSON.stringify(body)}: ${refused.text}`);
    assert.ok(refused.text.includes(code), refused.text);
  }
  const after = await server.call<{ readonly pagination: { readonly total: number } }>('GET', '/api/v1/studies');
  assert.equal(after.body.pagination.total, before.body.pagination.total);
});

test('viewers can’t start studies, and other tenants see neither flow nor study', async () => {
  const [own, other] = server.tenants;
  assert.equal((await start({}, own.keys.viewer)).status, 403);
  const started = await start({}, own.keys.editor);
  assert.equal(started.status, 202, started.text);
  const { studyId } = JSON.parse(started.text) as { readonly studyId: string };
  assert.equal((await start({}, other!.keys.admin)).status, 404);
  const read = await server.call('GET', `/api/v1/studies/${studyId}`, { key: other!.keys.admin });
  assert.equal(read.status, 404);
});
