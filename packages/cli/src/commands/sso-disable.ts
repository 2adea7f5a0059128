import type { Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const ssoDisable: Command = {
  name: 'sso disable',
  summary: "switch a tenant's single sign-on off (operator)",
  help: `Switch single sign-on off, so that people can sign in by password again. For a tenant that requires single sign-on and
whose identity provider is gone. A command for operators: it works on the database itself, so it needs the server's
environment (DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter sso disable --tenant <name or id> [--json]

  --tenant <name or id>   the tenant
  --json                  print { "id", "name" }

The configuration stays and can be switched on again. Exits 0 also when it was off. Exits 1 when there is no such tenant.`,
  options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no argument but --tenant');
    const name = call.flags.text('tenant');
    if (name === undefined) throw new UsageError('needs --tenant');
    const tenant = await applyFragment(call, { name, sso: { enabled: false } });
    if (typeof tenant === 'number') return exitCodes.refused;
    if (call.flags.flag('json')) call.print(JSON.stringify({ id: tenant.id, name: tenant.name }));
    else call.print(`single sign-on of ${tenant.name} is off`);
    return exitCodes.ok;
  },
};
