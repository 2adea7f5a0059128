import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config.ts';
import {
  assertCoordinator,
  checkRole,
  type DatabaseAddress,
  hears,
  holdsCluster,
  migrate,
  pendingMigrations,
  sessionLoss,
  startEmbeddedPostgres,
} from '../db/index.ts';
import type { Logger } from '../platform/logger.ts';
import { whenThere } from './when-there.ts';

/** A database that is up to date and safe to use. */
export interface Storage {
  /** For the application role. */
  readonly address: DatabaseAddress;
  /** Stops the embedded database; nothing for another one. */
  stop(): Promise<void>;
}

export interface StorageOptions {
  /** Work alongside a server on the same embedded database. */
  readonly join?: boolean;
  /** Minimum simultaneous connections of the embedded database. */
  readonly connections?: number;
}

const pauseMs = 500;

/**
 * Starts the embedded database or finds the external one, brings its schema up to date and checks the role
 * (docs/design/api-access.md 5.1, steps 2 and 3). While the database is down, or another process migrates, it waits (R11). Throws
 * ConfigError for what waiting does not mend.
 */
export async function openStorage(config: Config, logger: Logger, options: StorageOptions = {}): Promise<Storage> {
  const { DATABASE_URL: url, DATABASE_ADMIN_URL: adminUrl, DATABASE_DIRECT_URL: directUrl } = config;
  if (url !== null) {
    if (config.MIGRATE && adminUrl !== null) await assertDirect('DATABASE_ADMIN_URL', adminUrl, logger);
    await prepare(named(url, directUrl), config.MIGRATE ? adminUrl : null, logger);
    const address = await addressOf(url, directUrl, logger);
    if (config.DATABASE_WORKERS.length > 0 && !address.isCluster) {
      throw new ConfigError(["DATABASE_WORKERS is set, but the database isn't a Citus cluster"]);
    }
    return { address: { ...address, workers: config.DATABASE_WORKERS }, stop: async () => undefined };
  }
  const embedded = await startEmbeddedPostgres({
    folder: join(config.DATA_DIR, 'postgres'),
    onProgress: (message) => logger.info({ step: 'database' }, message),
    join: options.join ?? false,
    connections: options.connections ?? 0,
  });
  try {
    await prepare({ variable: 'DATABASE_URL', url: embedded.url }, config.MIGRATE ? embedded.adminUrl : null, logger);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
  const { url: embeddedUrl } = embedded;
  const address = { url: embeddedUrl, directUrl: embeddedUrl, pooled: false, isCluster: false, workers: [] };
  return { address, stop: embedded.stop };
}

interface NamedUrl {
  readonly variable: 'DATABASE_URL' | 'DATABASE_DIRECT_URL';
  readonly url: string;
}

/** The URL by which the start works: the one that leads to the database itself. */
function named(url: string, directUrl: string | null): NamedUrl {
  return directUrl === null ? { variable: 'DATABASE_URL', url } : { variable: 'DATABASE_DIRECT_URL', url: directUrl };
}

/** Migrates (when it may) and waits until the schema is current, then checks the role. */
async function prepare({ variable, url }: NamedUrl, adminUrl: string | null, logger: Logger): Promise<void> {
  const onProgress = (message: string) => logger.info({ step: 'migrate' }, message);
  if (adminUrl !== null) {
    await whenThere('DATABASE_ADMIN_URL', logger, () => migrate({ adminUrl, url, onProgress }));
  }
  await whenThere(variable, logger, () => assertCoordinator(variable, url));
  for (let hasLogged = false; ; hasLogged = true) {
    const pending = await whenThere(variable, logger, () => pendingMigrations(url));
    if (pending.length === 0) break;
    if (!hasLogged) {
      logger.warn({ step: 'migrate', pending }, 'the schema is out of date; waiting for a process that can migrate it');
    }
    await sleep(pauseMs);
  }
  await assertRole(variable, url, logger);
}

async function assertRole(variable: NamedUrl['variable'], url: string, logger: Logger): Promise<void> {
  const findings = await whenThere(variable, logger, () => checkRole(url));
  if (findings.length > 0) {
    throw new ConfigError(findings.map((finding) => `${variable} is not safe to use: ${finding}`));
  }
}

/**
 * Returns how the processes reach the database. A pooler that gives each transaction another session carries only
 * transactions; everything else bypasses it (docs/guides/scaling.md). Throws ConfigError when there is no way to bypass
 * it.
 */
async function addressOf(
  url: string,
  directUrl: string | null,
  logger: Logger,
): Promise<Omit<DatabaseAddress, 'workers'>> {
  const loss = await whenThere('DATABASE_URL', logger, () => sessionLoss(url));
  const isCluster = await whenThere('DATABASE_URL', logger, () => holdsCluster(directUrl ?? url));
  if (directUrl === null) {
    if (loss === null) return { url, directUrl: url, pooled: false, isCluster };
    throw new ConfigError([
      `DATABASE_DIRECT_URL must be set to the database itself: DATABASE_URL ${behindPooler(loss)}, and notifications, jobs and startup need sessions`,
    ]);
  }
  await assertDirect('DATABASE_DIRECT_URL', directUrl, logger);
  await assertRole('DATABASE_URL', url, logger);
  // Startup used the other URL, and the processes must use the database that it prepared.
  if (!(await whenThere('DATABASE_URL', logger, () => hears(directUrl, url)))) {
    throw new ConfigError(['DATABASE_URL and DATABASE_DIRECT_URL must point to the same database']);
  }
  return { url, directUrl, pooled: loss !== null, isCluster };
}

/** Throws ConfigError for a URL that leads through a pooler where sessions are needed. */
async function assertDirect(
  variable: 'DATABASE_ADMIN_URL' | 'DATABASE_DIRECT_URL',
  url: string,
  logger: Logger,
): Promise<void> {
  const loss = await whenThere(variable, logger, () => sessionLoss(url));
  if (loss !== null)
    throw new ConfigError([`${variable} must point to the database itself, but ${behindPooler(loss)}`]);
}

function behindPooler(loss: string): string {
  return `goes through a connection pooler in transaction mode (${loss})`;
}
