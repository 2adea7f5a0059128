import type { DeadLetterReport } from '@arbiter/contract';
import { overHttp } from '../../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';
import { tableLines } from '../../table.ts';

/** Dead letters of the tenant (docs/design/api-access.md, sections 15 and 20). */
export const dlqList: Command = {
  name: 'dlq list',
  summary: 'list dead letters (failed jobs)',
  help: `List the tenant's dead letters, newest first: jobs that failed after their last retry.

Usage: arbiter dlq list [flags]

  --topic <job>       only dead letters of this job
  --limit <n>         number of lines, up to 200; default 50

${connectionHelp}`,
  options: { ...connectionOptions, topic: { type: 'string' }, limit: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    const limit = call.flags.integer('limit');
    const query = { ...topicOf(call), ...(limit === undefined ? {} : { limit }) };
    return overHttp(call, (client) => client.deadLetters.list({ query }), { report: (found) => report(call, found) });
  },
};

/** `dlq retry`: requeues dead letters. */
export const dlqRetry: Command = {
  name: 'dlq retry',
  summary: 'requeue dead letters',
  help: `Requeue dead letters, oldest first, up to 1,000: by ID, by job, or all.

Usage: arbiter dlq retry [id...] [--topic <job>] [--all] [flags]

${connectionHelp}`,
  options: { ...connectionOptions, topic: { type: 'string' }, all: { type: 'boolean' } },
  run: (call) => act(call, 'retry'),
};

/** `dlq purge`: deletes dead letters. */
export const dlqPurge: Command = {
  name: 'dlq purge',
  summary: 'delete dead letters',
  help: `Delete dead letters: by ID, by job, or all. Their jobs will never run.

Usage: arbiter dlq purge [id...] [--topic <job>] [--all] [flags]

${connectionHelp}`,
  options: { ...connectionOptions, topic: { type: 'string' }, all: { type: 'boolean' } },
  run: (call) => act(call, 'purge'),
};

/** Requires a selection: without one, the API would act on every dead letter. */
async function act(call: Call, action: 'retry' | 'purge'): Promise<number> {
  const eventIds = [...call.positionals];
  const chosen = { ...(eventIds.length === 0 ? {} : { eventIds }), ...topicOf(call) };
  const isAll = call.flags.flag('all');
  if (isAll === Object.keys(chosen).length > 0)
    throw new UsageError('pass IDs or --topic, or --all for every dead letter');
  return overHttp(call, (client) => client.deadLetters.act({ body: { action, ...chosen } }), {
    report: (done) => call.print(done.action === 'retry' ? `Requeued ${done.requeued}` : `Deleted ${done.deleted}`),
  });
}

function topicOf(call: Call): { readonly topic?: string } {
  const topic = call.flags.text('topic');
  return topic === undefined ? {} : { topic };
}

function report(call: Call, { totalEvents, alert, byTopic, events }: DeadLetterReport): void {
  const topics = Object.entries(byTopic).map(([topic, count]) => `${topic} ${count}`);
  call.print(`${alert}: ${totalEvents} dead letters${topics.length === 0 ? '' : ` (${topics.join(', ')})`}`);
  if (events.length === 0) return;
  const rows = events.map(({ id, topic, retryCount, failedAt, error }) => [
    id,
    topic,
    String(retryCount),
    failedAt,
    error,
  ]);
  for (const line of tableLines(['id', 'job', 'attempts', 'failed at', 'error'], rows)) call.print(line);
}
