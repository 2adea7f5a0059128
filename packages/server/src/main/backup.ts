import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config.ts';
import {
  assertEmpty,
  assertRestorable,
  BackupError,
  type BackupHeader,
  backupFrames,
  createDatabase,
  type Frame,
  moveTenantOut,
  type Restored,
  readBackupFile,
  restoreDatabase,
  restoreTenant,
  startEmbeddedPostgres,
  type TenantOfBackup,
  verifyBackupFile,
  writeBackupFile,
} from '../db/index.ts';
import { selectTenantNames } from '../features/identity/tenants/index.ts';
import { keyIdOf } from '../platform/crypto/crypto.ts';
import { openWithPassphrase, sealWithPassphrase, shortestPassphrase } from '../platform/crypto/passphrase.ts';
import type { Logger } from '../platform/logger.ts';
import { createPrivateFolder, type PrivateFolder } from '../platform/private-folder.ts';
import { assertSameSecrets, presentSecrets, storeSecrets } from './secrets.ts';
import { version } from './version.ts';
import { startPatience } from './when-there.ts';

/** The database of an installation, as its owner sees it. */
interface AdminDatabase {
  readonly adminUrl: string;
  readonly url: string;
  /** Stops an embedded database that was started for this. */
  stop(): Promise<void>;
}

const postgresFolder = ({ DATA_DIR }: Config): string => join(DATA_DIR, 'postgres');
const hasCluster = (config: Config): boolean => existsSync(join(postgresFolder(config), 'cluster', 'PG_VERSION'));

/** Neither migrates nor makes anything in it: a backup is taken before an upgrade, too. */
async function openAdmin(config: Config, logger: Logger): Promise<AdminDatabase> {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_ADMIN_URL: adminUrl } = config;
  if (DATABASE_URL !== null) {
    if (adminUrl === null)
      throw new ConfigError(['DATABASE_ADMIN_URL must be set: only the owner can read and write every row']);
    return { adminUrl, url: DATABASE_DIRECT_URL ?? DATABASE_URL, stop: async () => undefined };
  }
  return startEmbeddedPostgres({
    folder: postgresFolder(config),
    join: true,
    onProgress: (message) => logger.info({ step: 'database' }, message),
  });
}

const exportsOf = (config: Config): PrivateFolder =>
  createPrivateFolder(config.EXPORT_DIR ?? join(config.DATA_DIR, 'exports'));

/** Binds sealed secrets to their purpose. */
const secretsContext = 'arbiter backup: secrets';

export interface BackupRequest {
  readonly file: string;
  /** The only tenant to back up: its id, or its name in the operator's files; null: all of them. */
  readonly tenant: string | null;
  /** Whether to deactivate the tenant first. */
  readonly isMove: boolean;
  readonly withSecrets: boolean;
  /** Seals the installation's secrets; null: they are left out. */
  readonly passphrase: string | null;
  readonly withExports: boolean;
}

/** How long calls that began before a tenant was deactivated may still write. */
const settleMs = 5_000;

export interface BackupSummary extends Restored {
  readonly bytes: number;
  readonly exports: number;
}

/** Writes a backup. Throws BackupError and ConfigError; then there is no file. */
export async function backUp(config: Config, logger: Logger, request: BackupRequest): Promise<BackupSummary> {
  if (config.DATABASE_URL === null && !hasCluster(config)) {
    throw new BackupError(`${resolve(config.DATA_DIR)} has no database. Set DATA_DIR or DATABASE_URL`);
  }
  const secrets = await presentSecrets(config);
  const sealedSecrets = request.passphrase === null ? null : await sealSecrets(request.passphrase, secrets);
  const { adminUrl, stop } = await openAdmin(config, logger);
  try {
    if (request.tenant === null)
      return await write({ config, adminUrl, request, secrets, sealedSecrets, tenant: null });
    const { tenant, takeBack } = await moveTenantOut(adminUrl, request.tenant, request.isMove);
    try {
      if (request.isMove) await sleep(settleMs);
      return await write({ config, adminUrl, request, secrets, sealedSecrets, tenant });
    } catch (error) {
      await takeBack();
      throw error;
    }
  } finally {
    await stop();
  }
}

