import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

export const metricsCompute: Command = {
  name: 'metrics compute',
  summary: 'compute the values of a behavioral metric',
  help: `Compute the values of a behavioral metric for all customers.

Usage: arbiter metrics compute <metric> [flags]

The metric is an ID, a key or a name.

${connectionHelp}

Examples:
  arbiter metrics compute contacts_30d
  arbiter metrics compute "Contacts 30d" --json`,
  options: connectionOptions,
  async run(call) {
    const [metric, ...more] = call.positionals;
    if (metric === undefined || more.length > 0) throw new UsageError('expects the ID, key or name of one metric');
    const ask = async (client: Client) =>
      client.behavioralMetrics.compute({ params: { id: await findMetric(client, metric) } });
    return overHttp(call, ask, {
      report: ({ valueCount }) => call.print(`Computed ${count(valueCount, 'value')} of ${metric}.`),
    });
  },
};

/** Returns the metric's ID. Text that matches no key or name is used as an ID, which the server checks. */
async function findMetric(client: Client, text: string): Promise<string> {
  const { data } = await client.behavioralMetrics.list({ query: { limit: 200 } });
  return data.find(({ key, name }) => key === text || name === text)?.id ?? text;
}
