import type { Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';
import { tableLines } from '../../table.ts';
import { loadServer } from './serve.ts';

export const distribute: Command = {
  name: 'distribute',
  summary: 'move the rows of a database to the workers of its Citus cluster (operator)',
  help: `Move every tenant's rows from the coordinator to the workers of a Citus cluster, table by table. Stop all servers first.
A new database doesn't need this: arbiter migrate distributes it.

Usage: arbiter distribute [--dry-run]

  --dry-run           list the tables and their sizes; change nothing

DATABASE_URL connects as the application role, DATABASE_ADMIN_URL as a superuser on the coordinator. If the command is
interrupted, run it again: it continues with the next table.`,
  options: { 'dry-run': { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`unexpected argument: ${call.positionals[0]}`);
    const { distributeOnly } = await loadServer();
    const isDryRun = call.flags.flag('dry-run');
    return distributeOnly(call, isDryRun, (tables) => {
      if (tables.length === 0) {
        call.print('All tables are distributed already.');
        return;
      }
      if (!isDryRun) {
        call.print(`Distributed ${tables.length} tables. Restart the servers.`);
        return;
      }
      for (const line of tableLines(
        ['table', 'rows', 'bytes'],
        tables.map(({ name, rows, bytes }) => [name, rows.toLocaleString('en-US'), bytes.toLocaleString('en-US')]),
      )) {
        call.print(line);
      }
      call.print('Nothing changed. Run arbiter distribute without --dry-run to move these tables.');
    });
  },
};
