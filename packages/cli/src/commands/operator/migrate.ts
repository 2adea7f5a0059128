import type { Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'apply database migrations',
  help: `Apply pending database migrations. The server does this on startup, unless MIGRATE=off.

Usage: arbiter migrate [--status]

  --status            list pending migrations; exits 4 if there are any

DATABASE_URL connects as the application role, DATABASE_ADMIN_URL as the schema owner. Without them, the command uses the
embedded database in DATA_DIR. Migrations hold a lock, so several nodes can start at once.`,
  options: { status: { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`unexpected argument: ${call.positionals[0]}`);
    const { migrateOnly, migrationStatus } = await import('@arbiter/server');
    return call.flags.flag('status') ? migrationStatus(call) : migrateOnly(call);
  },
};
