import type { Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const tenantCreate: Command = {
  name: 'tenant create',
  summary: 'make a tenant (operator)',
  help: `Make a tenant. A command for operators: it works on the database itself, so it needs the server's environment
(DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter tenant create <name> [--playground] [--json]

  --playground        a tenant with a decision quota, for trying things out
  --json              print { "id", "name", "created" }

Prints the tenant's id. Exits 1 when there is a tenant of that name; it stays as it is.
Give it a key with: arbiter key create --tenant <name>`,
  options: { playground: { type: 'boolean' }, json: { type: 'boolean' } },
  async run(call) {
    const [name, ...more] = call.positionals;
    if (name === undefined || more.length > 0) throw new UsageError('takes one name; put a longer one into quotes');
    const playground = call.flags.flag('playground') ? { playground: true } : {};
    const tenant = await applyFragment(call, { name, ...playground });
    if (typeof tenant === 'number') return tenant;
    const { id, created } = tenant;
    if (call.flags.flag('json')) call.print(JSON.stringify({ id, name, created }));
    else if (created) call.print(id);
    if (!created) call.warn(`arbiter: there is a tenant ${name} already: ${id}`);
    return created ? exitCodes.ok : exitCodes.refused;
  },
};
