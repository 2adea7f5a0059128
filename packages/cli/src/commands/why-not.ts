import type { WhyNotAnswer } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const whyNot: Command = {
  name: 'why-not',
  summary: "explain why a customer doesn't see an offer",
  help: `Explain why a customer doesn't see an offer: every gate that blocks it, and the smallest changes that would show it. Each
change is verified by deciding again. Only an audit row is stored.

Usage: arbiter why-not <customerId> <offerId> [flags]

  --channel <type>    channel type, for example email
  --placement <key>   ID, key, name or slot type of the placement
  --limit <n>         maximum number of offers, 1 to 50; default 5
  --flow <key>        decision flow; default: the tenant's flow routes and default flow
  --decision <id>     explain this recorded decision of the customer instead of a new one

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
      throw new UsageError('expects a customer ID and an offer ID');
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
    if (status === 'blocked') call.print(`  blocked by ${name ?? stage} (${stage}): ${reason ?? 'no reason given'}`);
  }
  for (const flip of flips) call.print(`  would show it: ${wordsOf(flip)} -> rank ${flip.resultRank}`);
  if (search.truncated) call.print('  the search stopped early, so there may be more changes');
}

function wordsOf({ at, changes }: WhyNotAnswer['flips'][number]): string {
  if (at !== null) return `waiting until ${at}`;
  const text = ({ path, from, to, any }: (typeof changes)[number]): string =>
    path === 'segments'
      ? `member of ${String(to)}`
      : `${path} ${any === true ? 'present' : JSON.stringify(to)} instead of ${from === null ? 'nothing' : JSON.stringify(from)}`;
  return changes.map(text).join(', and ');
}
