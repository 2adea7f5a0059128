import type { PolicyFile, PolicyPlan } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { driftLines, planLines } from '../plan-text.ts';
import { readFolder, readSecrets, writeFolder } from '../policy-folder.ts';

/** Large catalogues take longer than other calls. The server times out after five minutes. */
const timeoutMs = 330_000;

const planOptions = {
  ...connectionOptions,
  prune: { type: 'boolean' },
  'allow-data-loss': { type: 'boolean' },
  secrets: { type: 'string' },
} as const;

const planHelp = `  --prune             delete objects that aren't in the files
  --allow-data-loss   allow dropping tables and dropping or recreating columns
  --secrets <file>    JSON { "<name>": "<value>" } with the secrets that files reference by $secret; default: read from
                      ARBITER_SECRET_<name in upper case, other characters as _>. Missing secrets keep their value`;

/** Returns the folder argument. */
function folderOf(call: Call): string {
  const [folder, ...more] = call.positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('expects one folder');
  return folder;
}

/** Returns the files of the folder and the flags of the plan. */
function bodyOf(call: Call): PlanBody {
  const files = readFolder(folderOf(call));
  return {
    files,
    prune: call.flags.flag('prune'),
    allowDataLoss: call.flags.flag('allow-data-loss'),
    secrets: readSecrets(files, call.environment, call.flags.text('secrets')),
  };
}

interface PlanBody {
  readonly files: PolicyFile[];
  readonly prune: boolean;
  readonly allowDataLoss: boolean;
  readonly secrets: Record<string, string>;
}

const printLines = (call: Call, lines: readonly string[]): void => {
  for (const line of lines) call.print(line);
};

export const exportCommand: Command = {
  name: 'export',
  summary: "export the tenant's configuration to files",
  help: `Export the tenant's configuration to a folder, one YAML file per object. Equal configurations give equal files.

Usage: arbiter export <folder> [flags]

Deletes files of an earlier export whose objects no longer exist. Leaves other files alone.

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    const folder = folderOf(call);
    return overHttp(
      call,
      async (client) => {
        const exported = await client.gitops.export({ body: {} });
        return { ...exported, ...writeFolder(folder, exported.files) };
      },
      {
        report: ({ files, written, removed, configVersion }) =>
          call.print(
            `Exported ${files.length} files to ${folder}: ${written} written, ${removed} removed (catalogue version ${configVersion})`,
          ),
      },
      { timeoutMs },
    );
  },
};

const planned = (client: Client, body: PlanBody): Promise<PolicyPlan> => client.gitops.diff({ body: { ...body } });

const differs = ({ changes }: { readonly changes: readonly unknown[] }): number =>
  changes.length > 0 ? exitCodes.differences : exitCodes.ok;

export const plan: Command = {
  name: 'plan',
  summary: 'preview the changes of applying a folder',
  help: `Preview what applying the files of a folder would change. Stores nothing. Exits 0 without changes, 4 with changes.

Usage: arbiter plan <folder> [flags]

${planHelp}

${connectionHelp}`,
  options: planOptions,
  async run(call) {
    const body = bodyOf(call);
    return overHttp(
      call,
      (client) => planned(client, body),
      { report: (answer) => printLines(call, planLines(answer)), codeOf: (answer) => differs(answer) },
      { timeoutMs },
    );
  },
};

export const apply: Command = {
  name: 'apply',
  summary: 'apply the files of a folder to the tenant',
  help: `Apply the files of a folder to the tenant in one transaction. Prints the plan and asks for confirmation.
If the catalogue changes in the meantime, nothing is applied.

Usage: arbiter apply <folder> [--yes] [flags]

  --yes               skip the confirmation; required without a terminal
${planHelp}

${connectionHelp}`,
  options: { ...planOptions, yes: { type: 'boolean' } },
  async run(call) {
    const body = bodyOf(call);
    const needsConfirmation = !call.flags.flag('yes');
    const { ask } = call;
    if (needsConfirmation && ask === undefined) throw new UsageError('pass --yes to apply without a terminal');
    return overHttp(
      call,
      async (client): Promise<PolicyPlan | null> => {
        const preview = await planned(client, body);
        const hasChanges = preview.changes.length > 0;
        if (hasChanges && needsConfirmation) {
          printLines(call, planLines(preview));
          const answer = await ask?.('Apply these changes? Type "yes" to confirm: ');
          if (answer?.trim().toLowerCase() !== 'yes') return null;
        }
        return client.gitops.apply({ body: { ...body, expectedConfigVersion: preview.configVersion } });
      },
      {
        report(done) {
          if (done === null) call.print('Nothing applied.');
          else printLines(call, [...planLines(done), `Applied (catalogue version ${done.configVersion}).`]);
        },
        codeOf: (done) => (done === null ? exitCodes.refused : exitCodes.ok),
      },
      { timeoutMs },
    );
  },
};

export const drift: Command = {
  name: 'drift',
  summary: 'show what changed since the last apply, and who changed it',
  help: `Compare the tenant with its last apply, and show from the audit log who changed what since. Exits 0 without changes,
4 with changes, 2 if no files have been applied yet.

Usage: arbiter drift [flags]

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    return overHttp(
      call,
      (client) => client.gitops.drift(),
      {
        report: (answer) => printLines(call, driftLines(answer)),
        codeOf: (answer) => (answer.applied === null ? exitCodes.usage : differs(answer)),
      },
      { timeoutMs },
    );
  },
};
