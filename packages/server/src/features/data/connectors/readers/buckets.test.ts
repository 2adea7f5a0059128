import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ConnectorType } from '@arbiter/contract';
import { testAccess } from '../../../../platform/object-store/test-object-store.ts';
import { createAwsRoles } from '../../../../platform/sources/aws-roles.ts';
import { startTestBucket, type TestBucket } from '../../../../platform/sources/test-bucket.ts';
import type { SourceBatch } from '../reader.ts';
import type { SourceOfConnector } from '../sources.ts';
import { type SuiteRow, testReader } from './test-reader-suite.ts';
import { createTestSources, openerOf, sourceOf, startSilentServer } from './test-sources.ts';

const bucketName = 'reports.example-1';
let bucket: TestBucket;
let silent: Awaited<ReturnType<typeof startSilentServer>>;
const sources = createTestSources();
before(async () => {
  [bucket, silent] = await Promise.all([startTestBucket(bucketName), startSilentServer()]);
});
after(async () => {
  silent?.close();
  bucket?.close();
  await sources.close();
});

const connector = (config: Readonly<Record<string, unknown>> = {}, type: ConnectorType = 'minio'): SourceOfConnector =>
  sourceOf(type, {
    ...{ bucket: bucketName, endpoint: bucket.origin, region: bucket.region, ...testAccess, ...config },
  });

function fill(
  files: Readonly<Record<string, string | Uint8Array>>,
  mtimes: Readonly<Record<string, number>> = {},
): void {
  bucket.objects.clear();
  for (const [key, content] of Object.entries(files)) {
    bucket.objects.set(key, { content: Buffer.from(content), mtime: mtimes[key] ?? 1000 });
  }
}

for (const type of ['minio', 'cloudflare_r2', 'wasabi', 'backblaze_b2', 'digitalocean_spaces'] as const) {
  testReader({
    name: `a bucket of ${type}`,
    toSuite: ({ seq, name }) => ({ seq: Number(seq), name: name === null ? null : String(name) }),
    async holding(rows: readonly SuiteRow[]) {
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
      bucket.pageSize = 2;
      fill({
        'in/': '',
        "in/a & 'ü' (1)+2*.jsonl": lines.slice(0, 1200).join(''),
        'in/b.jsonl': '',
        'in/c/d.jsonl': lines.slice(1200).join(''),
        'in/other.txt': 'not read',
        'inner/e.jsonl': '{"seq":0}',
      });
      return openerOf(sources, connector({ path: 'in', pattern: '**.jsonl', format: 'jsonl' }, type));
    },
    hanging: async () => openerOf(sources, connector({ endpoint: `http://127.0.0.1:${silent.port}` }, type)),
  });
}

async function batches(source: SourceOfConnector, from = sources): Promise<SourceBatch[]> {
  const reader = from.open(source);
  const found: SourceBatch[] = [];
  const signal = new AbortController().signal;
  for await (const batch of reader.read({ cursor: null, signal, rowLimit: 0 })) found.push(batch);
  return found;
}
const values = async (config: Readonly<Record<string, unknown>>) =>
  (await batches(connector(config))).flatMap(({ rows }) => rows.map(({ a }) => a));

test('reads Amazon S3 in the region that its responses name', async () => {
  const amazon = createTestSources({ endpoints: { aws_s3: bucket.origin } });
  fill({ 'a.csv': 'a\n1\n' });
  const source = connector({ region: 'us-east-1', endpoint: undefined }, 'aws_s3');
  bucket.requests.length = 0;
  assert.deepEqual(
    (await batches(source, amazon)).flatMap(({ rows }) => rows),
    [{ a: '1' }],
  );
  assert.equal(bucket.requests.length, 3);
  assert.equal((await amazon.probe({ ...source, id: 'probe' })).reason, 'ok');
  await amazon.close();
});

