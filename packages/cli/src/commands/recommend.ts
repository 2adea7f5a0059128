import { type RecommendAnswer, type RecommendBatchAnswer, recommendBatchMaximum } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

export const recommend: Command = {
  name: 'recommend',
  aliases: ['decide'],
  summary: 'decide what to show customers',
  help: `Decide what to show up to ${recommendBatchMaximum} customers, as an application would. Decisions are recorded and count toward
contact policies, unless you pass --dry-run.

Usage: arbiter recommend <customerId>... [flags]       (also: arbiter decide)

  --channel <type>    channel type, for example email
  --placement <key>   ID, key, name or slot type of the placement
  --limit <n>         maximum number of offers, 1 to 50
  --flow <key>        decision flow; default: the tenant's flow routes and default flow
  --dry-run           decide without storing anything

${connectionHelp}

Examples:
  arbiter recommend CM-000001 --channel email --limit 2
  arbiter recommend CM-000001 CM-000002 CM-000003
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
    const [customerId, ...others] = call.positionals;
    if (customerId === undefined || others.length >= recommendBatchMaximum) {
      throw new UsageError(`expects 1 to ${recommendBatchMaximum} customer IDs`);
    }
    const { flags } = call;
    const limit = flags.integer('limit');
    const settings = {
      ...given('channel', flags.text('channel')),
      ...given('placement', flags.text('placement')),
      ...given('decisionFlowKey', flags.text('flow')),
      ...given('limit', limit),
      ...given('dryRun', flags.flag('dry-run') ? true : undefined),
    };
    if (others.length > 0) {
      const requests = call.positionals.map((each) => ({ customerId: each, ...settings }));
      return overHttp(call, (client) => client.decisions.recommendBatch({ body: { requests } }), {
        report: (answer) => reportMany(call, call.positionals, answer),
        codeOf: ({ failed }) => (failed === 0 ? exitCodes.ok : exitCodes.refused),
      });
    }
    return overHttp(call, (client) => client.decisions.recommend({ body: { customerId, ...settings } }), {
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

function reportMany(
  call: Call,
  customerIds: readonly string[],
  { results, decided, failed }: RecommendBatchAnswer,
): void {
  const rows = results.map(({ body }, at) => {
    if (!('decisions' in body)) return [customerIds[at] ?? '', '', body.error];
    const names = body.decisions.map(({ offerId, offerName }) => offerName ?? offerId);
    return [body.customerId, String(body.count), names.join(', ') || `no offer: ${body.emptyReason ?? 'no candidate'}`];
  });
  for (const line of tableLines(['customer', 'offers', 'result'], rows)) call.print(line);
  call.print(`Decided: ${decided}, failed: ${failed}`);
  const first = results
    .flatMap(({ body }) => ('recommendationId' in body ? [body.recommendationId] : []))
    .find(Boolean);
  if (first != null) call.print(`To see why, run: arbiter trace ${first}`);
}
