import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config.ts';
import { translateError } from '../db/index.ts';
import { AppError } from '../platform/app-error.ts';
import { describeError, type Logger } from '../platform/logger.ts';

/** The variable that names the database to which the start and the queue connect. */
export const urlVariable = ({ DATABASE_DIRECT_URL }: Pick<Config, 'DATABASE_DIRECT_URL'>): string =>
  DATABASE_DIRECT_URL === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';

/** Far longer than a request may wait: an overloaded machine makes a first start slow, which must not end it. */
export const startPatience = { acquireTimeoutMs: 60_000, statementTimeoutMs: 120_000 };

const pauseMs = 500;
/** SQLSTATE class of a refused login. */
const wrongLogin = /^28...$/;
/** Citus reports a refused login on another node like a lost connection, but waiting doesn't help. */
const nodeLogin =
  /connection to the remote node .*(?:not permitted to log in|authentication failed|no pg_hba\.conf entry|role ".*" does not exist|database ".*" does not exist)/s;
/** The database doesn't exist, perhaps because a server next to us is still setting it up. */
const noDatabase = '3D000';

/**
 * Repeats a startup step while the database is away or too slow, and logs that once. `attempt` must be repeatable.
 * `variable` names its URL. Throws ConfigError when the database, or a node of its cluster, refuses the login.
 */
export async function whenThere<T>(variable: string, logger: Logger, attempt: () => Promise<T>): Promise<T> {
  for (let logged = false; ; logged = true) {
    try {
      return await attempt();
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
      if (typeof code === 'string' && wrongLogin.test(code)) {
        throw new ConfigError([`the database rejected ${variable} (SQLSTATE ${code})`]);
      }
      if (error instanceof Error && nodeLogin.test(error.message)) {
        throw new ConfigError([
          `a node of the cluster rejected the login of another node: ${error.message}. Allow the roles arbiter_owner, arbiter_system and that of ` +
            'DATABASE_URL to connect between nodes (pg_hba.conf or pg_dist_authinfo), then run arbiter migrate',
        ]);
      }
      const translated = translateError(error);
      const isAway = translated instanceof AppError && translated.code === 'unavailable';
      if (!isAway && code !== noDatabase) throw error;
      if (!logged) logger.warn({ step: 'database', reason: reasonOf(error) }, waiting);
      await sleep(pauseMs);
    }
  }
}

const waiting = 'waiting for the database; startup continues when it responds';

/**
 * Returns the last cause, which is the most specific. A stack would alarm people at a first start on a slow machine.
 */
function reasonOf(error: unknown): string {
  let found = describeError(error);
  while (found.cause !== undefined) found = found.cause;
  return found.code ?? found.message ?? found.name;
}
