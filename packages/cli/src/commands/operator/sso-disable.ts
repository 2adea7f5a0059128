import type { Command } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const ssoDisable: Command = {
  name: 'sso disable',
  summary: "turn off a tenant's single sign-on (operator)",
  help: `Turn off single sign-on so that people can sign in with a password again, for example when the identity provider is down.
For operators: the command works directly on the database, so it requires the server's environment (DATABASE_URL and the
secrets), or DATA_DIR of an embedded database.

Usage: arbiter sso disable --tenant <name or id> [--json]

  --tenant <name or id>   tenant to change
  --json                  print { "id", "name" }

The configuration stays, and you can turn it on again. Exits 0 even if it was off, 1 if the tenant doesn't exist.`,
  options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('expects only --tenant');
    const name = call.flags.text('tenant');
    if (name === undefined) throw new UsageError('needs --tenant');
    const tenant = await applyFragment(call, { name, sso: { enabled: false } });
    if (typeof tenant === 'number') return exitCodes.refused;
    if (call.flags.flag('json')) call.print(JSON.stringify({ id: tenant.id, name: tenant.name }));
    else call.print(`Single sign-on of ${tenant.name} is off`);
    return exitCodes.ok;
  },
};
