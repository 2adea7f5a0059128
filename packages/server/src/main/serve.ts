import { type Config, ConfigError, configExitCode, crashLoopExitCode, readConfig } from '../config.ts';
import {
  BackupError,
  createDatabase,
  distributeDatabase,
  migrate,
  pendingMigrations,
  type TableSize,
} from '../db/index.ts';
import { findOperatorTenant } from '../features/identity/tenants/index.ts';
import { selectMemberships } from '../features/identity/users/index.ts';
import type { AppliedTenant } from '../features/operations/admin/index.ts';
import { isUuid } from '../platform/ids.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import {
  assertRecordKey,
  type BackupRequest,
  type BackupSummary,
  backUp,
  type RestoreRequest,
  type RestoreSummary,
  restore,
} from './backup.ts';
import { applyTenants, bootstrapDependencies, prepareTenants, signInUrlOf } from './first-run.ts';
import { withAutoSecrets } from './secrets.ts';
import { startServer } from './start.ts';
import { openStorage } from './storage.ts';
import { type RestoreProof, verifyRestored } from './verify-restored.ts';
import { startPatience } from './when-there.ts';

/** Input and output of a server command. */
export interface ServerShell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
  warn(line: string): void;
}

/** Wait before the process exits, so that pending log lines get written. */
const lastMomentMs = 100;

