import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ConfigError } from '../../config.ts';
import { applicationRole } from './role-names.ts';

/** The application's login: user and password of DATABASE_URL. */
export interface ApplicationLogin {
  readonly name: string;
  readonly password: string | null;
}

/**
 * Group roles of the cluster (docs/architecture.md). The doors are NOINHERIT: a member can `set role` to the
 * role behind the door but has none of its rights otherwise, on PostgreSQL 15 as well as 18.
 */
const groupRoles = [
  ['arbiter_owner', 'inherit'],
  ['arbiter_app', 'inherit'],
  ['arbiter_readonly', 'inherit'],
  ['arbiter_system', 'inherit'],
  ['arbiter_queue', 'inherit'],
  ['arbiter_system_door', 'noinherit'],
  ['arbiter_queue_door', 'noinherit'],
] as const;
const memberships = [
  ['arbiter_system', 'arbiter_system_door'],
  ['arbiter_queue', 'arbiter_queue_door'],
  ['arbiter_system_door', 'arbiter_app'],
  ['arbiter_queue_door', 'arbiter_app'],
] as const;

/** Roles belong to the cluster, whose databases may be prepared at the same time. Losers try again. */
const raceCodes = ['23505', '42710', 'XX000', '40001'];
const tries = 8;

/** SQLSTATE of a grant that would make a role a member of itself, directly or through others. */
const circularMembership = '0LP01';

/**
 * Creates missing group roles and the application's login, and gives the owner its rights in this database. Repeatable,
 * and safe while other processes do the same. Throws ConfigError when existing roles of the cluster conflict.
 * @param admin connection of a superuser, or of a role with CREATEROLE that owns the database
 */
export async function ensureRoles(admin: pg.ClientBase, login: ApplicationLogin): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeRoles(admin, login);
      return;
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
      if (attempt === tries || typeof code !== 'string' || !raceCodes.includes(code)) throw error;
      await sleep(25 * attempt);
    }
  }
}

async function makeRoles(admin: pg.ClientBase, login: ApplicationLogin): Promise<void> {
  const existing = await readRoles(admin);
  for (const [name, inherit] of groupRoles) {
    const role = existing.get(name);
    if (role === undefined) await admin.query(`create role ${name} nologin ${inherit}`);
    else if (role.powerful) {
      throw new ConfigError([
        `The role ${name} in this database is a superuser or can bypass row-level security. Arbiter needs this name for a role without those rights: rename the existing role (alter role ... rename to ...).`,
      ]);
    }
  }
  for (const [role, member] of memberships) await grantMembership(admin, role, member);
  await makeLogin(admin, login, existing.get(login.name));
  const { rows } = await admin.query<{ database: string; name: string; superuser: boolean }>(
    `select current_database() as database, current_user as name,
            (select rolsuper from pg_roles where rolname = current_user) as superuser`,
  );
  const here = rows[0]!;
  if (!here.superuser) {
    for (const role of ['arbiter_owner', 'arbiter_queue']) await grantMembership(admin, role, here.name);
  }
  await settleDatabase(admin, here.database);
}

/**
 * Sets rights on the database itself, which a copy doesn't inherit: owners create schemas, other roles create nothing.
 * By default PostgreSQL lets every role create temporary tables. The server doesn't need them, and an attacker can
 * abuse them because names resolve to them first. Needs the database's owner or a superuser.
 */
export async function settleDatabase(admin: pg.ClientBase, database: string): Promise<void> {
  const name = quoteName(database);
  await admin.query(`grant create on database ${name} to arbiter_owner, arbiter_queue`);
  await admin.query(`revoke temporary on database ${name} from public`);
}

interface ExistingRole {
  readonly name: string;
  readonly canLogIn: boolean;
  /** True when row-level security doesn't bind the role. */
  readonly powerful: boolean;
}

async function readRoles(admin: pg.ClientBase): Promise<ReadonlyMap<string, ExistingRole>> {
  const { rows } = await admin.query<ExistingRole>(
    'select rolname as name, rolcanlogin as "canLogIn", rolsuper or rolbypassrls as powerful from pg_roles',
  );
  return new Map(rows.map((row) => [row.name, row]));
}

async function makeLogin(
  admin: pg.ClientBase,
  { name, password }: ApplicationLogin,
  existing: ExistingRole | undefined,
): Promise<void> {
  const secret = password === null ? '' : ` password ${quoteLiteral(scramVerifier(password))}`;
  if (name === applicationRole) {
    // The role is already the logins' group. Naming it as the login lets it log in on its own.
    if (existing?.canLogIn !== true) await admin.query(`alter role ${applicationRole} login${secret}`);
    return;
  }
  if (existing === undefined) {
    await admin.query(`create role ${quoteName(name)} login nosuperuser nobypassrls nocreatedb nocreaterole${secret}`);
  } else if (!existing.canLogIn) {
    throw new ConfigError([
      `DATABASE_URL uses the role ${JSON.stringify(name)}, which can't log in. Allow it (alter role ${quoteName(name)} login), or use another role. It is created if it doesn't exist.`,
    ]);
  }
  try {
    await grantMembership(admin, applicationRole, name);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== circularMembership) throw error;
    throw new ConfigError([
      `DATABASE_URL uses the role ${JSON.stringify(name)}, of which ${applicationRole} is a member. Use another role, or remove that membership (revoke ${quoteName(name)} from ...).`,
    ]);
  }
}

async function grantMembership(admin: pg.ClientBase, role: string, member: string): Promise<void> {
  const { rows } = await admin.query(
    `select 1 from pg_auth_members m
      where m.roleid = to_regrole($1) and m.member = to_regrole($2)
        and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)`,
    [quoteName(role), quoteName(member)],
  );
  if (rows.length === 0) await admin.query(`grant ${quoteName(role)} to ${quoteName(member)}`);
}

/**
 * Returns the stored form of a SCRAM-SHA-256 password (RFC 5803), so that the password itself reaches no server log.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const iterations = 4096;
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const key = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
