import type { Command } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const userUnlock: Command = {
  name: 'user unlock',
  summary: 'unlock a user after failed sign-ins (operator)',
  help: `Unlock a user after five failed sign-ins. For operators: the command works directly on the database, so it requires the
server's environment (DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter user unlock <email> --tenant <name or id> [--json]

  --tenant <name>     name or ID of the tenant
  --json              print { "email", "tenantId", "unlocked" }; unlocked is false if the user wasn't locked

A deactivated user stays deactivated. Exits 1 if the tenant has no user with this email.`,
  options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  async run(call) {
    const [email, ...more] = call.positionals;
    if (email === undefined || more.length > 0) throw new UsageError('expects one email');
    const tenantName = call.flags.text('tenant');
    if (tenantName === undefined) throw new UsageError('needs --tenant');
    const tenant = await applyFragment(call, { name: tenantName, users: [{ email, unlock: true }] });
    if (typeof tenant === 'number') return exitCodes.refused;
    const { id: tenantId, changed: unlocked } = tenant;
    if (call.flags.flag('json')) call.print(JSON.stringify({ email, tenantId, unlocked }));
    else call.print(unlocked ? `Unlocked ${email}` : `${email} wasn't locked`);
    return exitCodes.ok;
  },
};