/** `arbiter serve`: runs until SIGTERM or SIGINT; a second signal ends the process at once. Resolves with the exit code. */
export async function serve(shell: ServerShell): Promise<number> {
  return guarded(shell, async (config, logger) => {
    const stopSignal = Promise.withResolvers<NodeJS.Signals>();
    let signals = 0;
    const onSignal = (signal: NodeJS.Signals) => {
      signals += 1;
      // Don't wait any longer. The database's process ends with this one.
      if (signals > 1) process.exit(1);
      stopSignal.resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
    try {
      const server = await Promise.race([startServer(config, { logger, print: shell.print }), stopSignal.promise]);
      // Nothing was acknowledged yet: what startup had begun rolls back, and the database's process ends with this one.
      if (typeof server === 'string') process.exit(0);
      const reason = await Promise.race([server.failed.then((failure) => ({ failure })), stopSignal.promise]);
      let code = 0;
      if (typeof reason === 'string') logger.info({ signal: reason }, 'stopping');
      else {
        code = crashLoopExitCode;
        logger.fatal(reason, 'stopping');
        shell.warn(`arbiter: ${reason.failure}; see the log for details`);
      }
      await server.stop();
      // Interrupted work may still wait for the database, but the grace period is over.
      setTimeout(() => process.exit(code), lastMomentMs).unref();
      return code;
    } finally {
      process.off('SIGTERM', onSignal);
      process.off('SIGINT', onSignal);
    }
  });
}

/**
 * Runs `arbiter serve --apply-only`: migrates, applies BOOTSTRAP_FILE (or creates the demo), and exits. Works alongside
 * a server on the same embedded database.
 */
export async function applyOnly(shell: ServerShell): Promise<number> {
  return guarded(shell, async (given, logger) => {
    await withDatabase(given, logger, async (config, database) => {
      const lines = await prepareTenants(config, database, publicUrlOf(config), logger);
      for (const line of lines) shell.print(line);
    });
    return 0;
  });
}

/** Applies a bootstrap fragment (docs/design/api-access.md 20: `tenant create`, `key create --tenant`). */
export async function applyFragment(
  shell: ServerShell,
  fragment: unknown,
  onApplied: (tenants: readonly AppliedTenant[]) => void,
): Promise<number> {
  return guarded(shell, async (given, logger) => {
    await withDatabase(given, logger, async (config, database) => {
      onApplied(await applyTenants(fragment, database, bootstrapDependencies(config), logger));
    });
    return 0;
  });
}

/**
 * Runs `arbiter user sign-in-link`: prints an address that signs a user in once, within ten minutes. `tenant` is the
 * tenant's id or its name in the operator's files; null means the one in which the address was last used. Resolves with
 * 1 if the active user doesn't exist.
 */
export async function printSignInLink(
  shell: ServerShell,
  { email, tenant }: { readonly email: string; readonly tenant: string | null },
): Promise<number> {
  return guarded(shell, (given, logger) =>
    withDatabase(given, logger, async (config, database) => {
      if (config.NEXTAUTH_SECRET === null) throw new ConfigError(['NEXTAUTH_SECRET must be set: it signs links']);
      const tenantId = tenant === null || isUuid(tenant) ? tenant : await findOperatorTenant(database, tenant);
      const [membership] =
        tenant !== null && tenantId === null
          ? []
          : await database.withSystem('sign-in-link', (tx) => selectMemberships(tx, email, tenantId));
      const url =
        membership === undefined
          ? null
          : await signInUrlOf(config, database, publicUrlOf(config), { tenantId: membership.tenantId, email });
      if (url === null) {
        shell.warn(`arbiter: no user with the email address ${email} can sign in`);
        return 1;
      }
      shell.print(url);
      return 0;
    }),
  );
}

/** `arbiter migrate`: brings the schema up to date and ends. */
export async function migrateOnly(shell: ServerShell): Promise<number> {
  return guarded(shell, async (given, logger) => {
    const { DATABASE_URL: url, DATABASE_ADMIN_URL: adminUrl } = given;
    if (url !== null && adminUrl === null) {
      throw new ConfigError(['DATABASE_ADMIN_URL must be set: only the owner can migrate']);
    }
    const applied: string[] = [];
    if (url !== null && adminUrl !== null) {
      applied.push(...(await migrate({ adminUrl, url, onProgress: (message) => logger.info(message) })));
    } else {
      const storage = await openStorage({ ...given, MIGRATE: true }, logger, { join: true });
      await storage.stop();
    }
    for (const name of applied) shell.print(`migration ${name} applied`);
    shell.print('the schema is up to date');
    return 0;
  });
}

/** Runs `arbiter distribute`. */
export async function distributeOnly(
  shell: ServerShell,
  isDryRun: boolean,
  onDone: (tables: readonly TableSize[]) => void,
): Promise<number> {
  return guarded(shell, async ({ DATABASE_URL: url, DATABASE_ADMIN_URL: adminUrl }, logger) => {
    if (url === null || adminUrl === null) {
      throw new ConfigError(['DATABASE_URL and DATABASE_ADMIN_URL must be set: the embedded database has no workers']);
    }
    onDone(await distributeDatabase({ adminUrl, url, isDryRun, onProgress: (message) => logger.info(message) }));
    return 0;
  });
}

/** Runs `arbiter migrate --status`: prints missing migrations. Exits with 4 if there are any. */
export async function migrationStatus(shell: ServerShell): Promise<number> {
  return guarded(shell, async (given) => {
    if (given.DATABASE_URL === null) {
      throw new ConfigError(['DATABASE_URL must be set: the embedded database is migrated at every start']);
    }
    const pending = await pendingMigrations(given.DATABASE_DIRECT_URL ?? given.DATABASE_URL);
    for (const name of pending) shell.print(`missing ${name}`);
    if (pending.length === 0) shell.print('the schema is up to date');
    return pending.length === 0 ? 0 : 4;
  });
}

/** `arbiter backup`. */
export async function backupTo(
  shell: ServerShell,
  request: BackupRequest,
  onDone: (summary: BackupSummary) => void,
): Promise<number> {
  return guarded(shell, async (config, logger) => {
    onDone(await backUp(config, logger, request));
    return 0;
  });
}

/** Runs `arbiter restore`: restores a file, if given, and verifies the database, if requested. */
export async function restoreFrom(
  shell: ServerShell,
  request: Pick<RestoreRequest, 'passphrase' | 'ask'> & { readonly file: string | null; readonly verify: boolean },
  on: { restored(summary: RestoreSummary): void; verified(proof: RestoreProof): void },
): Promise<number> {
  return guarded(shell, async (config, logger) => {
    const { file, verify, ...secret } = request;
    let secretsFile: string | null = null;
    let tenantId: string | null = null;
    if (file !== null) {
      const summary = await restore(config, logger, { ...secret, file, verifies: verify });
      secretsFile = summary.secretsFile;
      tenantId = summary.header.tenant?.id ?? null;
      on.restored(summary);
    }
    if (!verify) return 0;
    if (file === null) await assertRecordKey(config);
    // The restored secrets are those of the records, whether or not the server will read them from that file.
    const own = secretsFile === null ? config : { ...config, AUTO_SECRETS: true };
    const proof = await withDatabase(own, logger, (opened, database) => verifyRestored(opened, database, tenantId));
    on.verified(proof);
    return proof.problems.length === 0 ? 0 : 4;
  });
}

async function withDatabase<T>(
  given: Config,
  logger: Logger,
  work: (config: Config, database: ReturnType<typeof createDatabase>) => Promise<T>,
): Promise<T> {
  const config = await withAutoSecrets(given);
  const storage = await openStorage(config, logger, { join: true });
  const { directUrl: url, isCluster } = storage.address;
  const database = createDatabase({
    url,
    isCluster,
    poolMax: 3,
    ...startPatience,
    onError: (err) => logger.warn({ err }, 'database'),
  });
  try {
    return await work(config, database);
  } finally {
    await database.close();
    await storage.stop();
  }
}

function publicUrlOf(config: Config): string {
  return config.NEXTAUTH_URL ?? `http://localhost:${config.PORT}`;
}

/** Reads the configuration and turns its problems into lines and exit code 78. */
async function guarded(shell: ServerShell, work: (config: Config, logger: Logger) => Promise<number>): Promise<number> {
  try {
    const config = readConfig(shell.environment);
    return await work(config, createLogger(config.LOG_LEVEL, undefined, config.PROCESSES > 1 ? 'primary' : null));
  } catch (error) {
    if (error instanceof BackupError) {
      shell.warn(`arbiter: ${error.message}`);
      return 1;
    }
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) shell.warn(`arbiter: ${problem}`);
    return configExitCode;
  }
}
