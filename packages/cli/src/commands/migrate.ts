import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the database schema up to date',
  help: `Bring the database schema up to date and end. The server does the same at its start, unless MIGRATE=off.

Usage: arbiter migrate [--status]

  --status            list the migrations that are missing; exits 4 when there are any

DATABASE_URL names the application's role, DATABASE_ADMIN_URL the owner who migrates. Without either, the embedded
database in DATA_DIR is meant. Migrations run under a lock, so several nodes may start at once.`,
  options: { status: { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`does not know ${call.positionals[0]}`);
    const { migrateOnly, migrationStatus } = await import('@arbiter/server');
    return call.flags.flag('status') ? migrationStatus(call) : migrateOnly(call);
  },
};
