import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Database } from '../db/index.ts';
import { createCustomerKeys } from '../features/deciding/customer-states/index.ts';
import { makeSignInLink } from '../features/identity/accounts/index.ts';
import { createLinks } from '../features/identity/sessions/index.ts';
import { hasTenants } from '../features/identity/tenants/index.ts';
import {
  type AppliedTenant,
  applyBootstrap,
  type BootstrapDependencies,
  createDemoTenant,
} from '../features/operations/admin/index.ts';
import { createPackPort } from '../features/operations/seed-packs/index.ts';
import { keyOf } from '../platform/crypto/crypto.ts';
import { createPasswords } from '../platform/crypto/passwords.ts';
import type { Logger } from '../platform/logger.ts';
import { onTenantCreated } from './feature-parts.ts';
import { masterKeysOf, writePrivately } from './secrets.ts';

/**
 * Applies BOOTSTRAP_FILE, or makes the demo tenant on a database without tenants (docs/design/api-access.md 5.1, steps 4 and 5).
 * Returns the lines to print once, if any; they hold an API key, so they go to the terminal and never to the log.
 */
export async function prepareTenants(
  config: Config,
  database: Database,
  publicUrl: string,
  logger: Logger,
): Promise<readonly string[]> {
  const deps = bootstrapDependencies(config);
  if (config.BOOTSTRAP_FILE !== null) {
    await applyTenants(await readBootstrapFile(config.BOOTSTRAP_FILE), database, deps, logger);
    return [];
  }
  if (!config.DEMO_TENANT || (await hasTenants(database))) return [];
  if (config.API_KEY_PEPPER === null || config.DATA_ENCRYPTION_KEY === null) {
    logger.warn('no demo tenant: set API_KEY_PEPPER and DATA_ENCRYPTION_KEY, or turn AUTO_SECRETS on');
    return [];
  }
  logger.info({ step: 'demo' }, config.DEMO_DATA ? 'loading the demo data' : 'creating an empty tenant');
  const demo = await createDemoTenant(database, deps, { withData: config.DEMO_DATA });
  if (demo === null) return [];
  const address = publicUrl.replace(/\/+$/, '');
  const call = !config.DEMO_DATA
    ? 'npx arbiter schema import customers.csv --create customers'
    : `curl -s ${address}/api/v1/recommend -H 'Authorization: Bearer ${demo.apiKey}' ` +
      `-H 'X-Requested-With: curl' -H 'Content-Type: application/json' -d '{"customerId":"CM-000001","channel":"web"}'`;
  const signInUrl = await signInUrlOf(config, database, publicUrl, { tenantId: demo.tenantId, email: demo.email });
  const file = join(config.DATA_DIR, 'first-run.json');
  await writePrivately(file, { url: publicUrl, ...demo, signInUrl, curl: call });
  return [
    ...(signInUrl === null ? [] : [`open       ${signInUrl} (works once, for ten minutes)`]),
    `tenant     ${demo.tenantName} (${demo.tenantId})`,
    `sign in    ${demo.email} with password ${demo.password}`,
    `API key    ${demo.apiKey}`,
    `docs       ${address}/api/docs`,
    `try        ${call}`,
    `saved in   ${file}`,
  ];
}

/**
 * Returns an address that signs in a user once, within ten minutes. Null without NEXTAUTH_SECRET, or when the tenant
 * has no such active user.
 */
export async function signInUrlOf(
  { NEXTAUTH_SECRET }: Pick<Config, 'NEXTAUTH_SECRET'>,
  database: Database,
  publicUrl: string,
  user: { readonly tenantId: string; readonly email: string },
): Promise<string | null> {
  if (keyOf(NEXTAUTH_SECRET) === null) return null;
  const link = await makeSignInLink(database, createLinks(NEXTAUTH_SECRET), user);
  return link === null ? null : `${publicUrl.replace(/\/+$/, '')}${link.path}`;
}

/** Applies a parsed bootstrap file, or a fragment created by the command line. */
export async function applyTenants(
  value: unknown,
  database: Database,
  deps: BootstrapDependencies,
  logger: Logger,
): Promise<readonly AppliedTenant[]> {
  const result = await applyBootstrap(database, value, deps);
  if ('problems' in result) {
    throw new ConfigError(result.problems.map(({ path, message }) => `BOOTSTRAP_FILE ${path} ${message}`));
  }
  for (const { id, created, changed } of result.tenants) {
    logger.info({ step: 'bootstrap', tenantId: id, created, changed }, 'bootstrap applied');
  }
  return result.tenants;
}

/** Returns the dependencies for creating tenants. */
export function bootstrapDependencies(
  config: Pick<Config, 'API_KEY_PEPPER' | 'DATA_ENCRYPTION_KEY' | 'DATA_ENCRYPTION_KEYS_OLD'>,
): BootstrapDependencies {
  return {
    pepper: keyOf(config.API_KEY_PEPPER),
    passwords: createPasswords(),
    onTenantCreated,
    packs: createPackPort({ keys: createCustomerKeys(masterKeysOf(config)) }),
  };
}

async function readBootstrapFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : "can't be read";
    throw new ConfigError([`BOOTSTRAP_FILE ${reason}: ${file}`]);
  }
}
