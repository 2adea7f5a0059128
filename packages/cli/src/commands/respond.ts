import type { RespondAnswer } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const respond: Command = {
  name: 'respond',
  summary: 'record what a customer did with an offer',
  help: `Record what a customer did with an item of a decision. The same event sent again is recorded once.

Usage: arbiter respond <recommendationId> <rank> <outcome> [flags]

The recommendation id and the ranks are those of the answer of recommend; the outcome is the key of an outcome type,
such as impression, click or convert.

  --value <amount>    value of the conversion
  --currency <code>   its currency, ISO 4217
  --key <text>        idempotency key, to tell two events apart that look alike

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
      throw new UsageError('takes a recommendation id, a rank and an outcome');
    }
    if (!/^[1-9]\d{0,3}$/.test(rank)) throw new UsageError(`the rank is a whole number from 1, not ${rank}`);
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
    throw new UsageError(`--value takes an amount such as 49.90, not ${value}`);
  return Number(value);
}

function report(call: Call, answer: RespondAnswer): void {
  const done = answer.status === 'duplicate' ? 'recorded before' : 'recorded';
  const offer = answer.offerName ?? answer.offerId ?? 'no offer';
  const channel = answer.channelName === null ? '' : ` on ${answer.channelName}`;
  call.print(`${done}: ${answer.outcome} (${answer.classification}) of ${answer.customerId} with ${offer}${channel}`);
  if (answer.impression !== null) call.print(`impression ${answer.impression.replaceAll('_', ' ')}`);
  call.print(`interaction ${answer.interactionId}`);
}
