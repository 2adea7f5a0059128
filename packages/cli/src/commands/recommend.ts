import type { RecommendAnswer } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

export const recommend: Command = {
  name: 'recommend',
  aliases: ['decide'],
  summary: 'decide what to show a customer',
  help: `Decide what to show a customer, as an application would. The decision is recorded and counts toward contact
policies, unless you pass --dry-run.

Usage: arbiter recommend <customerId> [flags]       (also: arbiter decide)

  --channel <type>    channel type, for example email
  --placement <key>   ID, key, name or slot type of the placement
  --limit <n>         maximum number of offers, 1 to 50
  --flow <key>        decision flow; default: the tenant's flow routes and default flow
  --dry-run           decide without storing anything

${connectionHelp}

Examples:
  arbiter recommend CM-000001 --channel email --limit 2
  arbiter recommend CM-000001 --dry-run --json`,
  options: {
    ...connectionOptions,
    channel: { type: 'string' },
    placement: { type: 'string' },
    limit: { type: 'string' },
    flow: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  async run(call) {
    const [customerId, ...more] = call.positionals;
    if (customerId === undefined || more.length > 0) throw new UsageError('expects one customer ID');
    const { flags } = call;
    const limit = flags.integer('limit');
    const body = {
      customerId,
      ...given('channel', flags.text('channel')),
      ...given('placement', flags.text('placement')),
      ...given('decisionFlowKey', flags.text('flow')),
      ...given('limit', limit),
      ...given('dryRun', flags.flag('dry-run') ? true : undefined),
    };
    return overHttp(call, (client) => client.decisions.recommend({ body }), {
      report: (answer) => report(call, answer),
    });
  },
};

function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value });
}

function report(call: Call, answer: RecommendAnswer): void {
  const flow = `${answer.decisionFlowKey}${answer.decisionFlowVersion === null ? '' : ` v${answer.decisionFlowVersion}`}`;
  const customer = answer.known
    ? answer.customerId
    : `${answer.customerId} (unknown customer: decided without attributes)`;
  call.print(`${customer}, flow ${flow}, ${answer.count} ${answer.count === 1 ? 'offer' : 'offers'}`);
  if (answer.count === 0) call.print(`No offer: ${answer.emptyReason ?? 'no candidate'}`);
  else {
    const rows = answer.decisions.map((item) => [
      String(item.rank),
      item.offerName ?? item.offerId,
      item.score?.toFixed(4) ?? '',
      [item.channelName, item.placementName].filter((name) => name != null).join(' / '),
      String(item.content?.subject ?? item.content?.headline ?? ''),
    ]);
    for (const line of tableLines(['rank', 'offer', 'score', 'channel', 'content'], rows)) call.print(line);
  }
  call.print(answer.dryRun ? 'Dry run: nothing was stored' : `Request ${answer.requestId}`);
  if (answer.recommendationId === null) return;
  call.print(`Recommendation ${answer.recommendationId}`);
  call.print(`To see why, run: arbiter trace ${answer.recommendationId}`);
}
