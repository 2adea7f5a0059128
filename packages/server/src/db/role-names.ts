import pg from 'pg';
import { ConfigError } from '../config.ts';

/** User and password of a PostgreSQL URL. */
export function loginOf(url: string): { name: string; password: string | null } {
  const { user, password } = new pg.Client({ connectionString: url });
  return { name: user ?? 'arbiter', password: typeof password === 'string' && password !== '' ? password : null };
}

/**
 * The role that holds the application's rights. It may be the login itself, which the others of `ownRoles` may not: its
 * members have nothing that it has not.
 */
export const applicationRole = 'arbiter_app';

/** Roles that Arbiter makes for its own order of rights: they cannot log in. */
const ownRoles: ReadonlySet<string> = new Set([
  'arbiter_owner',
  'arbiter_readonly',
  'arbiter_system',
  'arbiter_queue',
  'arbiter_system_door',
  'arbiter_queue_door',
]);

/** Every role that the schema's owners and rights name. */
export const groupRoleNames: readonly string[] = [...ownRoles, applicationRole];

/** PostgreSQL keeps so many bytes of a name and drops the rest, so that another role would be meant. */
const longestNameBytes = 63;

/**
 * Refuses a user that the database could not have, or that Arbiter needs for itself. Throws ConfigError, which says what
 * to do.
 */
export function assertLogin(variable: 'DATABASE_URL' | 'DATABASE_ADMIN_URL', url: string): void {
  const { name } = loginOf(url);
  const problem = problemOf(name, variable);
  if (problem === null) return;
  const remedy =
    variable === 'DATABASE_URL'
      ? "Use another role, such as arbiter_server. It is created if it doesn't exist."
      : 'Use the owner of the database or a superuser.';
  throw new ConfigError([`${variable} uses the role ${JSON.stringify(name)}, ${problem}. ${remedy}`]);
}

function problemOf(name: string, variable: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name with one is refused for exactly that.
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'which contains a control character';
  if (Buffer.byteLength(name) > longestNameBytes) {
    return `which is longer than PostgreSQL's limit of ${longestNameBytes} bytes for names`;
  }
  if (/^pg_|^(?:public|none)$/.test(name)) return 'a name that PostgreSQL reserves';
  const isOurs = ownRoles.has(name) || (name === applicationRole && variable === 'DATABASE_ADMIN_URL');
  return isOurs ? 'a role that Arbiter creates to manage permissions' : null;
}
