import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditVerification } from '@arbiter/contract';
import { ApiError, type Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';

/** So often in a row the server may ask to come back later, before its refusal counts. */
const maximumWaits = 10;

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'check the hash chain of the audit log',
  help: `Check the tenant's audit log: every row's hash, every link between rows, no row missing, the noted end.

Usage: arbiter audit verify [flags]

  --all               the whole chain, however long; without it the newest rows, 100,000 at most
  --limit <n>         the newest n rows; with --all, rows in one request

Long chains are checked in several requests; when the server asks to wait (10 requests in a minute are allowed), the
command waits. Exits 0 when the log is as it was written, 4 when it is not.

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

/** Follows `nextSequence` to the end or the first break, and answers as one check of all those rows would. */
async function verifyPages(call: Call, client: Client, query: Query): Promise<AuditVerification> {
  let page = await verifyPage(call, client, call.flags.flag('all') ? { ...query, fromSequence: 1 } : query);
  let { verified, scanned } = page;
  const { fromSequence } = page;
  while (page.intact && page.nextSequence !== null) {
    call.warn(`${verified} rows checked, going on with row ${page.nextSequence}`);
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
      call.warn(`the server asks to wait ${seconds} s`);
      await sleep(seconds * 1000);
    }
  }
}

function report(call: Call, found: AuditVerification): void {
  const { intact, verified, total, fromSequence } = found;
  if (!intact) {
    const where = found.brokenAtId === undefined ? '' : ` at row ${found.brokenAtId}`;
    call.print(`BROKEN${where}: ${found.brokenReason ?? 'unknown'}; ${verified} rows before it are right`);
    return;
  }
  call.print(`intact: ${verified} of ${total} rows checked, from row ${fromSequence}`);
  if (fromSequence > 1) call.print(`rows 1 to ${fromSequence - 1} were not checked; --all checks every row`);
}
