import type { KeyObject } from 'node:crypto';
import type { cronOperations, MaintenanceAnswer, maintenanceOperations, TenantFailure } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { enqueueRuns, type JobRegistry } from '../../../jobs/index.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { deleteEnded } from '../../deciding/assignments/index.ts';
import { cutChain } from '../../identity/audit/index.ts';
import { selectTenantIds } from '../../identity/tenants/index.ts';
import { retentionOf } from '../retention/index.ts';
import type { ReapOutbox } from '../stream/index.ts';
import { type AnchorPorts, anchorChains } from './anchors.service.ts';
import { type CleanupPorts, cleanUp } from './cleanup.service.ts';
import { createRounds } from './every-tenant.ts';

/** Lets approvals expire that were asked for before `cutoff`, of all tenants; repeatable. `failed`: tenants whose part was not done. */
export type ExpireApprovals = () => Promise<{
  readonly cutoff: Date;
  readonly expired: number;
  readonly failed: readonly TenantFailure[];
}>;

export interface CronPorts extends AnchorPorts, CleanupPorts {
  readonly clock: Clock;
  readonly jobs: JobRegistry;
  readonly expireApprovals: ExpireApprovals;
  readonly reapOutbox: ReapOutbox;
  /** APPROVAL_MAX_AGE_HOURS. */
  readonly approvalMaxAgeHours: number;
}

/** No piece of work is begun when less than this is left until the answer must be there, in ms. */
const reserveMs = 1_500;

/** Handlers of what a scheduler outside calls (docs/design/api-access.md 14). */
export function cronRoutes(ports: CronPorts): Handlers<typeof cronOperations> {
  const { database, clock, onError } = ports;
  const cleaning = createRounds(database, 'cleanup', onError);
  const anchoring = createRounds(database, 'audit-anchor', onError);
  const timestamp = () => new Date(clock.now()).toISOString();
  const tookSince = (started: number) => Math.round(performance.now() - started);
  const answer = (started: number, processed: number, errors: TenantFailure[]): MaintenanceAnswer => ({
    ok: errors.length === 0,
    processed,
    errors,
    durationMs: tookSince(started),
    timestamp: timestamp(),
  });

  /** Puts a run of a tenant's job into the queue for each tenant, as the scheduler does: one that waits does for both. */
  async function runNow(name: string, until: number): Promise<MaintenanceAnswer> {
    const started = performance.now();
    const job = ports.jobs.get(name)?.job;
    if (job === undefined) throw new Error(`the job ${name} does not exist`);
    const count = await database.withSystem(
      'cron',
      async (tx) => {
        const ids = await selectTenantIds(tx);
        const payload = JSON.stringify({ ...Object(job.schedule?.payload), dueAt: tx.now.toISOString() });
        await enqueueRuns(tx, { job, payload, key: job.name, keepWaiting: true }, ids);
        return ids.length;
      },
      { until },
    );
    return answer(started, count, []);
  }

  return {
    async cleanup({ until }) {
      const cleaned = await cleanUp(ports, cleaning, until - reserveMs);
      const status = cleaned.perTenantErrors.length === 0 ? ('ok' as const) : ('partial' as const);
      return reply(200, { status, cleaned, timestamp: timestamp() });
    },
    async approvalsExpire() {
      const started = performance.now();
      const { expired, cutoff, failed } = await ports.expireApprovals();
      return reply(200, {
        status: failed.length === 0 ? ('ok' as const) : ('partial' as const),
        maxAgeHours: ports.approvalMaxAgeHours,
        cutoff: cutoff.toISOString(),
        expired,
        durationMs: tookSince(started),
        timestamp: timestamp(),
      });
    },
    async auditAnchor({ until }) {
      const started = performance.now();
      const { anchored, errors } = await anchorChains(ports, anchoring, until - reserveMs);
      return reply(200, answer(started, anchored, errors));
    },
    async outboxReaper({ until }) {
      const started = performance.now();
      const { published, errors, hasConsumer } = await ports.reapOutbox(until - reserveMs);
      const done = answer(started, published, [...errors]);
      return reply(200, { ...done, ok: done.ok && hasConsumer });
    },
    reservationsExpire: async ({ until }) => reply(200, await runNow('reservations.expire', until)),
    segmentsRefresh: async ({ until }) => reply(200, await runNow('segments.refresh', until)),
  };
}

export interface MaintenancePorts {
  /** Keys that sign checkpoints, the newest first. */
  readonly checkpointKeys: readonly KeyObject[];
}

const dayMs = 86_400_000;

/** Deletes assignments that have ended, slice by slice, as far as the time allows; the nightly job does the rest. */
async function deleteAllEnded(tx: Tx, until: number): Promise<number> {
  let rows = 0;
  for (;;) {
    const slice = await deleteEnded(tx);
    rows += slice.rows;
    if (!slice.more || performance.now() > until - reserveMs) return rows;
  }
}

/** Handlers of what an administrator has deleted by hand. */
export function maintenanceRoutes({ checkpointKeys }: MaintenancePorts): Handlers<typeof maintenanceOperations> {
  return {
    async cleanup(tx, { until }) {
      const { days, legalHold } = await retentionOf(tx, 'audit');
      const before = legalHold ? null : new Date(tx.now.getTime() - days * dayMs);
      const oldAuditLogs = await cutChain(tx, checkpointKeys, before, until);
      return reply(200, { cleaned: { expiredVariantAssignments: await deleteAllEnded(tx, until), oldAuditLogs } });
    },
  };
}
