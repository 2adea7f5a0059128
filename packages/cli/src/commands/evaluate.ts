import type { EvaluationRequest, EvaluationResult, Study } from '@arbiter/contract';
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
const defaultDays = 28;

export const evaluate: Command = {
  name: 'evaluate',
  summary: 'estimate what a draft would have earned',
  help: `Estimate what the draft of a flow would have earned per decision, from past decisions.

Usage: arbiter evaluate <flow> [flags]

The flow is an ID or a key. It must have explored. Exits 0 when the verdict is ok or bounded, 4 when it is refused, 1 when the
evaluation fails.

  --reward <reward>    positive, convert, value or the key of an outcome (default: convert)
  --reward-days <n>    days after a decision in which responses count (default: 7)
  --version <n>        evaluate a published version instead of the draft
  --days <n>           use the last n days (default: ${defaultDays})
  --from, --to <time>  use another range: dates or timestamps
  --overlay <path>     try changes to the catalogue: a folder with changed files of policy as code, or a JSON file:
                       [{ "kind", "key", "patch" }]
  --confidence <c>     confidence level of the intervals, 0.8 to 0.99 (default: 0.95)
  --clip <w>           maximum weight of a decision (default: 100)
  --max <n>            use at most n decisions, oldest first
  --wait               wait for the result

${connectionHelp}

Examples:
  arbiter evaluate next-best-offer --wait
  arbiter evaluate next-best-offer --reward value --days 60 --overlay changes.json --wait --json`,
  options: {
    ...connectionOptions,
    reward: { type: 'string' },
    'reward-days': { type: 'string' },
    version: { type: 'string' },
    days: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    overlay: { type: 'string' },
    confidence: { type: 'string' },
    clip: { type: 'string' },
    max: { type: 'string' },
    wait: { type: 'boolean' },
  },
  async run(call) {
    const [flow, ...more] = call.positionals;
    if (flow === undefined || more.length > 0) throw new UsageError('expects the ID or key of one flow');
    const body = await bodyOf(call);
    const ask = async (client: Client): Promise<Outcome> => {
      const { studyId } = await client.evaluations.start({ params: { id: flow }, body });
      return call.flags.flag('wait') ? { studyId, study: await followStudy(call, client, studyId) } : { studyId };
    };
    return overHttp(call, ask, { report: (outcome) => report(call, outcome), codeOf: exitCodeOf });
  },
};

async function bodyOf({ flags }: Call): Promise<EvaluationRequest> {
  const [days, max, clip] = [flags.integer('reward-days'), flags.integer('max'), numberIn(flags, 'clip')];
  const confidence = numberIn(flags, 'confidence');
  const overlay = flags.text('overlay');
  const now = Date.now();
  return {
    version: flags.integer('version') ?? 'draft',
    from: flags.text('from') ?? new Date(now - (flags.integer('days') ?? defaultDays) * dayMs).toISOString(),
    to: flags.text('to') ?? new Date(now).toISOString(),
    reward: flags.text('reward') ?? 'convert',
    ...(overlay === undefined ? {} : { overlay: await readOverlay(overlay) }),
    ...(days === undefined ? {} : { rewardDays: days }),
    ...(max === undefined ? {} : { maxDecisions: max }),
    ...(clip === undefined ? {} : { clip }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

/** The server checks the range. */
function numberIn(flags: Call['flags'], name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`--${name} must be a number`);
  return number;
}

function report(call: Call, { studyId, study }: Outcome): void {
  if (study === undefined) {
    call.print(`Evaluation of ${call.positionals[0]} is queued: ${studyId}`);
    return;
  }
  const { status, error, result } = study;
  if (result === null || !isEvaluation(result)) {
    call.print(endOf('evaluation', status, error));
    return;
  }
  for (const line of linesOf(result)) call.print(line);
}

const isEvaluation = (result: NonNullable<Study['result']>): result is EvaluationResult => 'headline' in result;

type Bounds = EvaluationResult['logged'];

const figure = (value: number | null): string => (value === null ? '-' : value.toPrecision(4));
const rowOf = (name: string, { value, ciLower, ciUpper }: Bounds): string[] => [
  name,
  figure(value),
  `${figure(ciLower)} to ${figure(ciUpper)}`,
];

function linesOf(result: EvaluationResult): string[] {
  const { decisions, customers, headline, estimates, logged, delta, verdict, reasons, needed } = result;
  const excluded = Object.entries(result.excluded.notEvaluable).filter(([, number]) => number > 0);
  const own = estimates?.[headline];
  const rows = [
    rowOf('logged', logged),
    ...(own === undefined ? [] : [rowOf('draft', own)]),
    ...(delta === null ? [] : [rowOf('difference', delta)]),
  ];
  return [
    `Reward per decision (${result.reward}), from ${count(decisions, 'decision')} of ${count(customers, 'customer')}.`,
    ...(excluded.length === 0
      ? []
      : [`Left out: ${excluded.map(([reason, number]) => `${number} ${wordsOf(reason)}`).join(', ')}`]),
    '',
    ...tableLines(['', 'ESTIMATE', 'INTERVAL'], rows),
    '',
    `Verdict: ${verdict}${reasons.length === 0 ? '' : ` (${reasons.map(wordsOf).join(', ')})`}`,
    ...(needed === null ? [] : [adviceOf(needed)]),
  ];
}

function adviceOf({ explore, days, from }: NonNullable<EvaluationResult['needed']>): string {
  if (from !== null) return `The draft's models were trained on these outcomes. Use decisions from ${from} on.`;
  const ways = [
    ...(explore === null ? [] : [`explore at a rate of ${figure(explore)}`]),
    ...(days === null ? [] : [`use ${count(days, 'day')} of decisions`]),
  ];
  return ways.length === 0 ? "More decisions alone won't help." : `To get an estimate, ${ways.join(' or ')}.`;
}

function exitCodeOf({ study }: Outcome): number {
  if (study === undefined) return exitCodes.ok;
  const { status, result } = study;
  if (status !== 'completed' || result === null || !isEvaluation(result)) return exitCodes.refused;
  return result.verdict === 'refused' ? exitCodes.differences : exitCodes.ok;
}
