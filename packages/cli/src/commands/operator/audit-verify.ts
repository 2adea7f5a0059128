import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditVerification } from '@arbiter/contract';
import { ApiError, type Client } from '@arbiter/sdk';
import { overHttp } from '../../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';

/** Number of rate limit responses in a row before the command gives up. */
const maximumWaits = 10;

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'verify the hash chain of the audit log',
  help: `Verify the tenant's audit log: the hash of every row, every link, and that no row is missing.

Usage: arbiter audit verify [flags]

  --all               verify the entire chain; default: the newest 100,000 rows
  --limit <n>         verify the newest n rows; with --all: rows per request

Long chains take several requests, and the command waits when it reaches the rate limit (10 requests a minute).
Exits 0 when the log is intact, 4 when it isn't.

${connectionHelp}`,
  options: {
    ...connectionOptions,
    all: { type: 'boolean' },
    limit: { type: 'string' },
  },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    const limit = call.flags.integer('limit');
    return overHttp(call, (client) => verifyPages(call, client, limit === undefined ? {} : { limit }), {
      report: (found) => report(call, found),
      codeOf: ({ intact }) => (intact ? exitCodes.ok : exitCodes.differences),
    });
  },
};

type Query = NonNullable<NonNullable<Parameters<Client['auditLogs']['verify']>[0]>['query']>;

/** Follows `nextSequence` to the end or the first break, and combines the pages into one result. */
async function verifyPages(call: Call, client: Client, query: Query): Promise<AuditVerification> {
  let page = await verifyPage(call, client, call.flags.flag('all') ? { ...query, fromSequence: 1 } : query);
  let { verified, scanned } = page;
  const { fromSequence } = page;
  while (page.intact && page.nextSequence !== null) {
    call.warn(`Verified ${verified} rows, continuing at row ${page.nextSequence}`);
    page = await verifyPage(call, client, { ...query, fromSequence: page.nextSequence });
    verified += page.verified;
    scanned += page.scanned;
  }
  return { ...page, verified, scanned, fromSequence };
}

async function verifyPage(call: Call, client: Client, query: Query): Promise<AuditVerification> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await client.auditLogs.verify({ query });
    } catch (error) {
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
      if (seconds === null || waits === maximumWaits) throw error;
      call.warn(`Rate limited, waiting ${seconds} s`);
      await sleep(seconds * 1000);
    }
  }
}

function report(call: Call, found: AuditVerification): void {
  const { intact, verified, total, fromSequence } = found;
  if (!intact) {
    const where = found.brokenAtId === undefined ? '' : ` at row ${found.brokenAtId}`;
    call.print(`Broken${where}: ${found.brokenReason ?? 'unknown'}. The ${verified} rows before it are intact.`);
    return;
  }
  call.print(`Intact: verified ${verified} of ${total} rows, from row ${fromSequence}`);
  if (fromSequence > 1) call.print(`Rows 1 to ${fromSequence - 1} weren't verified. Use --all to verify every row.`);
}
