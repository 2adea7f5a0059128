import type { Operations } from '@arbiter/contract';
import type { CallBody } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

type Comparison = CallBody<Operations['decisions.replay']>;

export const replay: Command = {
  name: 'replay',
  summary: 'replay a recorded decision and compare the result',
  help: `Replay a recorded decision with its plan, inputs, time and seed, and compare the results. Only an audit row is stored.

Usage: arbiter replay <requestId> [flags]

Also accepts a recommendation ID or a trace ID. Exits 0 when the results are identical byte for byte, 4 when they differ.

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    const [id, ...more] = call.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('expects one request ID');
    return overHttp(call, (client) => client.decisions.replay({ params: { id }, body: {} }), {
      report: (answer) => report(call, id, answer),
      codeOf: (answer) => (answer.identical ? exitCodes.ok : exitCodes.differences),
    });
  },
};

function report(call: Call, id: string, answer: Comparison): void {
  if (answer.identical) {
    call.print(`Identical: ${id} replays to result hash ${answer.resultHash}`);
    return;
  }
  call.print(`Different: ${id} replays with ${count(answer.differences.length, 'difference')}`);
  for (const { path, recorded, replayed } of answer.differences) {
    call.print(`  ${path}: recorded ${JSON.stringify(recorded)}, replayed ${JSON.stringify(replayed)}`);
  }
  if (answer.engineVersion !== answer.recordedEngineVersion) {
    call.print(`Recorded by engine ${answer.recordedEngineVersion}, replayed by ${answer.engineVersion}`);
  }
}
