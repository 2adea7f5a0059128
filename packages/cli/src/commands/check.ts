import type { Call, Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { findingLines } from '../finding-text.ts';
import { readFolder } from '../policy-folder.ts';
import { count } from './operator/backup.ts';
import { loadServer } from './operator/serve.ts';

type FolderCheck = Awaited<ReturnType<Awaited<ReturnType<typeof loadServer>>['checkPolicyFolder']>>;

export const check: Command = {
  name: 'check',
  summary: 'find conflicts in a folder of policy as code',
  help: `Check a folder of policy as code, without a server or database: whether its files can be applied, which offers nobody
can ever get and why, and what has no effect. A finding is a proof; the absence of one isn't.

Usage: arbiter check <folder> [flags]

  --strict            fail on warnings too
  --at <instant>      the instant from which customers may come, for example 2026-12-01 (default: now)
  --json              print the result as JSON

Exits 0 without errors, 4 when an error is found (with --strict: or a warning), 1 when the files can't be applied.

Not checked: secrets, who the users are, whether webhooks may be called, and what data there is.

Examples:
  arbiter check policy
  arbiter check policy --strict --json`,
  options: { strict: { type: 'boolean' }, at: { type: 'string' }, json: { type: 'boolean' } },
  async run(call) {
    const [folder, ...more] = call.positionals;
    if (folder === undefined || more.length > 0) throw new UsageError('expects one folder');
    const now = instantOf(call.flags.text('at'));
    const files = readFolder(folder);
    const { checkPolicyFolder } = await loadServer();
    const result = await checkPolicyFolder(files, now);
    if (call.flags.flag('json')) call.print(JSON.stringify(result));
    else report(call, folder, result);
    return exitCodeOf(result, call.flags.flag('strict'));
  },
};

function instantOf(text: string | undefined): number {
  if (text === undefined) return Date.now();
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--at must be a date or an instant, not ${text}`);
  return at;
}

function exitCodeOf({ errors, findings }: FolderCheck, isStrict: boolean): number {
  if (errors.length > 0) return exitCodes.refused;
  const fails = findings.some(({ severity }) => severity === 'error' || (isStrict && severity === 'warning'));
  return fails ? exitCodes.differences : exitCodes.ok;
}

function report(call: Call, folder: string, result: FolderCheck): void {
  const { errors, findings, flows, skipped, contradictions } = result;
  for (const { path, message } of errors) call.print(`${path}: ${message}`);
  for (const finding of findings) for (const line of findingLines(finding)) call.print(line);
  for (const { file, name, reason } of skipped) call.print(`${file}: not checked: the flow “${name}” ${reason}`);
  for (const { flow, version, offers, unknown, unread } of flows) {
    const parts = unread.map(({ type, count: number }) => `${number} ${type}`).join(', ');
    const open = unknown === 0 ? '' : `; nothing is proved about ${count(unknown, 'offer')}`;
    const taken = parts === '' ? '' : `; assumed to pass: ${parts}`;
    call.print(`Checked ${count(offers, 'offer')} of ${flow} (${version})${open}${taken}`);
  }
  if (contradictions > 0) call.warn(`arbiter: the checker contradicted itself for ${count(contradictions, 'offer')}`);
  call.print(lastLine(folder, result));
}

function lastLine(folder: string, { errors, findings }: FolderCheck): string {
  if (errors.length > 0) return `${count(errors.length, 'problem')} in files. Nothing else was checked.`;
  const numbers = (['error', 'warning', 'info'] as const).map((severity) => ({
    severity,
    number: findings.filter((finding) => finding.severity === severity).length,
  }));
  if (findings.length === 0) return `Nothing found. Next: arbiter plan ${folder}`;
  const shown = numbers.filter(({ number }) => number > 0);
  return `Found ${shown.map(({ severity, number }) => (severity === 'info' ? `${number} to know` : count(number, severity))).join(', ')}.`;
}
