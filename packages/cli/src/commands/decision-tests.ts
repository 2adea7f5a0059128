import type { Call, Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { readFolder } from '../policy-folder.ts';
import { count } from './operator/backup.ts';
import { loadServer } from './operator/serve.ts';

type FolderTest = Awaited<ReturnType<Awaited<ReturnType<typeof loadServer>>['testPolicyFolder']>>;
type Mutation = NonNullable<FolderTest['mutation']>;

export const decisionTests: Command = {
  name: 'test',
  summary: 'run the decision tests in a folder of policy as code',
  help: `Run the tests in a folder of policy as code, without a server or database. Each file tests/<flow>/<name>.yaml says what a
fictional customer gets from the flow.

Usage: arbiter test <folder> [flags]

  --draft             test drafts that differ from what their flow publishes
  --mutate            change each boundary, gate and weight once, and report which changes no test catches
  --min-score <n>     with --mutate: fail below this percentage of changes caught
  --json              print the result as JSON

Exits 0 if all tests pass, 1 if a test fails, its flow can't run or the files can't be applied, 4 below --min-score.

Stock, budgets and volumes count as unused, models as untrained, and webhooks as failed. Changes that can't alter any
decision don't count.

Examples:
  arbiter test policy
  arbiter test policy --mutate --min-score 80`,
  options: {
    draft: { type: 'boolean' },
    mutate: { type: 'boolean' },
    'min-score': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(call) {
    const [folder, ...more] = call.positionals;
    if (folder === undefined || more.length > 0) throw new UsageError('expects one folder');
    const minScore = minScoreOf(call);
    const files = readFolder(folder);
    const { testPolicyFolder } = await loadServer();
    const options = { usesDrafts: call.flags.flag('draft'), mutates: call.flags.flag('mutate') };
    const result = await testPolicyFolder(files, options);
    if (call.flags.flag('json')) call.print(JSON.stringify(result));
    else report(call, folder, result);
    if (result.errors.length > 0 || unmet(result) > 0) return exitCodes.refused;
    const score = result.mutation?.score ?? 1;
    return score * 100 < minScore ? exitCodes.differences : exitCodes.ok;
  },
};

function minScoreOf({ flags }: Call): number {
  const score = flags.integer('min-score');
  if (score === undefined) return 0;
  if (!flags.flag('mutate')) throw new UsageError('--min-score needs --mutate');
  if (score < 0 || score > 100) throw new UsageError('--min-score must be from 0 to 100');
  return score;
}

const statuses = ({ flows }: FolderTest) => flows.flatMap(({ results }) => results.map(({ status }) => status));
/** Tests that didn't pass, including those whose flow can't run. */
const unmet = (result: FolderTest): number =>
  statuses(result).filter((status) => status !== 'passed').length + result.skipped.length;

function report(call: Call, folder: string, result: FolderTest): void {
  const { errors, flows, skipped, mutation } = result;
  for (const { path, message } of errors) call.print(`${path}: ${message}`);
  if (errors.length > 0) {
    call.print(`${count(errors.length, 'problem')} in files. Nothing was tested.`);
    return;
  }
  for (const { results } of flows) {
    for (const { file, status, differences } of results) {
      if (status === 'passed') continue;
      call.print(`${file}: ${status}`);
      for (const { path, message } of differences) call.print(`    ${path}: ${message}`);
    }
  }
  for (const { file, reason } of skipped) call.print(`${file}: not run: ${reason}`);
  for (const { flow, version, results } of flows) {
    const passed = results.filter(({ status }) => status === 'passed').length;
    call.print(`Passed ${passed} of ${count(results.length, 'test')} of ${flow} (${version})`);
  }
  if (mutation !== null) reportMutation(call, mutation);
  call.print(lastLine(folder, result));
}

function reportMutation(call: Call, { mutants, score, leftOut }: Mutation): void {
  const survivors = mutants.filter(({ outcome }) => outcome === 'survived');
  for (const { file, pointer, kind, name, text } of survivors) {
    call.print(`${pointer === '' ? file : `${file}#${pointer}`}: no test catches this ${kind} of “${name}”: ${text}`);
  }
  for (const flow of leftOut) call.print(`${flow}: skipped, because it has no tests or some fail`);
  const caught = mutants.filter(({ outcome }) => outcome === 'caught').length;
  const equivalent = mutants.filter(({ outcome }) => outcome === 'equivalent').length;
  const aside = equivalent === 0 ? '' : `; ${equivalent} more can't change any decision`;
  const share = score === null ? '' : ` (${Math.floor(score * 100)}%)`;
  call.print(`Caught ${caught} of ${count(caught + survivors.length, 'change')}${share}${aside}`);
}

function lastLine(folder: string, result: FolderTest): string {
  const failed = unmet(result);
  if (statuses(result).length + failed === 0) return 'No tests found. Add one as tests/<flow>/<name>.yaml.';
  return failed === 0 ? `All tests pass. Next: arbiter plan ${folder}` : `${count(failed, 'test')} failed.`;
}
