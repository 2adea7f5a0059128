import type { Operations } from '@arbiter/contract';
import type { CallBody } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';

type Comparison = CallBody<Operations['decisions.replay']>;

export const replay: Command = {
  name: 'replay',
  summary: 'decide again from the record and compare',
  help: `Run a recorded decision again, on the recorded plan, inputs, clock and seed, and compare the result with what
was decided then. Nothing is stored but an audit row.

Usage: arbiter replay <requestId> [flags]

The id may also be a recommendation id or a trace id. Exits 0 when both are identical to the byte, 4 when they differ.

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    const [id, ...more] = call.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('takes one request id');
    return overHttp(call, (client) => client.decisions.replay({ params: { id }, body: {} }), {
      report: (answer) => report(call, id, answer),
      codeOf: (answer) => (answer.identical ? exitCodes.ok : exitCodes.differences),
    });
  },
};

function report(call: Call, id: string, answer: Comparison): void {
  if (answer.identical) {
    call.print(`${id} replays identically, result hash ${answer.resultHash}`);
    return;
  }
  call.print(`${id} differs in ${answer.differences.length} places`);
  for (const { path, recorded, replayed } of answer.differences) {
    call.print(`  ${path}: recorded ${JSON.stringify(recorded)}, replayed ${JSON.stringify(replayed)}`);
  }
  if (answer.engineVersion !== answer.recordedEngineVersion) {
    call.print(`recorded by engine ${answer.recordedEngineVersion}, replayed by ${answer.engineVersion}`);
  }
}
