import type { Command } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const tenantCreate: Command = {
  name: 'tenant create',
  summary: 'create a tenant (operator)',
  help: `Create a tenant. For operators: the command works directly on the database, so it requires the server's environment
(DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter tenant create <name> [--playground] [--json]

  --playground        create a trial tenant with a decision quota
  --json              print { "id", "name", "created" }

Prints the tenant's ID. Exits 1 if a tenant with this name exists, and leaves it unchanged.
To create a key for it, run: arbiter key create --tenant <name>`,
  options: { playground: { type: 'boolean' }, json: { type: 'boolean' } },
  async run(call) {
    const [name, ...more] = call.positionals;
    if (name === undefined || more.length > 0) throw new UsageError('expects one name; quote names with spaces');
    const playground = call.flags.flag('playground') ? { playground: true } : {};
    const tenant = await applyFragment(call, { name, ...playground });
    if (typeof tenant === 'number') return tenant;
    const { id, created } = tenant;
    if (call.flags.flag('json')) call.print(JSON.stringify({ id, name, created }));
    else if (created) call.print(id);
    if (!created) call.warn(`arbiter: tenant ${name} already exists: ${id}`);
    return created ? exitCodes.ok : exitCodes.refused;
  },
};