/** A fake token service. It checks which key signed a request, but not the signature. */
async function startTokenService(roleArn: string) {
  const calls: URLSearchParams[] = [];
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    calls.push(form);
    const isOurs = request.headers.authorization?.includes('Credential=OWN/') && form.get('RoleArn') === roleArn;
    if (!isOurs || form.get('ExternalId') !== 'x-1') {
      response.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>');
      return;
    }
    const { accessKeyId, secretAccessKey } = testAccess;
    const keys = `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>`;
    const until = new Date(Date.now() + (calls.length === 1 ? 60_000 : 3_600_000)).toISOString();
    response.end(
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${keys}` +
        `<SessionToken>token</SessionToken><Expiration>${until}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { calls, endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server };
}

test('assumes only the roles that the operator lists for the tenant', async () => {
  const [roleArn, other] = ['arn:aws:iam::123456789012:role/reads', 'arn:aws:iam::123456789012:role/other'];
  const { calls, endpoint, server } = await startTokenService(roleArn);
  const ownKeys = async () => ({ accessKeyId: 'OWN', secretAccessKey: 'own secret' });
  const amazon = createTestSources({
    endpoints: { aws_s3: bucket.origin },
    awsRoles: createAwsRoles({ roles: { tenant: [roleArn] }, ownKeys, endpoint }),
  });
  const role = (more: object): SourceOfConnector => ({
    ...sourceOf('aws_s3', { bucket: bucketName, region: bucket.region, roleArn, externalId: 'x-1', ...more }),
    method: 'iam_role',
  });
  fill({ 'a.csv': 'a\n1\n' });
  assert.deepEqual(
    (await batches(role({}), amazon)).flatMap(({ rows }) => rows),
    [{ a: '1' }],
  );
  // The first keys end within five minutes; the second ones are used again.
  assert.equal(calls.length, 2);
  assert.equal((await amazon.probe(role({}))).reason, 'ok');
  assert.equal(calls.length, 2);
  assert.equal((await amazon.probe(role({ externalId: 'x-2' }))).reason, 'permission_denied');
  assert.equal(calls.length, 3);
  assert.equal((await amazon.probe(role({ roleArn: other }))).reason, 'permission_denied');
  assert.equal((await amazon.probe({ ...role({}), tenantId: 'another' })).reason, 'permission_denied');
  for (const region of ['s3', 's3-us-west-2', 'elasticbeanstalk']) {
    assert.equal((await amazon.probe(role({ region }))).reason, 'missing_config', region);
  }
  assert.equal((await amazon.probe(role({ roleArn: 'reads' }))).reason, 'missing_config');
  assert.equal(calls.length, 3);
  await amazon.close();
  server.close();
  const without = createTestSources({
    awsRoles: createAwsRoles({ roles: { tenant: [roleArn] }, ownKeys: () => Promise.reject(new Error('none')) }),
  });
  assert.equal((await without.probe(role({}))).reason, 'auth_failed');
  await without.close();
});

test('follows a redirect to checked addresses only', async () => {
  fill({ 'a.csv': 'a\n1\n' });
  const other = await startTestBucket(bucketName);
  other.objects.set('a.csv', { content: Buffer.from('a\n2\n'), mtime: 1000 });
  const to =
    (location: string): TestBucket['next'][number] =>
    (_request, response) =>
      void response.writeHead(307, { location }).end();
  bucket.next.push(to(`${other.origin}/${bucketName}?list-type=2`), to(`${other.origin}/${bucketName}/a.csv`));
  assert.deepEqual(await values({}), ['2']);
  other.close();
  let connections = 0;
  const canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.2', resolve));
  const address = canary.address();
  const port = typeof address === 'object' ? address?.port : 0;
  for (const host of ['10.0.0.1', '169.254.169.254', '[::1]', '100.64.0.1']) {
    bucket.next.push(to(`http://${host}:${port}/${bucketName}`));
    await assert.rejects(values({}), { reason: 'blocked_address' }, host);
  }
  assert.equal(connections, 0);
  canary.close();
  bucket.next.push(...Array.from({ length: 4 }, () => to(`${bucket.origin}/${bucketName}`)));
  await assert.rejects(values({}), { reason: 'unexpected_response' });
  bucket.next.length = 0;
});

test('continues where a response broke off, unless the object changed', async () => {
  const content = `a\n${'1\n'.repeat(50_000)}`;
  fill({ 'a.csv': content });
  bucket.requests.length = 0;
  bucket.cut = { at: 10_001, onCut: () => undefined };
  assert.equal((await values({})).length, 50_000);
  assert.match(bucket.requests.at(-1) ?? '', /bytes=\d+-$/);
  bucket.cut = { at: 10_001, onCut: () => fill({ 'a.csv': `${content}2\n` }) };
  await assert.rejects(values({}), { reason: 'unexpected_response' });
});

test('reads files in both orders, compressed files, and one key', async () => {
  fill({ 'b.csv': 'a\nb\n', 'x/a.csv': 'a\na\n' }, { 'b.csv': 2000, 'x/a.csv': 1000 });
  assert.deepEqual(await values({}), ['b', 'a']);
  assert.deepEqual(await values({ order: 'mtime' }), ['a', 'b']);
  assert.deepEqual(await values({ path: 'x/a.csv' }), ['a']);
  assert.deepEqual(await values({ path: '/x/' }), ['a']);
  fill({ 'a.csv.gz': gzipSync('a\nz\n') });
  assert.deepEqual(await values({ compression: 'gzip' }), ['z']);
});

for (const [words, config, reason] of [
  ['a wrong secret', { secretAccessKey: 'wrong' }, 'auth_failed'],
  ['a missing bucket', { bucket: 'other' }, 'not_found'],
  ['a bucket that is a path', { bucket: 'a/../b' }, 'missing_config'],
  ['a region that is a host', { region: 'x.evil.example/' }, 'missing_config'],
  ['a private address', { endpoint: 'https://10.0.0.1' }, 'blocked_address'],
] as const) {
  test(`ends with ${reason} for ${words}`, async () => {
    await assert.rejects(values(config), { reason });
    assert.equal((await sources.probe(connector(config))).reason, reason);
  });
}

test('ends with permission_denied where listing is not allowed, and tries again after 503', async () => {
  fill({ 'a.csv': 'a\n1\n' });
  const denied: TestBucket['next'][number] = (_request, response) =>
    void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
  bucket.next.push(denied);
  await assert.rejects(values({}), { reason: 'permission_denied' });
  bucket.next.push((_request, response) => void response.writeHead(503).end());
  assert.deepEqual(await values({}), ['1']);
});

for (const [words, body] of [
  ['no XML', 'hello'],
  ['another document', '<Other/>'],
  ['entities', '<!DOCTYPE x [<!ENTITY a "aaaa">]><ListBucketResult>&a;</ListBucketResult>'],
  [
    'a page that repeats itself',
    '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>',
  ],
] as const) {
  test(`rejects a list with ${words}`, async () => {
    const answer: TestBucket['next'][number] = (_request, response) => void response.writeHead(200).end(body);
    bucket.next.push(answer, answer, answer);
    await assert.rejects(values({}), { reason: 'unexpected_response' });
    bucket.next.length = 0;
  });
}
