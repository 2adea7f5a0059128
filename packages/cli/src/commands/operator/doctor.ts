import { ApiError, type Client } from '@arbiter/sdk';
import { overHttp } from '../../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { tableLines } from '../../table.ts';

/** Result of one check. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
}

/** A larger clock difference breaks windows and lifetimes. */
const maxClockMs = 5_000;

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the health of a server',
  help: `Check the health of a server: readiness (database, migrations, database role, queue, scheduler), row-level security on
every table, the clock difference to this machine, dead letters and the audit chain.

Usage: arbiter doctor [flags]

Requires an admin key. Exits 0 when all checks pass, 4 when one fails.

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
          ? `${summary.rlsForced} of ${summary.totalTables} tables protected`
          : `missing on ${summary.missingRLS.join(', ')}`,
    },
    { name: 'clock', ok: clockMs <= maxClockMs, found: `${(clockMs / 1000).toFixed(1)} s difference` },
    { name: 'dead letters', ok: alert === 'OK', found: `${totalEvents} (${alert})` },
    {
      name: 'audit chain',
      ok: chain.intact,
      found: chain.intact
        ? `${chain.verified} of ${chain.total} rows verified`
        : `${chain.brokenReason} at ${chain.brokenAtId ?? 'a missing row'}`,
    },
  ];
}

/** Returns how far an instant lies outside a time span, in ms. */
function awayFrom(at: number, from: number, to: number): number {
  return Math.max(0, from - at, at - to);
}

/** Returns the checks of `/ready`. A server that isn't ready responds with 503 and the same body. */
async function readiness(client: Client): Promise<Check[]> {
  try {
    const { checks } = await client.system.ready();
    return Object.entries(checks).map(([name, found]) => ({ name, ok: found !== 'failed', found }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    return [{ name: 'ready', ok: false, found: 'not ready; see /api/v1/ready for the reason' }];
  }
}

function report(call: Call, checks: readonly Check[]): void {
  const rows = checks.map(({ name, ok, found }) => [ok ? 'ok' : 'FAILED', name, found]);
  for (const line of tableLines(['', 'check', 'result'], rows)) call.print(line);
  const failed = checks.filter(({ ok }) => !ok).length;
  call.print(failed === 0 ? 'All checks passed' : `${failed} of ${checks.length} checks failed`);
}
