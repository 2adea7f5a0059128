import { randomBytes } from 'node:crypto';
import { apiKeyScopes, type ErrorEntry } from '@arbiter/contract';
import { type Database, DatabaseError, systemActor } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { OnTenantCreated } from '../../../feature.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { keepsProfile } from '../../catalogue/ranking-profiles/index.ts';
import { recordableColumns } from '../../catalogue/schemas/index.ts';
import { recordableSegments } from '../../catalogue/segments/index.ts';
import { rebuildRealtime } from '../../data/behavioral-metrics/index.ts';
import { createApiKey, ensureApiKey, findKeyOwners, type Pepper } from '../../identity/credentials/index.ts';
import { changeSettings, readNumberedSettings } from '../../identity/settings/index.ts';
import { disableSso } from '../../identity/sso/index.ts';
import { createTenant, findOperatorTenant } from '../../identity/tenants/index.ts';
import { emailKey, ensureUser, selectIdByEmail, unlockPerson } from '../../identity/users/index.ts';
import { type BootstrapFile, type BootstrapTenant, readBootstrap } from './bootstrap.schema.ts';

/** Demo packs, as far as the start-up needs them. */
export interface PackPort {
  /** Keys of the packs that can be loaded. */
  readonly keys: readonly string[];
  /** Loads a pack into the tenant of the transaction when none is loaded; true when it did. */
  loadWhenNone(tx: Tx, key: string): Promise<boolean>;
}

export interface BootstrapDependencies {
  readonly pepper: Pepper;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly onTenantCreated: readonly OnTenantCreated[];
  readonly packs: PackPort;
}

/** A tenant of the file after applying it. */
export interface AppliedTenant {
  readonly id: string;
  readonly name: string;
  readonly created: boolean;
  /** False if everything already matched the file, so nothing was written. */
  readonly changed: boolean;
}

// Loading a pack writes thousands of rows.
const options = { statementTimeoutMs: 120_000 };

/**
 * Applies an operator's file (parsed JSON): one transaction per tenant, audited as `system:bootstrap`. A second
 * application writes nothing. A file with problems is not applied at all; they carry JSON Pointers (docs/design/api-access.md 5.1).
 */
export async function applyBootstrap(
  database: Database,
  value: unknown,
  deps: BootstrapDependencies,
): Promise<{ readonly tenants: readonly AppliedTenant[] } | { readonly problems: readonly ErrorEntry[] }> {
  const read = readBootstrap(value, deps.packs.keys);
  if ('problems' in read) return read;
  const problems = [
    ...(await keyProblems(database, read.file, deps.pepper)),
    ...(await tenantProblems(database, read.file)),
    ...(await personProblems(database, read.file)),
    ...(await userProblems(database, read.file)),
    ...(await ssoProblems(database, read.file)),
  ];
  if (problems.length > 0) return { problems };
  const tenants: AppliedTenant[] = [];
  for (const tenant of read.file.tenants) tenants.push(await applyTenant(database, tenant, deps));
  return { tenants };
}

/** A key opens one tenant, so one that another tenant has already cannot be given again. */
async function keyProblems(database: Database, file: BootstrapFile, pepper: Pepper): Promise<ErrorEntry[]> {
  const problems: ErrorEntry[] = [];
  for (const [index, tenant] of file.tenants.entries()) {
    const keys = tenant.apiKeys ?? [];
    const path = `/tenants/${index}/apiKeys`;
    if (pepper === null) {
      if (keys.length > 0) problems.push({ path, message: "can't be stored: API_KEY_PEPPER is not set" });
      continue;
    }
    for (const [at, { key }] of keys.entries()) {
      const owners = await findKeyOwners(database, pepper, key);
      // Asked after the owners: a node that applies the same file now commits tenant and keys together.
      const own = owners.length === 0 ? null : await findOperatorTenant(database, tenant.name);
      if (owners.some((owner) => owner !== own)) {
        problems.push({ path: `${path}/${at}/key`, message: 'is already the key of another tenant' });
      }
    }
  }
  return problems;
}

/** A name in the form of an id refers to an existing tenant: an operator may reach any of them, whoever created it. */
async function tenantProblems(database: Database, file: BootstrapFile): Promise<ErrorEntry[]> {
  const problems: ErrorEntry[] = [];
  for (const [index, { name }] of file.tenants.entries()) {
    if (isUuid(name) && (await findOperatorTenant(database, name)) === null) {
      problems.push({ path: `/tenants/${index}/name`, message: 'must be the ID of an existing tenant' });
    }
  }
  return problems;
}

/** A user to unlock must exist; a new user must not. */
async function userProblems(database: Database, file: BootstrapFile): Promise<ErrorEntry[]> {
  const problems: ErrorEntry[] = [];
  for (const [index, tenant] of file.tenants.entries()) {
    for (const [at, { email, password, isNew }] of (tenant.users ?? []).entries()) {
      if (password !== undefined && isNew !== true) continue;
      const known = await knownUser(database, tenant.name, email);
      const path = `/tenants/${index}/users/${at}/email`;
      if (isNew === true && known !== undefined) problems.push({ path, message: 'is already the address of a user' });
      if (password === undefined && known === undefined) {
        problems.push({ path, message: 'must be the address of a user of the tenant' });
      }
    }
  }
  return problems;
}

async function knownUser(database: Database, tenantName: string, email: string): Promise<string | undefined> {
  const id = await findOperatorTenant(database, tenantName);
  if (id === null) return undefined;
  return database.withTenant(id, systemActor('bootstrap'), (tx) => selectIdByEmail(tx, email));
}