interface BackupWork {
  readonly config: Config;
  readonly adminUrl: string;
  readonly request: BackupRequest;
  readonly secrets: Awaited<ReturnType<typeof presentSecrets>>;
  readonly sealedSecrets: string | null;
  readonly tenant: TenantOfBackup | null;
}

async function write({
  config,
  adminUrl,
  request,
  secrets,
  sealedSecrets,
  tenant,
}: BackupWork): Promise<BackupSummary> {
  const folder = exportsOf(config);
  const exports = request.withExports ? await folder.list(tenant?.id ?? '', '') : [];
  let done: Restored = { rows: 0, tables: 0 };
  const key = secrets.DATA_ENCRYPTION_KEY;
  const rows = backupFrames({
    ...{ adminUrl, version, tenant, sealedSecrets, exports, withSecrets: request.withSecrets },
    keyId: key === undefined ? null : keyIdOf(key),
    onDone: (summary) => {
      done = summary;
    },
  });
  const bytes = await writeBackupFile(request.file, withExports(rows, folder, exports));
  return { ...done, bytes, exports: exports.length };
}

function sealSecrets(passphrase: string, secrets: Readonly<Record<string, string>>): Promise<string> {
  if (passphrase.length < shortestPassphrase) {
    throw new ConfigError([`The passphrase must be at least ${shortestPassphrase} characters`]);
  }
  return sealWithPassphrase(passphrase, secretsContext, JSON.stringify(secrets));
}

async function* withExports(
  rows: AsyncGenerator<Frame>,
  folder: PrivateFolder,
  paths: readonly string[],
): AsyncGenerator<Frame> {
  yield* rows;
  // Export files are small enough to write in one piece. One that was erased in the meantime is empty.
  for (const path of paths) yield { kind: 'file', payload: Buffer.from((await folder.read(path)) ?? '') };
}

export interface RestoreRequest {
  readonly file: string;
  readonly passphrase: string | null;
  /** Asks for the backup's passphrase when it needs one; null when nobody is there to ask. */
  readonly ask: () => Promise<string | null>;
  /** Whether the records will be replayed, for which their key is needed. */
  readonly verifies: boolean;
}

export interface RestoreSummary extends Restored {
  readonly header: BackupHeader;
  /** Where the secrets were stored; null when the backup has none. */
  readonly secretsFile: string | null;
  /** Secrets that the installation lacks. */
  readonly missingSecrets: readonly string[];
  /** Records whose secrets aren't in the backup. */
  readonly withoutSecret: readonly { readonly kind: string; readonly tenant: string; readonly name: string }[];
}

/**
 * Restores a backup into an empty database. The file, the target and the secrets are checked before anything is changed. Throws
 * BackupError and ConfigError.
 */
export async function restore(config: Config, logger: Logger, request: RestoreRequest): Promise<RestoreSummary> {
  await verifyBackupFile(request.file);
  const frames = readBackupFile(request.file);
  const header = await readHeader(frames);
  await assertRestorable(header);
  const secrets = await openSecrets(header, request);
  const folder = exportsOf(config);
  await assertRoom(config, header, folder, secrets, request);
  const isNewDatabase = config.DATABASE_URL === null && !existsSync(postgresFolder(config));
  const database = await openAdmin(config, logger);
  try {
    const restored = await restoreRows(database, header, frames);
    for (const path of header.exports) {
      const next = await frames.next();
      if (next.done !== true) await folder.write(path, next.value.payload);
    }
    const secretsFile = secrets === null ? null : await storeSecrets(config, secrets);
    const withoutSecret = await withTenantNames(database.url, header);
    await database.stop();
    const present = await presentSecrets(config);
    const missingSecrets = ['DATA_ENCRYPTION_KEY', 'API_KEY_PEPPER'].filter((name) => present[name] === undefined);
    return {
      ...restored,
      header,
      secretsFile,
      withoutSecret,
      missingSecrets: secretsFile === null ? missingSecrets : [],
    };
  } catch (error) {
    await database.stop();
    if (isNewDatabase) await rm(postgresFolder(config), { recursive: true, force: true });
    throw error;
  } finally {
    await frames.return(undefined);
  }
}

