import pg from 'pg';
import { ConfigError } from '../../config.ts';

/** Returns user and password of a PostgreSQL URL. */
export function loginOf(url: string): { name: string; password: string | null } {
  const { user, password } = new pg.Client({ connectionString: url });
  return { name: user ?? 'arbiter', password: typeof password === 'string' && password !== '' ? password : null };
}

/**
 * The role with the application's rights. The login may be this role itself, because its members have no rights beyond
 * it; the login may not be any of `ownRoles`.
 */
export const applicationRole = 'arbiter_app';

/** Roles that Arbiter creates to structure rights. They can't log in. */
const ownRoles: ReadonlySet<string> = new Set([
  'arbiter_owner',
  'arbiter_readonly',
  'arbiter_system',
  'arbiter_queue',
  'arbiter_system_door',
  'arbiter_queue_door',
]);

/** Every role that the schema's owners and rights mention. */
export const groupRoleNames: readonly string[] = [...ownRoles, applicationRole];

/** PostgreSQL keeps this many bytes of a name and drops the rest, so a longer name would mean another role. */
const longestNameBytes = 63;

/**
 * Throws ConfigError for a user that PostgreSQL doesn't allow or that Arbiter reserves. The message says what to do.
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
