import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { roles } from '@arbiter/contract';
import type { Call, Command } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const userCreate: Command = {
  name: 'user create',
  summary: 'create a user (operator)',
  help: `Create a user who signs in with a password. For operators: the command works directly on the database, so it requires the
server's environment (DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter user create <email> --tenant <name or id> [--name <name>] [--role <role>] [--password-file <path>] [--json]

  --tenant <name>         name or ID of the tenant; a name that doesn't exist creates the tenant
  --name <name>           display name; default: the email
  --role <role>           ${roles.join(', ')}; default: viewer
  --password-file <path>  file with the password; default: generate one and print it once
  --json                  print { "email", "role", "password", "tenantId" }; password is null with --password-file

Exits 1 and changes nothing if the tenant already has a user with this email.`,
  options: {
    tenant: { type: 'string' },
    name: { type: 'string' },
    role: { type: 'string' },
    'password-file': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(call) {
    const [email, ...more] = call.positionals;
    if (email === undefined || more.length > 0) throw new UsageError('expects one email');
    const tenantName = call.flags.text('tenant');
    if (tenantName === undefined) throw new UsageError('needs --tenant');
    const role = roleOf(call.flags.text('role') ?? 'viewer');
    const given = passwordOf(call.flags.text('password-file'));
    // Meets the password rules for any random bytes.
    const password = given ?? `Pw-${randomBytes(12).toString('hex')}`;
    const user = { email, name: call.flags.text('name') ?? email, role, password, isNew: true };
    const tenant = await applyFragment(call, { name: tenantName, users: [user] });
    if (typeof tenant === 'number') return exitCodes.refused;
    if (tenant.created) call.warn(`arbiter: created tenant ${tenantName}: ${tenant.id}`);
    const shown = given === null ? password : null;
    report(call, { email, role, password: shown, tenantId: tenant.id });
    return exitCodes.ok;
  },
};

function report(
  call: Call,
  user: { readonly email: string; readonly role: string; readonly password: string | null; readonly tenantId: string },
): void {
  if (call.flags.flag('json')) call.print(JSON.stringify(user));
  else if (user.password !== null) call.print(user.password);
}

function roleOf(text: string): (typeof roles)[number] {
  const role = roles.find((known) => known === text);
  if (role === undefined) throw new UsageError(`unknown role: ${text}. Use ${roles.join(', ')}`);
  return role;
}

/** Reads the password file without its final line break. Returns null without a path. */
function passwordOf(path: string | undefined): string | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--password-file: ${error instanceof Error ? error.message : String(error)}`);
  }
}
