import { ApiError, type Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { tableLines } from '../table.ts';

/** One thing that was looked at. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
}

/** Clocks that differ by more make windows and lifetimes wrong. */
const mostClockMs = 5_000;

export const doctor: Command = {
  name: 'doctor',
  summary: 'look whether a server is in order',
  help: `Look whether a server is in order: it is ready (database, migrations, database role, queue, scheduler), every table is
under row-level security, its clock and this machine's agree, no dead letters wait, and the audit chain is intact.

Usage: arbiter doctor [flags]

Needs the key of an administrator. Exits 0 when all is well, 4 when something is not.

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError('takes no arguments');
    return overHttp(call, examine, {
      report: (checks) => report(call, checks),
      codeOf: (checks) => (checks.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.differences),
    });
  },
};

async function examine(client: Client): Promise<Check[]> {
  const { version, uptimeSeconds } = await client.system.health();
  const started = Date.now();
  const { summary, timestamp } = await client.adminRls.report();
  const answered = Date.now();
  const { totalEvents, alert } = await client.deadLetters.list({ query: { limit: 1 } });
  const chain = await client.auditLogs.verify();
  const unforced = summary.totalTables - summary.rlsForced;
  const clockMs = awayFrom(Date.parse(timestamp), started, answered);
  return [
    { name: 'start', ok: true, found: `version ${version}, up for ${uptimeSeconds} s` },
    ...(await readiness(client)),
    {
      name: 'rls',
      ok: summary.missingRLS.length === 0 && unforced === 0,
      found:
        summary.missingRLS.length === 0
          ? `${summary.rlsForced} of ${summary.totalTables} tables are forced`
          : `missing on ${summary.missingRLS.join(', ')}`,
    },
    { name: 'clock', ok: clockMs <= mostClockMs, found: `${(clockMs / 1000).toFixed(1)} s apart` },
    { name: 'dead letters', ok: alert === 'OK', found: `${totalEvents} (${alert})` },
    {
      name: 'audit chain',
      ok: chain.intact,
      found: chain.intact
        ? `${chain.verified} of ${chain.total} rows checked`
        : `${chain.brokenReason} at ${chain.brokenAtId ?? 'a row that is missing'}`,
    },
  ];
}

/** How far an instant lies outside a span of time, in ms. */
function awayFrom(at: number, from: number, to: number): number {
  return Math.max(0, from - at, at - to);
}

/** What `/ready` says; a server that is not ready answers 503 with the same body. */
async function readiness(client: Client): Promise<Check[]> {
  try {
    const { checks } = await client.system.ready();
    return Object.entries(checks).map(([name, found]) => ({ name, ok: found !== 'failed', found }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    return [{ name: 'ready', ok: false, found: 'the server says that it is not ready; /api/v1/ready says why' }];
  }
}

function report(call: Call, checks: readonly Check[]): void {
  const rows = checks.map(({ name, ok, found }) => [ok ? 'ok' : 'BAD', name, found]);
  for (const line of tableLines(['', 'check', 'found'], rows)) call.print(line);
  const bad = checks.filter(({ ok }) => !ok).length;
  call.print(bad === 0 ? 'all is well' : `${bad} of ${checks.length} are not in order`);
}
