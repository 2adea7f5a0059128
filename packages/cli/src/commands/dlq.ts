import type { DeadLetterReport } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

/** The dead letters of the tenant, see docs/design/api-access.md 15 and 20. */
export const dlqList: Command = {
  name: 'dlq list',
  summary: 'jobs that used up their tries',
  help: `List the tenant's dead letters: jobs that used up their tries. The newest come first.

Usage: arbiter dlq list [flags]

  --topic <job>       only those of this job
  --limit <n>         lines, 50 unless said otherwise, 200 at most

${connectionHelp}`,
  options: { ...connectionOptions, topic: { type: 'string' }, limit: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    const limit = call.flags.integer('limit');
    const query = { ...topicOf(call), ...(limit === undefined ? {} : { limit }) };
    return overHttp(call, (client) => client.deadLetters.list({ query }), { report: (found) => report(call, found) });
  },
};

/** `dlq retry`: dead letters go back into the queue. */
export const dlqRetry: Command = {
  name: 'dlq retry',
  summary: 'put dead letters back into the queue',
  help: `Put dead letters back into the queue, the oldest first, 1,000 at most: those with the ids, those of the job, or all.

Usage: arbiter dlq retry [id...] [--topic <job>] [--all] [flags]

${connectionHelp}`,
  options: { ...connectionOptions, topic: { type: 'string' }, all: { type: 'boolean' } },
  run: (call) => act(call, 'retry'),
};

/** `dlq purge`: dead letters are deleted. */
export const dlqPurge: Command = {
  name: 'dlq purge',
  summary: 'delete dead letters',
  help: `Delete dead letters: those with the ids, those of the job, or all. What their jobs should have done stays undone.

Usage: arbiter dlq purge [id...] [--topic <job>] [--all] [flags]

${connectionHelp}`,
  options: { ...connectionOptions, topic: { type: 'string' }, all: { type: 'boolean' } },
  run: (call) => act(call, 'purge'),
};

/** Without a choice the API takes all of them; a command line that says nothing must not. */
async function act(call: Call, action: 'retry' | 'purge'): Promise<number> {
  const eventIds = [...call.positionals];
  const chosen = { ...(eventIds.length === 0 ? {} : { eventIds }), ...topicOf(call) };
  const isAll = call.flags.flag('all');
  if (isAll === Object.keys(chosen).length > 0) throw new UsageError('takes ids or --topic, or --all for all of them');
  return overHttp(call, (client) => client.deadLetters.act({ body: { action, ...chosen } }), {
    report: (done) =>
      call.print(done.action === 'retry' ? `${done.requeued} back in the queue` : `${done.deleted} deleted`),
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
  for (const line of tableLines(['id', 'job', 'tries', 'failed', 'error'], rows)) call.print(line);
}
