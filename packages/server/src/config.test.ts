import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig, variables } from './config.ts';

const longSecret = 'a secret of enough characters';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('an empty environment gives the defaults', () => {
  const config = readConfig({});
  assert.equal(config.PORT, 3000);
  assert.equal(config.HOST, '127.0.0.1');
  assert.equal(config.DATABASE_URL, null);
  assert.equal(config.AUTO_SECRETS, null);
  assert.equal(config.MIGRATE, true);
  assert.deepEqual(config.TRUSTED_PROXIES, []);
  assert.deepEqual([config.warnings, config.blank], [[], []]);
});

test('parses values by type', () => {
  const config = readConfig({
    PORT: ' 8080 ',
    WORKER: 'off',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    CORS_ALLOWED_ORIGINS: 'https://a.example,https://b.example:8443',
    LOG_LEVEL: 'debug',
    DATABASE_URL: 'postgresql://app@localhost/arbiter?host=%2Ftmp',
  });
  assert.equal(config.PORT, 8080);
  assert.equal(config.WORKER, false);
  assert.deepEqual(config.TRUSTED_PROXIES, ['10.0.0.0/8', '::1']);
  assert.equal(config.LOG_LEVEL, 'debug');
});

test('PROCESSES is a number, or one for each core', () => {
  assert.equal(readConfig({}).PROCESSES, 1);
  assert.equal(readConfig({ PROCESSES: '3' }).PROCESSES, 3);
  assert.equal(readConfig({ PROCESSES: 'auto' }).PROCESSES, Math.min(64, availableParallelism()));
  for (const PROCESSES of ['0', '65', '-1', '1.5']) {
    assert.match(problemsOf({ PROCESSES })[0] ?? '', /^PROCESSES must be a whole number from 1 to 64/, PROCESSES);
  }
});

test('a direct URL requires the URL that it bypasses', () => {
  assert.match(
    problemsOf({ DATABASE_DIRECT_URL: 'postgresql://a@b/c' })[0] ?? '',
    /^DATABASE_DIRECT_URL requires DATABASE_URL/,
  );
});

test('names every malformed variable, all at once', () => {
  const bad: Record<string, string> = {
    PORT: '3000x',
    DATABASE_POOL_MAX: '1e2',
    PROCESSES: 'all',
    DATABASE_DIRECT_URL: 'http://x',
    WORKER: 'yes please',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://x',
    NEXTAUTH_URL: 'not a url',
    TRUSTED_PROXIES: '10.0.0.0/33',
    CORS_ALLOWED_ORIGINS: 'https://a.example/path',
    DATA_ENCRYPTION_KEY: 'c2hvcnQ=',
    OUTBOUND_ALLOW_CIDRS: 'localhost',
    SENDGRID_WEBHOOK_PUBLIC_KEY: 'c2hvcnQ=',
  };
  for (const [name, value] of Object.entries(bad)) {
    assert.equal(problemsOf({ [name]: value }).filter((problem) => problem.startsWith(name)).length, 1, name);
  }
  assert.equal(problemsOf(bad).length, Object.keys(bad).length);
});