/** A tenant without other settings must exist: a mistyped name would create another one. */
async function ssoProblems(database: Database, file: BootstrapFile): Promise<ErrorEntry[]> {
  const problems: ErrorEntry[] = [];
  for (const [index, { name, sso, ...rest }] of file.tenants.entries()) {
    if (sso === undefined || Object.keys(rest).length > 0) continue;
    if ((await findOperatorTenant(database, name)) !== null) continue;
    problems.push({ path: `/tenants/${index}/name`, message: 'must be the name of an existing tenant' });
  }
  return problems;
}
/** The users that keys act for are in the file, or in the tenant already. */
async function personProblems(database: Database, file: BootstrapFile): Promise<ErrorEntry[]> {
  const problems: ErrorEntry[] = [];
  for (const [index, tenant] of file.tenants.entries()) {
    const listedEmails = new Set((tenant.users ?? []).map(({ email }) => emailKey(email)));
    for (const [at, { user }] of (tenant.apiKeys ?? []).entries()) {
      if (user === undefined || listedEmails.has(emailKey(user))) continue;
      const known = await knownUser(database, tenant.name, user);
      const path = `/tenants/${index}/apiKeys/${at}/user`;
      if (known === undefined) problems.push({ path, message: 'must be the address of a user of the tenant' });
    }
  }
  return problems;
}

async function applyTenant(
  database: Database,
  tenant: BootstrapTenant,
  deps: BootstrapDependencies,
  isRetry = false,
): Promise<AppliedTenant> {
  const known = await findOperatorTenant(database, tenant.name);
  const id = known ?? newId();
  try {
    const changed = await database.withTenant(
      id,
      systemActor('bootstrap'),
      (tx) => applyInside(tx, tenant, deps, known === null),
      options,
    );
    return { id, name: tenant.name, created: known === null, changed };
  } catch (error) {
    // Another node that started with the same file was faster; the second attempt finds what it created.
    const lostRace = error instanceof DatabaseError && error.kind === 'unique';
    if (!lostRace || isRetry) throw error;
    return applyTenant(database, tenant, deps, true);
  }
}

// An operator who requires second factors sets their key, perhaps after applying this file.
const settingsPorts = {
  keepsProfile,
  recordableColumns,
  recordableSegments,
  rebuildRealtime,
  storesSecondFactors: true,
};

async function applyInside(
  tx: Tx,
  tenant: BootstrapTenant,
  deps: BootstrapDependencies,
  isNew: boolean,
): Promise<boolean> {
  let changed = isNew;
  if (isNew) {
    const wanted = { name: tenant.name, isPlayground: tenant.playground ?? false, bootstrapName: tenant.name };
    await createTenant(tx, wanted, deps.onTenantCreated);
  }
  if (tenant.settings !== undefined) {
    const before = await readNumberedSettings(tx);
    const after = await changeSettings(tx, tenant.settings, settingsPorts);
    changed ||= before.settingsVersion !== after.settingsVersion;
  }
  if (tenant.sso !== undefined) changed = (await disableSso(tx)) || changed;
  for (const { email, name, role, password, unlock } of tenant.users ?? []) {
    if (name !== undefined && role !== undefined && password !== undefined) {
      const hashPassword = () => deps.passwords.hash(password);
      changed = (await ensureUser(tx, { email, name, role, hashPassword })) || changed;
    }
    const id = unlock === true ? await selectIdByEmail(tx, email) : undefined;
    if (id !== undefined) changed = (await unlockPerson(tx, id)) || changed;
  }
  for (const { key, name, scopes, user } of tenant.apiKeys ?? []) {
    const person = user === undefined ? undefined : await selectIdByEmail(tx, user);
    changed = (await ensureApiKey(tx, deps.pepper, { key, name, scopes: scopes ?? apiKeyScopes, person })) || changed;
  }
  if (tenant.pack !== undefined) changed = (await deps.packs.loadWhenNone(tx, tenant.pack)) || changed;
  return changed;
}

/** What the first start prints about the demo. */
export interface DemoTenant {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly email: string;
  /** Generated for this installation and shown once. */
  readonly password: string;
  /** Shown once; only its HMAC is stored. */
  readonly apiKey: string;
}

/**
 * Creates the demo of a first start in one transaction: tenant `Demo` with traces on, its admin, pack `coffee_rewards`
 * and one API key (docs/design/api-access.md 5.1). Null if another node created it in the meantime.
 */
export async function createDemoTenant(
  database: Database,
  deps: BootstrapDependencies,
  { withData }: { readonly withData: boolean },
): Promise<DemoTenant | null> {
  const tenantId = newId();
  const tenantName = withData ? 'Demo' : 'My tenant';
  const email = 'admin@demo.localhost';
  // Fits the rules of passwords whatever the bytes are.
  const password = `Demo-${randomBytes(12).toString('hex')}`;
  try {
    return await database.withTenant(
      tenantId,
      systemActor('demo'),
      async (tx) => {
        const wanted = { name: tenantName, isPlayground: false, bootstrapName: 'Demo' };
        await createTenant(tx, wanted, deps.onTenantCreated);
        await changeSettings(tx, { decisionTraceEnabled: true }, settingsPorts);
        await ensureUser(tx, {
          email,
          name: 'Demo admin',
          role: 'admin',
          hashPassword: () => deps.passwords.hash(password),
        });
        if (withData) await deps.packs.loadWhenNone(tx, 'coffee_rewards');
        const { key } = await createApiKey(tx, deps.pepper, { name: 'Demo key' });
        return { tenantId, tenantName, email, password, apiKey: key };
      },
      options,
    );
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'tenants_bootstrap_name') return null;
    throw error;
  }
}
