import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config.ts';
import { checkRole, migrate, pendingMigrations, startEmbeddedPostgres, translateError } from '../db/index.ts';
import { AppError } from '../platform/app-error.ts';
import type { Logger } from '../platform/logger.ts';

/** A database that is up to date and safe to use. */
export interface Storage {
  /** URL of the application role. */
  readonly url: string;
  /** Stops the embedded database; nothing for another one. */
  stop(): Promise<void>;
}

export interface StorageOptions {
  /** Work beside a server that runs on the same embedded database. */
  readonly join?: boolean;
}

const pauseMs = 500;

/**
 * Starts the embedded database or finds the external one, brings its schema up to date and checks the role
 * (docs/design/api-access.md 5.1, steps 2 and 3). While the database is down, or another process migrates, it waits (R11). Throws
 * ConfigError for what waiting does not mend.
 */
export async function openStorage(config: Config, logger: Logger, options: StorageOptions = {}): Promise<Storage> {
  if (config.DATABASE_URL !== null) {
    const { DATABASE_URL: url, DATABASE_ADMIN_URL: adminUrl } = config;
    await prepare(url, config.MIGRATE ? adminUrl : null, logger);
    return { url, stop: async () => undefined };
  }
  const embedded = await startEmbeddedPostgres({
    folder: join(config.DATA_DIR, 'postgres'),
    onProgress: (message) => logger.info({ step: 'database' }, message),
    join: options.join ?? false,
  });
  try {
    await prepare(embedded.url, config.MIGRATE ? embedded.adminUrl : null, logger);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
  return { url: embedded.url, stop: embedded.stop };
}

/** Migrates (when it may) and waits until the schema is current, then checks the role. */
async function prepare(url: string, adminUrl: string | null, logger: Logger): Promise<void> {
  const onProgress = (message: string) => logger.info({ step: 'migrate' }, message);
  if (adminUrl !== null) {
    await whenThere('DATABASE_ADMIN_URL', logger, () => migrate({ adminUrl, url, onProgress }));
  }
  for (let told = false; ; told = true) {
    const pending = await whenThere('DATABASE_URL', logger, () => pendingMigrations(url));
    if (pending.length === 0) break;
    if (!told) {
      logger.warn({ step: 'migrate', pending }, 'the schema is not current; waiting for somebody who may migrate');
    }
    await sleep(pauseMs);
  }
  const findings = await whenThere('DATABASE_URL', logger, () => checkRole(url));
  if (findings.length > 0) {
    throw new ConfigError(findings.map((finding) => `DATABASE_URL is not safe to use: ${finding}`));
  }
}

/** SQLSTATE class of a refused login. */
const wrongLogin = /^28...$/;
/** The database does not exist: perhaps not yet, when a server is set up beside us. */
const noDatabase = '3D000';

/** Tries again while the database is away; says so once. */
async function whenThere<T>(variable: string, logger: Logger, attempt: () => Promise<T>): Promise<T> {
  for (let told = false; ; told = true) {
    try {
      return await attempt();
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
      if (typeof code === 'string' && wrongLogin.test(code)) {
        throw new ConfigError([`${variable} is refused by the database (SQLSTATE ${code})`]);
      }
      const translated = translateError(error);
      const isAway = translated instanceof AppError && translated.code === 'unavailable';
      if (!isAway && code !== noDatabase) throw error;
      if (!told) logger.warn({ err: error, step: 'database' }, 'the database is away; waiting for it');
      await sleep(pauseMs);
    }
  }
}
