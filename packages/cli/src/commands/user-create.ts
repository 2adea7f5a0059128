import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { roles } from '@arbiter/contract';
import type { Call, Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const userCreate: Command = {
  name: 'user create',
  summary: 'make a user (operator)',
  help: `Make a user who signs in by password. A command for operators: it works on the database itself, so it needs the
server's environment (DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter user create <email> --tenant <name or id> [--name <name>] [--role <role>] [--password-file <path>] [--json]

  --tenant <name>         tenant of the user, by its name or its id; one of that name is made when there is none
  --name <name>           name of the person; the address when left out
  --role <role>           ${roles.join(', ')}; viewer when left out
  --password-file <path>  file that holds the password; without it one is made and printed, this once
  --json                  print { "email", "role", "password", "tenantId" }; password is null when a file holds it

Exits 1 when the tenant has a user with the address; nothing is changed then.`,
  options: {
    tenant: { type: 'string' },
    name: { type: 'string' },
    role: { type: 'string' },
    'password-file': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(call) {
    const [email, ...more] = call.positionals;
    if (email === undefined || more.length > 0) throw new UsageError('takes one address');
    const tenantName = call.flags.text('tenant');
    if (tenantName === undefined) throw new UsageError('needs --tenant');
    const role = roleOf(call.flags.text('role') ?? 'viewer');
    const given = passwordOf(call.flags.text('password-file'));
    // Fits the rules of passwords whatever the bytes are.
    const password = given ?? `Pw-${randomBytes(12).toString('hex')}`;
    const user = { email, name: call.flags.text('name') ?? email, role, password, isNew: true };
    const tenant = await applyFragment(call, { name: tenantName, users: [user] });
    if (typeof tenant === 'number') return exitCodes.refused;
    if (tenant.created) call.warn(`arbiter: made tenant ${tenantName}: ${tenant.id}`);
    const shown = given === null ? password : null;
    report(call, { email, role, password: shown, tenantId: tenant.id });
    return exitCodes.ok;
  },
};

function report(
  call: Call,
  made: { readonly email: string; readonly role: string; readonly password: string | null; readonly tenantId: string },
): void {
  if (call.flags.flag('json')) call.print(JSON.stringify(made));
  else if (made.password !== null) call.print(made.password);
}

function roleOf(text: string): (typeof roles)[number] {
  const role = roles.find((known) => known === text);
  if (role === undefined) throw new UsageError(`there is no role ${text}; known are ${roles.join(', ')}`);
  return role;
}

/** The file without the line break at its end; null without a file. */
function passwordOf(path: string | undefined): string | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--password-file: ${error instanceof Error ? error.message : String(error)}`);
  }
}
