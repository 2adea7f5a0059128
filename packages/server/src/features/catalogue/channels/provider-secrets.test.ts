import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createEnvelope } from '../../../platform/crypto/crypto.ts';
import { providerSecretPlace } from './provider-config.rules.ts';

/** Channel providers and their secrets, over the API (docs/design/api-catalogue.md 5.1, 20). */

const key = Buffer.alloc(32, 9).toString('base64');
const bullets = '••••••••';

interface Channel {
  readonly id: string;
  readonly code: string;
  readonly version: number;
  readonly providerConfig: Readonly<Record<string, unknown>>;
  readonly fileConfig: object;
  readonly addressAttribute: string | null;
  readonly errors: readonly { readonly path: string }[];
}

let server: TestServer;
let keyless: TestServer;
before(async () => {
  server = await startTestServer({ config: { DATA_ENCRYPTION_KEY: key } });
  keyless = await startTestServer({ config: { DATA_ENCRYPTION_KEY: null } });
});
after(async () => {
  await server?.close();
  await keyless?.close();
});

let counter = 0;
const post = (body: object, on: TestServer = server) =>
  on.call<Channel>('POST', '/api/v1/channels', {
    body: { name: `Channel ${++counter}`, channelType: 'email', ...body },
  });
const put = (id: string, body: object) => server.call<Channel>('PUT', '/api/v1/channels', { body: { id, ...body } });

/** Returns the channel's stored secrets, decrypted. */
async function secretsOf(channelId: string): Promise<Record<string, string>> {
  const rows = await server.testDatabase.ownerQuery<{ path: string; sealed: Buffer }>(
    'select path, sealed from arbiter.channel_secrets where channel_id = $1 order by path',
    [channelId],
  );
  const envelope = createEnvelope(key);
  const place = (path: string) => providerSecretPlace(server.tenants[0].id, channelId, path);
  return Object.fromEntries(rows.map(({ path, sealed }) => [path, envelope.open(place(path), sealed).toString()]));
}

const webhook = {
  provider: 'webhook',
  url: 'https://example.org/hook',
  secret: 'the signing secret',
  headers: { Authorization: 'Bearer the header secret', 'X-Team': 'blue secret' },
};
const hidden = { ...webhook, secret: bullets, headers: { Authorization: bullets, 'X-Team': bullets } };

