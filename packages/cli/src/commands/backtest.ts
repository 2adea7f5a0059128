import type { BacktestRequest, BacktestResult, Study } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { readOverlay } from '../read-overlay.ts';
import { tableLines } from '../table.ts';
import { endOf, followStudy, wordsOf } from './follow-study.ts';
import { count } from './operator/backup.ts';

/** What --json prints. `study` comes with --wait. */
interface Outcome {
  readonly studyId: string;
  readonly study?: Study;
}

const dayMs = 86_400_000;
const defaultDays = 7;
const shownSamples = 10;

export const backtest: Command = {
  name: 'backtest',
  summary: 'compare a draft with past decisions',
  help: `Repeat past decisions with the draft of a flow, and report which answers change.

Usage: arbiter backtest <flow> [flags]

The flow is an ID or a key. Exits 0 when the verdict is ok, 4 when a limit is exceeded or the verdict is
refused, 1 when the backtest fails.

  --version <n>        judge a published version instead of the draft
  --days <n>           judge the last n days (default: ${defaultDays})
  --from, --to <time>  judge another range: dates or timestamps
  --overlay <path>     try changes to the catalogue: a folder with changed files of policy as code, or a JSON file:
                       [{ "kind", "key", "patch" }]
  --chained            count the draft's items as contacts in later decisions
  --compare-to <n>     compare with a published version instead of the recorded answers
  --max <n>            judge at most n decisions, oldest first
  --max-changed <s>    maximum share of decisions that change, such as 0.05
  --max-empty <s>      maximum share of decisions that lose all items
  --wait               wait for the result

${connectionHelp}

Examples:
  arbiter backtest next-best-offer --wait
  arbiter backtest next-best-offer --days 30 --chained --overlay changes.json --max-empty 0.01 --wait --json`,
  options: {
    ...connectionOptions,
    version: { type: 'string' },
    days: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    overlay: { type: 'string' },
    chained: { type: 'boolean' },
    'compare-to': { type: 'string' },
    max: { type: 'string' },
    'max-changed': { type: 'string' },
    'max-empty': { type: 'string' },
    wait: { type: 'boolean' },
  },
  async run(call) {
    const [flow, ...more] = call.positionals;
    if (flow === undefined || more.length > 0) throw new UsageError('expects the ID or key of one flow');
    const body = await bodyOf(call);
    const ask = async (client: Client): Promise<Outcome> => {
      const { studyId } = await client.backtests.start({ params: { id: flow }, body });
      return call.flags.flag('wait') ? { studyId, study: await followStudy(call, client, studyId) } : { studyId };
    };
    return overHttp(call, ask, { report: (outcome) => report(call, outcome), codeOf: exitCodeOf });
  },
};

async function bodyOf({ flags }: Call): Promise<BacktestRequest> {
  const [version, max, base] = [flags.integer('version'), flags.integer('max'), flags.integer('compare-to')];
  const [changed, empty] = [shareIn(flags, 'max-changed'), shareIn(flags, 'max-empty')];
  const overlay = flags.text('overlay');
  const now = Date.now();
  return {
    version: version ?? 'draft',
    from: flags.text('from') ?? new Date(now - (flags.integer('days') ?? defaultDays) * dayMs).toISOString(),
    to: flags.text('to') ?? new Date(now).toISOString(),
    mode: flags.flag('chained') ? 'chained' : 'independent',
    ...(overlay === undefined ? {} : { overlay: await readOverlay(overlay) }),
    ...(base === undefined ? {} : { compareTo: base }),
    ...(max === undefined ? {} : { maxDecisions: max }),
    limits: {
      ...(changed === undefined ? {} : { maxChangedShare: changed }),
      ...(empty === undefined ? {} : { maxNewlyEmptyShare: empty }),
    },
  };
}

function shareIn(flags: Call['flags'], name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const share = Number(text);
  if (text.trim() === '' || !(share >= 0 && share <= 1)) throw new UsageError(`--${name} must be a share from 0 to 1`);
  return share;
}

function report(call: Call, { studyId, study }: Outcome): void {
  if (study === undefined) {
    call.print(`Backtest of ${call.positionals[0]} is queued: ${studyId}`);
    return;
  }
  const { status, error, result } = study;
  if (result === null || !isBacktest(result)) {
    call.print(endOf('backtest', status, error));
    return;
  }
  for (const line of linesOf(result)) call.print(line);
  const [sample] = result.samples;
  if (sample !== undefined) call.print(`To see one, run: arbiter trace ${sample.decisionId}`);
}

const isBacktest = (result: NonNullable<Study['result']>): result is BacktestResult => 'changedShare' in result;

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

function linesOf(result: BacktestResult): string[] {
  const { decisions, customers, changed, changedShare, notReplayable, verdict, reasons } = result;
  const kinds = Object.entries(result.byKind).filter(([kind, number]) => kind !== 'same' && number > 0);
  return [
    `The draft changes ${changed} of ${count(decisions, 'decision')} (${percent(changedShare)}), made for ${count(customers, 'customer')}.`,
    ...(notReplayable > 0
      ? [
          `${count(notReplayable, 'record')} can't be judged: ${Object.keys(result.notEvaluable).map(wordsOf).join(', ')}`,
        ]
      : []),
    ...(kinds.length === 0
      ? []
      : [
          '',
          ...tableLines(
            ['KIND', 'DECISIONS'],
            kinds.map(([kind, number]) => [wordsOf(kind), String(number)]),
          ),
        ]),
    ...(result.samples.length === 0
      ? []
      : [
          '',
          ...tableLines(
            ['KIND', 'DECISION'],
            result.samples.slice(0, shownSamples).map(({ kind, decisionId }) => [wordsOf(kind), decisionId]),
          ),
        ]),
    ...result.limits.map(
      ({ name, value, bound, passed }) =>
        `${passed ? 'passed' : 'failed'}: ${name} is ${value ?? 'unknown'} (limit ${bound})`,
    ),
    `Verdict: ${verdict}${reasons.length === 0 ? '' : ` (${reasons.map(wordsOf).join(', ')})`}`,
  ];
}

function exitCodeOf({ study }: Outcome): number {
  if (study === undefined) return exitCodes.ok;
  const { status, result } = study;
  if (status !== 'completed' || result === null || !isBacktest(result)) return exitCodes.refused;
  return result.verdict === 'ok' ? exitCodes.ok : exitCodes.differences;
}
