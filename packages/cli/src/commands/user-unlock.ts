import type { Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const userUnlock: Command = {
  name: 'user unlock',
  summary: 'end a lock after wrong passwords (operator)',
  help: `End the lock of a user who gave five wrong passwords. A command for operators: it works on the database itself, so it
needs the server's environment (DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter user unlock <email> --tenant <name or id> [--json]

  --tenant <name>     tenant of the user, by its name or its id
  --json              print { "email", "tenantId", "unlocked" }; unlocked is false for a user who was not locked

A deactivated user stays deactivated. Exits 1 when the tenant has no user with the address.`,
  options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  async run(call) {
    const [email, ...more] = call.positionals;
    if (email === undefined || more.length > 0) throw new UsageError('takes one address');
    const tenantName = call.flags.text('tenant');
    if (tenantName === undefined) throw new UsageError('needs --tenant');
    const tenant = await applyFragment(call, { name: tenantName, users: [{ email, unlock: true }] });
    if (typeof tenant === 'number') return exitCodes.refused;
    const { id: tenantId, changed: unlocked } = tenant;
    if (call.flags.flag('json')) call.print(JSON.stringify({ email, tenantId, unlocked }));
    else call.print(unlocked ? `${email} is unlocked` : `${email} was not locked`);
    return exitCodes.ok;
  },
};