describe('secrets of a provider', () => {
  it('are stored sealed and shown nowhere', async () => {
    const made = await post({ providerConfig: webhook });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.providerConfig, hidden);
    assert.deepEqual(await secretsOf(made.body.id), {
      '/headers/authorization': 'Bearer the header secret',
      '/headers/x-team': 'blue secret',
      '/secret': 'the signing secret',
    });
    const answers = await Promise.all(
      [`/api/v1/channels/${made.body.id}`, '/api/v1/channels', `/api/v1/audit-logs?entityId=${made.body.id}`].map(
        (path) => server.call('GET', path),
      ),
    );
    for (const { status, text } of answers) {
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /the signing secret|header secret|blue secret/);
    }
    const stored = await server.testDatabase.ownerQuery<{ text: string }>(
      `select body::text as text from arbiter.record_versions where entity_id = $1
       union all select to_jsonb(c)::text from arbiter.channels c where id = $1`,
      [made.body.id],
    );
    assert.equal(stored.length, 2);
    for (const { text } of stored) assert.doesNotMatch(text, /signing secret|header secret|blue secret/);
    const providerConfig = { ...hidden, headers: { ...hidden.headers, 'X-Team': 'red secret' } };
    assert.equal((await put(made.body.id, { providerConfig })).status, 200);
    const log = await server.call<{ data: { changes: Record<string, unknown> }[] }>(
      'GET',
      `/api/v1/audit-logs?entityId=${made.body.id}`,
    );
    const changes = Object.entries(log.body.data[0]?.changes ?? {});
    assert.deepEqual(
      changes.filter(([path]) => path.startsWith('providerConfig')),
      [['providerConfig.headers.X-Team', { before: bullets, after: bullets }]],
      'a secret that is given anew is told',
    );
    assert.equal(
      server.log.some((line) => JSON.stringify(line).includes('signing secret')),
      false,
    );
  });

  it('are kept by bullets, replaced by new values, and dropped when omitted', async () => {
    const { body: made } = await post({ providerConfig: webhook });
    const read = await server.call<Channel>('GET', `/api/v1/channels/${made.id}`);
    const back = await put(made.id, read.body);
    assert.deepEqual([back.status, back.body.providerConfig, back.body.version], [200, hidden, 2], back.text);
    assert.equal(Object.keys(await secretsOf(made.id)).length, 3);
    const changed = await put(made.id, {
      providerConfig: { ...hidden, secret: 'another', headers: { authorization: bullets } },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(await secretsOf(made.id), {
      '/headers/authorization': 'Bearer the header secret',
      '/secret': 'another',
    });
    assert.equal((await put(made.id, { description: 'x' })).status, 200);
    assert.equal(Object.keys(await secretsOf(made.id)).length, 2);
    assert.equal((await put(made.id, { providerConfig: {} })).status, 200);
    assert.deepEqual(await secretsOf(made.id), {});
  });

  it('go only where they were entered for, and bullets keep only existing ones', async () => {
    const { body: made } = await post({ providerConfig: webhook });
    const refusals: readonly (readonly [object, readonly string[]])[] = [
      [
        { ...hidden, url: 'https://example.net/hook' },
        ['/providerConfig/secret', '/providerConfig/headers/Authorization', '/providerConfig/headers/X-Team'],
      ],
      [{ ...hidden, url: 'http://example.org/hook', headers: {} }, ['/providerConfig/secret']],
      [{ provider: 'sendgrid', apiKey: bullets }, ['/providerConfig/apiKey']],
      [{ ...webhook, headers: { 'X-New': bullets } }, ['/providerConfig/headers/X-New']],
    ];
    for (const [providerConfig, paths] of refusals) {
      const refused = await put(made.id, { providerConfig });
      assert.equal(refused.status, 400, refused.text);
      assert.deepEqual(
        refused.body.errors.map(({ path }) => path),
        paths,
      );
    }
    const elsewhere = await put(made.id, { providerConfig: { ...hidden, url: 'https://example.org/other' } });
    assert.equal(elsewhere.status, 200, elsewhere.text);
    assert.equal(Object.keys(await secretsOf(made.id)).length, 3);
    const bulletsAtFirst = await post({ providerConfig: { provider: 'sendgrid', apiKey: bullets } });
    assert.deepEqual([bulletsAtFirst.status, bulletsAtFirst.body.errors[0]?.path], [400, '/providerConfig/apiKey']);
  });

  it('require an encryption key', async () => {
    const refused = await post({ providerConfig: { provider: 'sendgrid', apiKey: 'x' } }, keyless);
    assert.deepEqual([refused.status, refused.body.code], [503, 'not_configured'], refused.text);
    const plain = await post({ providerConfig: { provider: 'smtp', from: 'a@example.org' } }, keyless);
    assert.equal(plain.status, 201, plain.text);
  });

  it('stay hidden with a deleted channel, and never reach another one', async () => {
    const { body: made } = await post({ providerConfig: { provider: 'twilio', accountSid: 'A', authToken: 'tttt' } });
    assert.equal((await server.call('DELETE', `/api/v1/channels/${made.id}`)).status, 204);
    assert.deepEqual(await secretsOf(made.id), { '/authToken': 'tttt' });
    const { body: other } = await post({});
    const refused = await put(other.id, { providerConfig: { provider: 'twilio', authToken: bullets } });
    assert.equal(refused.status, 400, refused.text);
  });
});