async function restoreRows(
  database: AdminDatabase,
  header: BackupHeader,
  frames: AsyncGenerator<Frame>,
): Promise<Restored> {
  const { tenant } = header;
  if (tenant !== null) return restoreTenant(database, { ...header, tenant }, frames);
  await assertEmpty(database.adminUrl, header);
  return restoreDatabase(database, header, frames);
}

async function withTenantNames(url: string, { withoutSecret }: BackupHeader): Promise<RestoreSummary['withoutSecret']> {
  if (withoutSecret.length === 0) return [];
  const database = createDatabase({ url, poolMax: 2, ...startPatience });
  try {
    const tenants = await database.withSystem('restore', selectTenantNames);
    const names = new Map(tenants.map(({ id, name }) => [id, name]));
    return withoutSecret.map(({ kind, name, tenantId }) => ({ kind, name, tenant: names.get(tenantId) ?? tenantId }));
  } finally {
    await database.close();
  }
}

async function readHeader(frames: AsyncGenerator<Frame>): Promise<BackupHeader> {
  const first = await frames.next();
  if (first.done === true || first.value.kind !== 'header') throw new BackupError('The backup has no header');
  return JSON.parse(first.value.payload.toString());
}

async function openSecrets(
  { sealedSecrets }: BackupHeader,
  request: RestoreRequest,
): Promise<Readonly<Record<string, string>> | null> {
  if (sealedSecrets === null) return null;
  const passphrase = request.passphrase ?? (await request.ask());
  if (passphrase === null) {
    throw new ConfigError([
      'The backup contains secrets: set ARBITER_BACKUP_PASSPHRASE (or ..._FILE) to their passphrase',
    ]);
  }
  const text = await openWithPassphrase(passphrase, secretsContext, sealedSecrets);
  if (text === null) throw new BackupError('The passphrase is wrong');
  return JSON.parse(text);
}

/** Throws before the restore begins for anything that would stop it halfway. */
async function assertRoom(
  config: Config,
  header: BackupHeader,
  folder: PrivateFolder,
  secrets: Readonly<Record<string, string>> | null,
  { verifies }: RestoreRequest,
): Promise<void> {
  if (secrets !== null) await assertSameSecrets(config, secrets);
  const key = (secrets ?? (await presentSecrets(config))).DATA_ENCRYPTION_KEY;
  if (header.keyId !== null && key !== undefined && !keyIdsOf(config, key).includes(header.keyId)) {
    throw new ConfigError([
      "DATA_ENCRYPTION_KEY isn't the key that sealed the backup's records. Set that key, or add it to DATA_ENCRYPTION_KEYS_OLD",
    ]);
  }
  if (verifies && secrets === null) await assertRecordKey(config);
  if (header.exports.length > 0 && (await folder.list(header.tenant?.id ?? '', '')).length > 0) {
    throw new BackupError(
      'The backup contains exports, and EXPORT_DIR already has files. Move them away, or set another folder',
    );
  }
}

/** Throws ConfigError when no decision can be replayed, without the key that opens its record. */
export async function assertRecordKey(config: Config): Promise<void> {
  if ((await presentSecrets(config)).DATA_ENCRYPTION_KEY !== undefined) return;
  throw new ConfigError(['--verify requires the DATA_ENCRYPTION_KEY that sealed the records']);
}

const keyIdsOf = (config: Config, key: string): string[] => [key, ...config.DATA_ENCRYPTION_KEYS_OLD].map(keyIdOf);