test('SENDGRID_WEBHOOK_PUBLIC_KEY is an ECDSA public key in base64', () => {
  const base64 = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const right = base64(publicKey);
  assert.equal(readConfig({ SENDGRID_WEBHOOK_PUBLIC_KEY: right }).SENDGRID_WEBHOOK_PUBLIC_KEY, right);
  for (const wrong of [
    right.slice(0, -8),
    `-${right}`,
    base64(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
    privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  ]) {
    const [problem, ...others] = problemsOf({ SENDGRID_WEBHOOK_PUBLIC_KEY: wrong });
    assert.match(problem ?? '', /^SENDGRID_WEBHOOK_PUBLIC_KEY must be an ECDSA public key in base64/);
    assert.deepEqual(others, []);
  }
});

test('CONNECTOR_ROLES lists role ARNs by tenant', () => {
  const tenant = '0190f1d2-0000-7000-8000-000000000001';
  const role = 'arn:aws:iam::123456789012:role/reads';
  const read = (value: unknown) => readConfig({ CONNECTOR_ROLES: JSON.stringify(value) }).CONNECTOR_ROLES;
  assert.deepEqual(read({ [tenant]: [role] }), { [tenant]: [role] });
  for (const value of [[], { all: [role] }, { [tenant]: role }, { [tenant]: ['*'] }, { [tenant]: [`${role} x`] }]) {
    assert.throws(() => read(value), /CONNECTOR_ROLES must be a JSON object/, JSON.stringify(value));
  }
});

test('treats a blank value as unset, and warns about a blank secret', () => {
  const config = readConfig({ API_KEY_PEPPER: '  ', PORT: '' });
  assert.equal(config.API_KEY_PEPPER, null);
  assert.equal(config.PORT, 3000);
  assert.deepEqual(config.blank, ['PORT', 'API_KEY_PEPPER']);
  assert.deepEqual(config.warnings, ['API_KEY_PEPPER is blank and treated as unset']);
});

test('a short secret is a warning, and an error in production', () => {
  assert.equal(readConfig({ METRICS_TOKEN: 'short' }).warnings.length, 1);
  assert.deepEqual(problemsOf({ METRICS_TOKEN: 'short', NODE_ENV: 'production' }), [
    'METRICS_TOKEN must be at least 16 characters',
  ]);
  assert.equal(readConfig({ METRICS_TOKEN: longSecret, NODE_ENV: 'production' }).METRICS_TOKEN, longSecret);
});

test('reads a secret from a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pepper');
  writeFileSync(file, `${longSecret}\n`);
  assert.equal(readConfig({ API_KEY_PEPPER_FILE: file }).API_KEY_PEPPER, longSecret);
  assert.match(problemsOf({ API_KEY_PEPPER_FILE: `${file}.absent` })[0] ?? '', /^API_KEY_PEPPER can't be read/);
  assert.match(problemsOf({ API_KEY_PEPPER_FILE: file, API_KEY_PEPPER: longSecret })[0] ?? '', /must not both be set/);
});

test('an admin URL requires the application URL', () => {
  assert.match(problemsOf({ DATABASE_ADMIN_URL: 'postgres://o@h/d' })[0] ?? '', /requires DATABASE_URL/);
});

test('describes every variable', () => {
  for (const [name, variable] of Object.entries(variables)) assert.ok(variable.text.length > 10, name);
});

test('mail: SES needs its region, keys come in pairs, and nothing is said that cannot act', () => {
  assert.deepEqual(readConfig({}).MAIL_FROM, { name: '', address: 'arbiter@localhost' });
  assert.deepEqual(readConfig({ MAIL_FROM: 'Arbiter <a@b.example>' }).MAIL_FROM, {
    name: 'Arbiter',
    address: 'a@b.example',
  });
  assert.equal(readConfig({ AWS_REGION: 'eu-central-1', SES_FROM_EMAIL: 'a@b.example' }).AWS_REGION, 'eu-central-1');
  const problems: readonly [Record<string, string>, RegExp][] = [
    [{ SES_FROM_EMAIL: 'a@b.example' }, /^SES_FROM_EMAIL requires AWS_REGION/],
    [{ SES_FROM_EMAIL: 'nobody', AWS_REGION: 'eu-central-1' }, /^SES_FROM_EMAIL must be an address/],
    [{ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together/],
    [{ AWS_SECRET_ACCESS_KEY: 'secret' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together/],
    [{ SMTP_URL: 'https://mail.example' }, /^SMTP_URL must start with smtp/],
    [{ EXPORT_S3_URL: 'https://k:s@host/bucket' }, /^EXPORT_S3_URL must look like s3:/],
    [{ EXPORT_S3_URL: 's3://host/bucket' }, /^EXPORT_S3_URL needs a key and a secret/],
    [{ EXPORT_S3_URL: 's3://k:s@host/bucket/folder' }, /^EXPORT_S3_URL needs the name of one bucket/],
    [{ EXPORT_S3_URL: 's3://k:s@host/bucket?tls=no' }, /^EXPORT_S3_URL has a tls/],
    [{ EXPORT_S3_URL: 's3://k:s@host/bucket?acl=public' }, /^EXPORT_S3_URL has an unknown parameter/],
    [{ SMTP_URL: 'smtp://mail.example?pool=true' }, /^SMTP_URL has an unknown parameter/],
    [{ MAIL_FROM: 'a@b.example, c@d.example' }, /^MAIL_FROM must be an address/],
  ];
  for (const [env, expected] of problems) {
    assert.equal(problemsOf(env).length, 1, JSON.stringify(env));
    assert.match(problemsOf(env)[0]!, expected);
  }
  // Their length is not the operator's choice.
  assert.deepEqual(readConfig({ SMTP_URL: 'smtp://mail:25', NODE_ENV: 'production' }).warnings, []);
});

test('reads the mail password from a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'smtp');
  writeFileSync(file, 'smtps://arbiter:secret@mail.example\n');
  assert.equal(readConfig({ SMTP_URL_FILE: file }).SMTP_URL?.password, 'secret');
});
