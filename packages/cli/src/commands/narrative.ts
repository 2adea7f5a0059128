import type { Operations } from '@arbiter/contract';
import type { CallBody } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

type Narrative = CallBody<Operations['decisions.narrative']>;

const modes = ['regulator', 'agent', 'customer'] as const;

export const narrative: Command = {
  name: 'narrative',
  summary: 'describe a decision in words',
  help: `Describe a decision in words: what was decided, why the first offer won, and what blocked the others.

Usage: arbiter narrative <id> [--mode regulator|agent|customer] [--no-cache] [flags]

Accepts a trace ID, a request ID or a recommendation ID. The decision needs a stored trace, and the tenant the setting
aiAnalyzerSettings.llmExplanationsEnabled.

Flags:
  --mode <reader>      regulator (default), agent or customer
  --no-cache           write it again even if it is cached

${connectionHelp}

Example:
  arbiter narrative 01a2029b-ab27-746e-9a7a-e14694d7b707 --mode customer`,
  options: { ...connectionOptions, mode: { type: 'string' }, 'no-cache': { type: 'boolean' } },
  async run(call) {
    const [id, ...more] = call.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('expects one ID');
    const given = call.flags.text('mode') ?? 'regulator';
    const mode = modes.find((one) => one === given);
    if (mode === undefined) throw new UsageError(`--mode must be one of ${modes.join(', ')}`);
    const body = { mode, noCache: call.flags.flag('no-cache') };
    return overHttp(call, (client) => client.decisions.narrative({ params: { id }, body }), {
      report: (answer) => report(call, answer),
    });
  },
};

function report(call: Call, { narrative: text, model, cached, fallback, checkFailures }: Narrative): void {
  call.print(typeof text === 'string' ? text : JSON.stringify(text, null, 2));
  call.print('');
  call.print(`Written by ${model}${cached ? ', cached' : ''}`);
  if (fallback) call.warn(`arbiter: warning: The language model's text was not used: ${checkFailures.join('; ')}.`);
}
