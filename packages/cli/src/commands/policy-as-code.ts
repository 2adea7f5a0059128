import type { PolicyFile, PolicyPlan } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { driftLines, planLines } from '../plan-text.ts';
import { readFolder, readSecrets, writeFolder } from '../policy-folder.ts';

/** A large catalogue takes longer than other calls: the server gives up after five minutes. */
const timeoutMs = 330_000;

const planOptions = {
  ...connectionOptions,
  prune: { type: 'boolean' },
  'allow-data-loss': { type: 'boolean' },
  secrets: { type: 'string' },
} as const;

const planHelp = `  --prune             delete what is not in the files
  --allow-data-loss   columns may be dropped or made anew, tables dropped
  --secrets <file>    JSON { "<name>": "<value>" } with the secrets that files name by $secret; else they are read from
                      ARBITER_SECRET_<name in upper case, other characters as _>. One that is missing stays as it is`;

/** The folder of a command that takes one. */
function folderOf(call: Call): string {
  const [folder, ...more] = call.positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('takes one folder');
  return folder;
}

/** The files of the folder with what may be done. */
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
  summary: 'write the configuration of the tenant as files',
  help: `Write what the tenant configures into a folder: one YAML file for each object, equal bytes for equal configurations.

Usage: arbiter export <folder> [flags]

Files of an earlier export whose objects are gone are removed; other files are left alone.

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
            `${files.length} files in ${folder}, ${written} written, ${removed} removed (catalogue version ${configVersion})`,
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
  summary: 'tell what the files of a folder would change',
  help: `Tell what applying the files of a folder would change. Nothing is stored. Exits 0 when nothing differs, 4 when
something does.

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
  summary: 'make the tenant as the files of a folder say',
  help: `Make the tenant as the files of a folder say: all of it in one transaction, or nothing. Prints the plan and asks first.
When the catalogue changes between the plan and the answer, nothing is applied.

Usage: arbiter apply <folder> [--yes] [flags]

  --yes               do not ask; needed where there is no terminal
${planHelp}

${connectionHelp}`,
  options: { ...planOptions, yes: { type: 'boolean' } },
  async run(call) {
    const body = bodyOf(call);
    const isAsked = !call.flags.flag('yes');
    const { ask } = call;
    if (isAsked && ask === undefined) throw new UsageError('needs --yes where there is no terminal to ask at');
    return overHttp(
      call,
      async (client): Promise<PolicyPlan | null> => {
        const foreseen = await planned(client, body);
        const isMore = foreseen.changes.length > 0;
        if (isMore && isAsked) {
          printLines(call, planLines(foreseen));
          const answer = await ask?.('Apply these changes? Only "yes" does. ');
          if (answer?.trim().toLowerCase() !== 'yes') return null;
        }
        return client.gitops.apply({ body: { ...body, expectedConfigVersion: foreseen.configVersion } });
      },
      {
        report(done) {
          if (done === null) call.print('Nothing was applied.');
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
  summary: 'tell what changed since files were applied, and by whom',
  help: `Compare the tenant with the files of its last apply, and say from the audit log who changed what since. Exits 0 when
nothing differs, 4 when something does, 2 when no files were applied yet.

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
