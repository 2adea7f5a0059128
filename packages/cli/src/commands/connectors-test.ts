import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';

export const connectorsTest: Command = {
  name: 'connectors test',
  summary: 'test the connection to a source',
  help: `Test the connection to a source. The connector's status becomes active or error.

Usage: arbiter connectors test <connector> [flags]

The connector is an ID or a name. Exits 0 when the test succeeds, 1 when it fails.

${connectionHelp}

Examples:
  arbiter connectors test "Billing database"
  arbiter connectors test "Billing database" --json`,
  options: connectionOptions,
  async run(call) {
    const [connector, ...more] = call.positionals;
    if (connector === undefined || more.length > 0) throw new UsageError('expects the ID or name of one connector');
    const ask = async (client: Client) =>
      client.connectors.test({ body: { id: await findConnector(client, connector) } });
    return overHttp(call, ask, {
      report({ reason, message, latencyMs, missing }) {
        call.print(`${reason}: ${message} (${latencyMs} ms)`);
        if (missing.length > 0) call.print(`  Missing settings: ${missing.join(', ')}`);
      },
      codeOf: ({ success }) => (success ? exitCodes.ok : exitCodes.refused),
    });
  },
};

/** Returns the connector's ID. A text that isn't a name counts as an ID, which the server checks. */
async function findConnector(client: Client, idOrName: string): Promise<string> {
  const { data } = await client.connectors.list({ query: { search: idOrName.slice(0, 255), limit: 100 } });
  return data.find(({ name }) => name === idOrName)?.id ?? idOrName;
}
