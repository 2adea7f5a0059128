import { type Archive, archivedKinds } from '@arbiter/contract';
import { overHttp } from '../../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { tableLines } from '../../table.ts';

/** A verification reads the whole file, up to 32 MB from a bucket. */
const timeoutMs = 120_000;

/** `archive list`: the tenant's archived files. */
export const archiveList: Command = {
  name: 'archive list',
  summary: 'list archived months of history',
  help: `List the files of archived decisions, interactions and impressions, newest month first.

Usage: arbiter archive list [flags]

  --month <month>     only files of this UTC month, such as 2026-05
  --kind <kind>       only ${archivedKinds.join(', ')}

${connectionHelp}`,
  options: { ...connectionOptions, month: { type: 'string' }, kind: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    const [month, kind] = [call.flags.text('month'), call.flags.text('kind')];
    const query = {
      ...(month === undefined ? {} : { month }),
      // The server checks the value.
      ...(kind === undefined ? {} : { kind: kind as Archive['kind'] }),
    };
    return overHttp(call, (client) => client.archives.list({ query }), {
      report: ({ data, total }) => reportList(call, data, total),
    });
  },
};

/** `archive verify`: compares a file with what was written. */
export const archiveVerify: Command = {
  name: 'archive verify',
  summary: 'verify an archived file',
  help: `Read an archived file and compare it with what was written. Exits 4 if it differs.

Usage: arbiter archive verify <id> [flags]

${connectionHelp}`,
  options: connectionOptions,
  run: (call) =>
    overHttp(
      call,
      (client) => client.archives.verify({ params: { id: idOf(call) } }),
      {
        report: (file) =>
          call.print(
            file.problem === null
              ? `Verified ${file.rows} ${file.kind} of ${file.month}.`
              : `${file.problem} Restore it from a backup of the archive: ${file.path}`,
          ),
        codeOf: ({ problem }) => (problem === null ? exitCodes.ok : exitCodes.differences),
      },
      { timeoutMs },
    ),
};

/** `archive restore`: puts the rows of a file back. */
export const archiveRestore: Command = {
  name: 'archive restore',
  summary: 'restore an archived file to the database',
  help: `Restore the rows of an archived file to the database, in the background. Customers erased since then stay
erased. The month isn't archived again for 30 days.

Usage: arbiter archive restore <id> [flags]

${connectionHelp}`,
  options: connectionOptions,
  run: (call) =>
    overHttp(
      call,
      (client) => client.archives.restore({ params: { id: idOf(call) } }),
      {
        report: ({ rows, kind, month }) => {
          call.print(`Restoring ${rows} ${kind} of ${month}.`);
          call.print(`Run "arbiter archive list --month ${month}" to see when it's done.`);
        },
      },
      { timeoutMs },
    ),
};

function idOf(call: Call): string {
  const [id, ...more] = call.positionals;
  if (id === undefined || more.length > 0) throw new UsageError('expects the ID of one archived file');
  return id;
}

function reportList(call: Call, files: readonly Archive[], total: number): void {
  if (files.length === 0) {
    call.print('No archived months.');
    return;
  }
  const rows = files.map((file) => [
    file.id,
    file.month,
    file.kind,
    file.state,
    String(file.rows),
    `${(file.bytes / 1024 / 1024).toFixed(1)} MB`,
    file.problem ?? '-',
  ]);
  for (const line of tableLines(['id', 'month', 'kind', 'state', 'rows', 'size', 'problem'], rows)) call.print(line);
  if (total > files.length)
    call.print(`${total - files.length} more files. Pass --month to list the files of one month.`);
  call.print('Run "arbiter archive restore <id>" to put a file back.');
}
