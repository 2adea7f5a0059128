import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { overHttp } from '../api.ts';
import { type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const proof: Command = {
  name: 'proof',
  summary: 'save the proof of a decision as one HTML file',
  help: `Save the proof of a decision as one HTML file that replays it in any browser, without a network. The file contains
customer data and the plan. Requires the editor role. Each download is audited.

Usage: arbiter proof <requestId> --out <file> [flags]

Also accepts a recommendation ID or a trace ID.

Flags:
  --out <file>   where to save the file; replaces an existing one

${connectionHelp}`,
  options: { ...connectionOptions, out: { type: 'string' } },
  async run(call) {
    const [id, ...more] = call.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('expects one request ID');
    const out = call.flags.text('out');
    if (out === undefined) throw new UsageError('expects --out <file>');
    const save = async (client: Parameters<Parameters<typeof overHttp>[1]>[0]) => {
      await writeFile(resolve(out), await client.decisions.proof({ params: { id } }));
      return { file: out };
    };
    return overHttp(call, save, {
      report: ({ file }) => call.print(`Saved the proof of ${id} to ${file}. Open it in a browser to check it.`),
    });
  },
};