describe('keys of a provider', () => {
  const good: readonly object[] = [
    {},
    { from: 'a@example.org' },
    { provider: 'smtp', from: 'a@example.org' },
    { provider: 'ses', region: 'eu-west-1' },
    { provider: 'ses', region: 'eu-west-1', accessKeyId: 'AK', secretAccessKey: 'sk' },
    { provider: 'sendgrid', apiKey: 'k' },
    { provider: 'twilio', accountSid: 'A', authToken: 't', from: '+1' },
    { provider: 'whatsapp_cloud', phoneNumberId: '1', accessToken: 't' },
    { provider: 'fcm', serviceAccount: { project_id: 'p' } },
    { provider: 'fcm', serviceAccount: '{"project_id":"p"}' },
    webhook,
  ];
  for (const providerConfig of good) {
    it(`are accepted: ${JSON.stringify(providerConfig)}`, async () => {
      const { status, text } = await post({ providerConfig });
      assert.equal(status, 201, text);
    });
  }

  const bad: readonly (readonly [object, string])[] = [
    [{ provider: 'pigeon' }, '/providerConfig/provider'],
    [{ provider: 'smtp', apiKey: 'k' }, '/providerConfig/apiKey'],
    [{ secret: 'k' }, '/providerConfig/secret'],
    [{ provider: 'smtp', password: 'secret' }, '/providerConfig/password'],
    [{ provider: 'sendgrid', apiKey: '' }, '/providerConfig/apiKey'],
    [{ provider: 'sendgrid', apiKey: 5 }, '/providerConfig/apiKey'],
    [{ provider: 'fcm', serviceAccount: 'not json' }, '/providerConfig/serviceAccount'],
    [{ provider: 'webhook', url: 'ftp://example.org' }, '/providerConfig/url'],
    [{ provider: 'webhook', url: 'https://user:secret@example.org/' }, '/providerConfig/url'],
    [{ provider: 'webhook', headers: { 'X-A': 'a\nb' } }, '/providerConfig/headers/X-A'],
    [{ provider: 'webhook', headers: { 'X-A': '1', 'x-a': '2' } }, '/providerConfig/headers/x-a'],
  ];
  for (const [providerConfig, path] of bad) {
    it(`are rejected: ${JSON.stringify(providerConfig)}`, async () => {
      const { status, body, text } = await post({ providerConfig });
      assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'validation_failed', path], text);
    });
  }
});

describe('files and addresses of a channel', () => {
  it('follow the rules of campaigns', async () => {
    const made = await post({
      fileConfig: { format: 'jsonl', columns: ['offerId'], includePersonalization: false, destination: 'download' },
      addressAttribute: 'customer.home.mail',
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.fileConfig, {
      format: 'ndjson',
      columns: ['offerId'],
      includePersonalization: false,
      destination: 'download',
    });
    assert.equal(made.body.addressAttribute, 'customer.home.mail');
    assert.equal((await put(made.body.id, { addressAttribute: null })).body.addressAttribute, null);
    const named = await post({ fileConfig: { separator: ';' } });
    assert.equal(named.headers['x-unknown-properties'], 'fileConfig.separator');
  });

  const bad: readonly (readonly [object, string])[] = [
    [{ fileConfig: { format: 'xml' } }, '/fileConfig/format'],
    [{ fileConfig: { columns: ['offerId', 'color'] } }, '/fileConfig/columns/1'],
    [{ fileConfig: { columns: ['offerId', 'offerId'] } }, '/fileConfig/columns'],
    [{ fileConfig: { includePersonalization: 1 } }, '/fileConfig/includePersonalization'],
    [{ fileConfig: { destination: 'ftp' } }, '/fileConfig/destination'],
    [{ addressAttribute: 'email' }, '/addressAttribute'],
    [{ addressAttribute: 'customer.' }, '/addressAttribute'],
    [{ timezone: 'Mars/Olympus' }, '/timezone'],
    [{ channelType: 'E-mail' }, '/channelType'],
    [{ deliveryMode: 'post' }, '/deliveryMode'],
    [{ couplingMode: 'all' }, '/couplingMode'],
    [{ impressionMode: 'none' }, '/impressionMode'],
    [{ placements: [{ name: 'a' }, { name: 'b', maxSlots: 0 }] }, '/placements/1/maxSlots'],
    [{ placements: [{ name: 'a', schema: { maxLength: { subject: -1 } } }] }, '/placements/0/schema/maxLength/subject'],
    [
      { placements: [{ name: 'a', targeting: { field: 'offer.x', operator: 'eq', value: 1 } }] },
      '/placements/0/targeting/field',
    ],
  ];
  for (const [body, path] of bad) {
    it(`are rejected: ${JSON.stringify(body)}`, async () => {
      const { status, body: problem, text } = await post(body);
      assert.deepEqual([status, problem.code, problem.errors[0]?.path], [400, 'validation_failed', path], text);
    });
  }

  it('use s3 only if the server can', async () => {
    const { status, body, text } = await post({ fileConfig: { destination: 's3', s3Path: 'out/' } });
    assert.deepEqual(
      [status, body.code, body.errors[0]?.path],
      [503, 'not_configured', '/fileConfig/destination'],
      text,
    );
  });
});
