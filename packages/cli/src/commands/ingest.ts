import { type IngestAnswer, type IngestRequest, ingestEventTypes } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const ingest: Command = {
  name: 'ingest',
  summary: 'report a customer event',
  help: `Report a customer event. Matching triggers fire, and journeys react.

Usage: arbiter ingest <customerId> <type> [flags]

The type is one of ${ingestEventTypes.join(', ')}.

  --data <json>        details of the event, as a JSON object
  --channel <text>     channel of the event
  --at <instant>       when it happened, RFC 3339 with zone; default: now
  --key <text>         idempotency key, so that sending it again reports it once

${connectionHelp}

Examples:
  arbiter ingest CM-000001 purchase --data '{"amount":49.9}'
  arbiter ingest CM-000001 cart_abandon --channel web --key cart-8891`,
  options: {
    ...connectionOptions,
    data: { type: 'string' },
    channel: { type: 'string' },
    at: { type: 'string' },
    key: { type: 'string' },
  },
  async run(call) {
    const [customerId, type, ...more] = call.positionals;
    if (customerId === undefined || type === undefined || more.length > 0) {
      throw new UsageError('expects a customer ID and an event type');
    }
    const known = ingestEventTypes.find((each) => each === type);
    if (known === undefined) throw new UsageError(`type must be one of ${ingestEventTypes.join(', ')}, not ${type}`);
    const data = dataOf(call);
    const channel = call.flags.text('channel');
    const timestamp = call.flags.text('at');
    const body: IngestRequest = {
      ...{ customerId, type: known },
      ...(data === undefined ? {} : { data }),
      ...(channel === undefined ? {} : { channel }),
      ...(timestamp === undefined ? {} : { timestamp }),
    };
    const idempotencyKey = call.flags.text('key');
    const input = idempotencyKey === undefined ? { body } : { body, idempotencyKey };
    return overHttp(call, (client) => client.events.ingest(input), {
      report: (answer) => report(call, answer),
    });
  },
};

function dataOf(call: Call): Record<string, unknown> | undefined {
  const text = call.flags.text('data');
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below, like JSON of another type.
  }
  throw new UsageError('--data must be a JSON object');
}

function report(call: Call, answer: IngestAnswer): void {
  const place = answer.streamId === null ? 'not in the stream yet' : `position ${answer.streamId}`;
  call.print(`Reported: ${answer.eventType} of ${answer.customerId}, ${place}`);
  for (const { actionType, triggerId } of answer.actionsDispatched) call.print(`Fired: ${actionType} (${triggerId})`);
  for (const { actionType, triggerId, error } of answer.actionErrors ?? []) {
    call.warn(`Failed: ${actionType} (${triggerId}): ${error}`);
  }
  if (answer.triggersMatched.length === 0) call.print('No trigger fired');
}
