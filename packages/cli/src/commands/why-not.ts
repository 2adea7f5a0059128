import type { WhyNotAnswer } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const whyNot: Command = {
  name: 'why-not',
  summary: 'ask why a customer is not shown an offer',
  help: `Ask why a customer is not shown an offer: every gate that refuses it, and the smallest changes that would put it into
the answer. Each change was decided again before it is told. Nothing is stored but an audit row.

Usage: arbiter why-not <customerId> <offerId> [flags]

  --channel <type>    channel type, for example email
  --placement <key>   placement: id, key, name or slot type
  --limit <n>         how many offers the answer may have, 1 to 50 (5)
  --flow <key>        decision flow; without it the tenant's routes and default decide
  --decision <id>     ask of this recorded decision of the customer, not of now

${connectionHelp}`,
  options: {
    ...connectionOptions,
    channel: { type: 'string' },
    placement: { type: 'string' },
    limit: { type: 'string' },
    flow: { type: 'string' },
    decision: { type: 'string' },
  },
  async run(call) {
    const [customerId, offerId, ...more] = call.positionals;
    if (customerId === undefined || offerId === undefined || more.length > 0) {
      throw new UsageError('takes a customer id and an offer id');
    }
    const { flags } = call;
    const query = {
      ...given('channel', flags.text('channel')),
      ...given('placement', flags.text('placement')),
      ...given('flowId', flags.text('flow')),
      ...given('limit', flags.integer('limit')),
      ...given('decisionId', flags.text('decision')),
    };
    return overHttp(call, (client) => client.customers.whyNot({ params: { customerId, offerId }, query }), {
      report: (answer) => report(call, answer),
    });
  },
};

function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value });
}

function report(call: Call, { summary, gates, flips, search }: WhyNotAnswer): void {
  call.print(summary);
  for (const { status, stage, name, reason } of gates) {
    if (status === 'blocked') call.print(`  refused by ${name ?? stage} (${stage}): ${reason ?? 'no reason given'}`);
  }
  for (const flip of flips) call.print(`  would do: ${wordsOf(flip)} -> rank ${flip.resultRank}`);
  if (search.truncated) call.print('  the search ended before everything was tried');
}

function wordsOf({ at, changes }: WhyNotAnswer['flips'][number]): string {
  if (at !== null) return `waiting until ${at}`;
  const text = ({ path, from, to, any }: (typeof changes)[number]): string =>
    path === 'segments'
      ? `a member of ${String(to)}`
      : `${path} ${any === true ? 'present' : JSON.stringify(to)} instead of ${from === null ? 'nothing' : JSON.stringify(from)}`;
  return changes.map(text).join(', and ');
}
