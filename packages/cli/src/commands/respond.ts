import type { RespondAnswer } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const respond: Command = {
  name: 'respond',
  summary: "record a customer's response to an offer",
  help: `Record a customer's response to an item of a decision. Sending the same event twice records it once.

Usage: arbiter respond <recommendationId> <rank> <outcome> [flags]

Recommendation ID and rank come from the output of recommend. The outcome is the key of an outcome type, such as
impression, click or convert.

  --value <amount>    conversion value
  --currency <code>   currency of the value, ISO 4217
  --key <text>        idempotency key, to record two similar events separately

${connectionHelp}

Examples:
  arbiter respond 01a2029b-ab27-746e-9a7a-e14694d7b707 1 click
  arbiter respond 01a2029b-ab27-746e-9a7a-e14694d7b707 2 convert --value 49.90 --currency EUR`,
  options: {
    ...connectionOptions,
    value: { type: 'string' },
    currency: { type: 'string' },
    key: { type: 'string' },
  },
  async run(call) {
    const [recommendationId, rank, outcome, ...more] = call.positionals;
    if (recommendationId === undefined || rank === undefined || outcome === undefined || more.length > 0) {
      throw new UsageError('expects a recommendation ID, a rank and an outcome');
    }
    if (!/^[1-9]\d{0,3}$/.test(rank)) throw new UsageError(`rank must be a whole number from 1, not ${rank}`);
    const value = amountOf(call);
    const currency = call.flags.text('currency');
    const idempotencyKey = call.flags.text('key');
    const body = {
      recommendationId,
      rank: Number(rank),
      outcome,
      ...(value === undefined ? {} : { conversionValue: value }),
      ...(currency === undefined ? {} : { currency }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    return overHttp(call, (client) => client.decisions.respond({ body }), {
      report: (answer) => report(call, answer),
    });
  },
};

function amountOf(call: Call): number | undefined {
  const value = call.flags.text('value');
  if (value === undefined) return undefined;
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(value))
    throw new UsageError(`--value must be an amount such as 49.90, not ${value}`);
  return Number(value);
}

function report(call: Call, answer: RespondAnswer): void {
  const done = answer.status === 'duplicate' ? 'Already recorded' : 'Recorded';
  const offer = answer.offerName ?? answer.offerId ?? 'no offer';
  const channel = answer.channelName === null ? '' : ` on ${answer.channelName}`;
  call.print(`${done}: ${answer.outcome} (${answer.classification}) by ${answer.customerId} for ${offer}${channel}`);
  if (answer.impression !== null) call.print(`Impression ${answer.impression.replaceAll('_', ' ')}`);
  call.print(`Interaction ${answer.interactionId}`);
}
