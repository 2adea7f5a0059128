import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Warning } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

interface Answer {
  readonly id: string;
  readonly code?: string;
  readonly warnings?: readonly Warning[];
}

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

const strict = { prefer: 'handling=strict' };
let number = 0;
const create = (path: string, body: object, headers = {}) =>
  server.call<Answer>('POST', `/api/v1/${path}`, { body: { name: `Record ${++number}`, ...body }, headers });
const noLimit: Warning = {
  path: '/config',
  code: 'no_effect',
  message: 'No limit is set, so nothing is capped.',
  suggestion: 'Set maxPerDay, maxPerWeek, maxPerMonth, maxTotal or windows.',
};
const perWeek: Warning = {
  path: '/config/perWeek',
  code: 'unknown_property',
  message: 'config.perWeek is not a known property, so it was ignored.',
  suggestion: 'Did you mean maxPerWeek?',
};

test("warns about a policy that can never act when it's created, read and changed", async () => {
  const cap = { ruleType: 'frequency_cap', scope: 'global', config: { perWeek: 2 } };
  const created = await create('contact-policies', cap);
  assert.deepEqual([created.status, created.body.warnings], [201, [perWeek, noLimit]], created.text);
  assert.match(String(created.headers['x-unknown-properties']), /config\.perWeek/);
  const path = `/api/v1/contact-policies/${created.body.id}`;
  // A strict caller may read and rename what is stored; the warnings are about the record and not about the request.
  const read = await server.call<Answer>('GET', path, { headers: strict });
  assert.deepEqual([read.status, read.body.warnings], [200, [perWeek, noLimit]], read.text);
  assert.equal(read.headers['x-unknown-properties'], undefined);
  const renamed = await server.call<Answer>('PUT', path, { body: { name: 'Other' }, headers: strict });
  assert.deepEqual([renamed.status, renamed.body.warnings], [200, [perWeek, noLimit]], renamed.text);
  const sentBack = await server.call<Answer>('PUT', path, {
    body: { ...renamed.body, config: { maxPerWeek: 2 } },
    headers: strict,
  });
  assert.deepEqual([sentBack.status, 'warnings' in sentBack.body], [200, false], sentBack.text);
  assert.equal('warnings' in (await server.call<Answer>('GET', path)).body, false);
  const refused = await create('contact-policies', cap, strict);
  assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed']);
});

test('warns about other record types in the same way', async () => {
  const cases: readonly (readonly [path: string, body: object, ...paths: string[]])[] = [
    ['offers', { frequencyCaps: { perCustomer: {} }, prority: 5 }, '/prority', '/frequencyCaps'],
    [
      'qualification-rules',
      { ruleType: 'segment_required', config: { requiredSegments: [] } },
      '/config/requiredSegments',
    ],
    ['algorithm-models', { key: 'm', modelType: 'scorecard', config: { rules: [], bias: 1 } }, '/config/bias'],
    [
      'channels',
      { key: 'mail', channelType: 'email', providerConfig: { provider: 'smtp', url: 'https://example.com' } },
      '/providerConfig/url',
    ],
    ['categories', { shade: 'red' }, '/shade'],
  ];
  for (const [path, body, ...paths] of cases) {
    const { status, body: record, text } = await create(path, body);
    assert.equal(status, 201, text);
    assert.deepEqual(
      record.warnings?.map((warning) => warning.path),
      paths,
      text,
    );
  }
});
