import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Call, Command, Flags } from './command.ts';
import { backtest } from './commands/backtest.ts';
import { check } from './commands/check.ts';
import { connectorsTest } from './commands/connectors-test.ts';
import { decisionTests } from './commands/decision-tests.ts';
import { evaluate } from './commands/evaluate.ts';
import { experimentsList, experimentsResults } from './commands/experiments.ts';
import { ingest } from './commands/ingest.ts';
import { login } from './commands/login.ts';
import { metricsCompute } from './commands/metrics-compute.ts';
import { modelsImport } from './commands/models-import.ts';
import { modelsTrain } from './commands/models-train.ts';
import { narrative } from './commands/narrative.ts';
import { archiveList, archiveRestore, archiveVerify } from './commands/operator/archive.ts';
import { auditVerify } from './commands/operator/audit-verify.ts';
import { backup } from './commands/operator/backup.ts';
import { connectorsInstall } from './commands/operator/connectors-install.ts';
import { distribute } from './commands/operator/distribute.ts';
import { dlqList, dlqPurge, dlqRetry } from './commands/operator/dlq.ts';
import { doctor } from './commands/operator/doctor.ts';
import { keyCreate } from './commands/operator/key-create.ts';
import { migrate } from './commands/operator/migrate.ts';
import { restore } from './commands/operator/restore.ts';
import { seedList, seedLoad, seedUnload, seedUpload } from './commands/operator/seed.ts';
import { serve } from './commands/operator/serve.ts';
import { ssoDisable } from './commands/operator/sso-disable.ts';
import { tenantCreate } from './commands/operator/tenant-create.ts';
import { userCreate } from './commands/operator/user-create.ts';
import { userSignInLink } from './commands/operator/user-sign-in-link.ts';
import { userUnlock } from './commands/operator/user-unlock.ts';
import { pipelinesRun } from './commands/pipelines-run.ts';
import { apply, drift, exportCommand, plan } from './commands/policy-as-code.ts';
import { proof } from './commands/proof.ts';
import { recommend } from './commands/recommend.ts';
import { replay } from './commands/replay.ts';
import { respond } from './commands/respond.ts';
import { runCampaign } from './commands/run-campaign.ts';
import { schemaImport } from './commands/schema-import.ts';
import { shap } from './commands/shap.ts';
import { trace } from './commands/trace.ts';
import { whoami } from './commands/whoami.ts';
import { whyNot } from './commands/why-not.ts';
import { exitCodes, UsageError } from './exit-codes.ts';

const commands: readonly Command[] = [
  serve,
  distribute,
  migrate,
  backup,
  restore,
  tenantCreate,
  userSignInLink,
  ssoDisable,
  keyCreate,
  userCreate,
  userUnlock,
  login,
  whoami,
  recommend,
  respond,
  ingest,
  runCampaign,
  connectorsTest,
  connectorsInstall,
  pipelinesRun,
  metricsCompute,
  modelsTrain,
  backtest,
  evaluate,
  experimentsList,
  experimentsResults,
  modelsImport,
  shap,
  trace,
  narrative,
  proof,
  replay,
  auditVerify,
  dlqList,
  dlqRetry,
  dlqPurge,
  archiveList,
  archiveVerify,
  archiveRestore,
  doctor,
  exportCommand,
  plan,
  apply,
  drift,
  check,
  decisionTests,
  whyNot,
  schemaImport,
  seedList,
  seedLoad,
  seedUnload,
  seedUpload,
];

const overview = `arbiter: decide which offer to show a customer, and prove why.

Usage: arbiter <command> [arguments] [flags]

${commands.map((command) => `  ${command.name.padEnd(20)}${command.summary}`).join('\n')}
  ${'help <command>'.padEnd(20)}show help for a command
  ${'--version'.padEnd(20)}print the version

Exit codes: 0 success, 1 API error, 2 invalid command line, 3 server unreachable, 4 differences found, 130 canceled.`;

/** Environment, output and prompts of a run. */
export interface Shell {
  readonly environment: Call['environment'];
  print(line: string): void;
  warn(line: string): void;
  /** Prompts the user; undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** Prompts the user without echoing the input. */
  readonly askSecretly?: (question: string) => Promise<string>;
}

/** Runs a command line and resolves with its exit code. */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  if (args.length === 0 || args[0] === '--help' || args[0] === '-h' || (args[0] === 'help' && args.length === 1)) {
    shell.print(overview);
    return args.length === 0 ? exitCodes.usage : exitCodes.ok;
  }
  if (args[0] === '--version') {
    shell.print(version());
    return exitCodes.ok;
  }
  const words = args[0] === 'help' ? args.slice(1) : args;
  const found = findCommand(words);
  if (found === null) {
    shell.warn(`arbiter: unknown command: ${words.slice(0, 2).join(' ')}\n`);
    shell.warn(overview);
    return exitCodes.usage;
  }
  const { command, rest } = found;
  if (args[0] === 'help' || rest.includes('--help') || rest.includes('-h')) {
    shell.print(command.help);
    return exitCodes.ok;
  }
  try {
    return await command.run(parseCall(command, rest, shell));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    shell.warn(`arbiter ${command.name}: ${error.message}\n\n${usageLine(command)}`);
    return exitCodes.usage;
  }
}

/** Returns the version in package.json. */
function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } | null {
  for (const command of commands) {
    for (const name of [command.name, ...(command.aliases ?? [])]) {
      const parts = name.split(' ');
      if (parts.every((part, index) => words[index] === part)) return { command, rest: words.slice(parts.length) };
    }
  }
  return null;
}

function usageLine(command: Command): string {
  return command.help.split('\n').find((line) => line.startsWith('Usage:')) ?? '';
}

function parseCall(command: Command, args: readonly string[], shell: Shell): Call {
  let parsed: ReturnType<typeof parseStrictly>;
  try {
    parsed = parseStrictly(command, args);
  } catch (error) {
    // parseArgs throws a TypeError that names the flag.
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
  return { positionals: parsed.positionals, flags: flagsOf(parsed.values), ...shell };
}

function parseStrictly(command: Command, args: readonly string[]) {
  return parseArgs({ args: [...args], options: command.options, allowPositionals: true, strict: true });
}

function flagsOf(values: Readonly<Record<string, unknown>>): Flags {
  const text = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    flag: (name) => values[name] === true,
    integer: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^-?\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number, not ${value}`);
      return Number(value);
    },
  };
}
