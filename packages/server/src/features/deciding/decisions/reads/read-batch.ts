import type { Warning } from '@arbiter/contract';
import type { Evidence, ObjectiveCounts, Plan, ZoneClock } from '@arbiter/engine';
import type { HotTransaction } from '../../../../db/index.ts';
import { instantFrom } from '../../../../platform/time/clock.ts';
import type { HeldStates } from '../../../catalogue/models/index.ts';
import type { Membership } from '../../../catalogue/segments/index.ts';
import {
  type BatchCustomer,
  type BatchCustomers,
  fillLog,
  instantFor,
  isLogShort,
  makeMissing,
  takeCustomers,
} from '../../customer-states/index.ts';
import { evidenceView } from '../../evidence/index.ts';
import { type LiveFlow, StaleCatalogue, type TenantCatalogue } from '../../plans/index.ts';
import { volumeNames } from '../../volumes/index.ts';
import type { DecidePorts } from '../recommend/decide-ports.ts';
import { openQuota, type QuotaInBatch } from '../recommend/playground-quota.ts';
import type { VolumeWatch } from '../volumes/volume-watch.ts';
import { type HeldVolumes, openVolumes, type VolumesInBatch } from '../volumes/volumes-in-batch.ts';
import { type BatchAssignments, readAgain, takeAssignments } from './assignment-reads.ts';
import type { BatchQuestion } from './batch-question.ts';
import { planBatchReads } from './batch-statements.ts';
import { readModels } from './model-inputs.ts';
import type { Profile } from './profile-reads.ts';
import { readUnread } from './unread-schemas.ts';

type ZoneClocks = Readonly<Record<string, ZoneClock>>;

/** What a batch's decisions are made from. */
export interface BatchRead {
  /** The instant of the batch in epoch ms: the database's, or the one that the caller named. */
  readonly now: number;
  readonly isNamed: boolean;
  /** The instant of a customer's decisions: the one that was named, else see `instantFor`. */
  readonly nowOf: (customer: Pick<BatchCustomer, 'state'> | null) => number;
  /** Clocks of a plan's zones at an instant, by zone. */
  readonly zonesOf: (plan: Plan, now: number) => ZoneClocks;
  /** Without those that another transaction holds. Customers with dry runs only are not locked, and may have no state. */
  readonly customers: BatchCustomers;
  /** Customers to lock, whether that worked or not. */
  readonly stored: ReadonlySet<string>;
  /** One per prepared job, in order. */
  readonly profiles: readonly Profile[];
  /** What the flows of calls with `debug` don't read. */
  readonly unread: ReadonlyMap<LiveFlow, readonly Warning[]>;
  /** Likewise; empty when no flow of the batch reads segments. */
  readonly memberships: readonly Membership[];
  readonly evidence: Evidence;
  /** Learned model states; null when no learning model scores a flow of the batch. */
  readonly modelStates: HeldStates | null;
  /** Counts for ranking objectives; null when no flow of the batch needs them. */
  readonly objectiveCounts: ObjectiveCounts | null;
  /** Offers without stock left; empty when no flow of the batch tracks any. */
  readonly soldOut: readonly string[];
  /** Variants of experiments. */
  readonly assignments: BatchAssignments;
  /** Null when the plans count nothing over all customers. */
  readonly volumes: VolumesInBatch | null;
  /** Null for a tenant that is no playground. */
  readonly quota: QuotaInBatch | null;
  /** ms since this process last knew the catalogue to be the newest. */
  readonly configAgeMs: number;
  /** ms since the process last knew its evidence to be the newest. */
  readonly evidenceAgeMs: number;
}

export interface ReadOptions {
  /** Wait for customers that another transaction holds, instead of leaving them out. */
  readonly wait: boolean;
  /** The catalogue was read after the requests came in, so it need not be the newest. */
  readonly isFresh: boolean;
  /** Volumes to hold from the beginning. */
  readonly hold: HeldVolumes;
  /** Instant that the caller names, in epoch ms; left out: the database's. */
  readonly at?: number;
}

/** What reading needs from the rest of the server. */
export type ReadPorts = Pick<
  DecidePorts,
  | 'catalogues'
  | 'evidence'
  | 'keys'
  | 'clock'
  | 'zoneClock'
  | 'batchStage'
  | 'models'
  | 'modelBreaker'
  | 'objectiveCounts'
>;

/**
 * Locks and reads the customers of a batch, and reads all else that its decisions need: one round trip, and one more for
 * each of customers never seen, looked-up rows, a playground's quota, volumes with little left and a log that is too short.
 * Throws `StaleCatalogue` when the catalogue is neither fresh nor the newest, `MissingVolumes` when there are some to make.
 */
export async function readBatch(
  ports: ReadPorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  prepared: readonly BatchQuestion[],
  { wait, isFresh, hold, at }: ReadOptions,
): Promise<BatchRead> {
  const { tenantId } = catalogue;
  const startedAt = performance.now();
  // About now. What decides is the instant that the database returns with the customers.
  const near = at ?? ports.clock.now();
  // Before locking any row: usually this is in memory, and if it must be read, no other request waits for a lock.
  const needsCounts = prepared.some(({ flow }) => flow.plan.reads.objectiveCounts);
  const objectiveCounts = needsCounts ? await ports.objectiveCounts.get(tenantId, catalogue.version, near) : null;
  const reads = planBatchReads(catalogue, prepared, wait, near);
  const { stored, watch } = reads;
  const sentAt = performance.now();
  const rows = reads.split(await tx.send(reads.statements));
  const { newest } = rows;
  if (Number(newest.version) === catalogue.version) ports.catalogues.confirmed(tenantId);
  else if (!isFresh || (stored.size > 0 && (await missesVolumes(tx, tenantId, watch))))
    throw new StaleCatalogue(Number(newest.version));
  ports.evidence.newestIs(tenantId, Number(newest.evidence));
  const modelStates = await readModels(ports, catalogue, prepared);
  const evidence = await ports.evidence.get(tenantId);

  const clock = at === undefined ? ports.clock : { now: () => at };
  const lockedAt = instantFrom(clock, newest.instant as Date, sentAt);
  const customers: BatchCustomers = new Map();
  if (rows.locked !== null) takeCustomers(customers, rows.locked, true);
  if (rows.unlocked !== null) takeCustomers(customers, rows.unlocked, false);
  const found = await makeMissing(tx, tenantId, customers, [...stored], ports.keys);
  const assigned = [...rows.assignments, ...(await readAgain(tx, tenantId, prepared, found))];
  const profiles = await reads.profiles.resolve(rows.profiles, tx);
  const quota = catalogue.isPlayground ? await openQuota(tx, catalogue, stored.size > 0) : null;
  const dayAt = (at: number) => ports.zoneClock(catalogue.settings.timezone, at);
  const decisions = decisionsOf(prepared, customers);
  const opening = { tenantId, now: lockedAt, clock, dayAt, decisions, hold };
  const volumes = watch === null ? null : await openVolumes(tx, watch, rows.volumes, opening);
  // Use the instant of the volumes, if there are any: daily counts are dated in it.
  const now = volumes?.now ?? lockedAt;
  const nowOf: BatchRead['nowOf'] = (customer) =>
    at !== undefined || customer === null ? now : instantFor(customer.state, now);
  const configAgeMs = ports.catalogues.ageMs(tenantId);
  await fillLogs(tx, tenantId, prepared, customers, quota, nowOf);
  const unread = await readUnreadOf(tx, catalogue, prepared);
  ports.batchStage('load', (performance.now() - startedAt) / 1000);
  return {
    now,
    isNamed: at !== undefined,
    nowOf,
    zonesOf: zonesAt(ports),
    customers,
    stored,
    profiles,
    unread,
    memberships: reads.membership.resolve(rows.memberships),
    evidence: evidenceView(evidence),
    modelStates,
    objectiveCounts,
    soldOut: rows.soldOut,
    assignments: takeAssignments(assigned),
    volumes,
    quota,
    configAgeMs,
    evidenceAgeMs: ports.evidence.ageMs(tenantId),
  };
}

/**
 * Returns whether something is counted by now that this catalogue doesn't know; its impressions would be missing there.
 */
async function missesVolumes(tx: HotTransaction, tenantId: string, watch: VolumeWatch | null): Promise<boolean> {
  const [rows] = await tx.send([volumeNames(tenantId)]);
  return rows!.some(({ name }) => watch?.refs.has(name as string) !== true);
}

/** Returns how many of them are stored: those of locked customers. */
function decisionsOf(prepared: readonly BatchQuestion[], customers: BatchCustomers): number {
  let count = 0;
  for (const { request } of prepared) if (!request.dryRun && customers.has(request.customerId)) count += 1;
  return count;
}

/** Decisions of one instant share the clocks. */
function zonesAt(ports: ReadPorts): BatchRead['zonesOf'] {
  const known = new Map<number, Map<Plan, ZoneClocks>>();
  return (plan, now) => {
    let byPlan = known.get(now);
    if (byPlan === undefined) {
      byPlan = new Map();
      known.set(now, byPlan);
    }
    let zones = byPlan.get(plan);
    if (zones === undefined) {
      zones = Object.fromEntries(plan.zones.map((zone) => [zone, ports.zoneClock(zone, now)]));
      byPlan.set(plan, zones);
    }
    return zones;
  };
}

/** Completes the logs of customers whose plans look back further than what was read. */
async function fillLogs(
  tx: HotTransaction,
  tenantId: string,
  prepared: readonly BatchQuestion[],
  customers: BatchCustomers,
  quota: QuotaInBatch | null,
  nowOf: BatchRead['nowOf'],
): Promise<void> {
  for (const { flow, request } of prepared) {
    // It won't be decided.
    if (!request.dryRun && quota?.left() === 0) continue;
    const customer = customers.get(request.customerId);
    if (customer === undefined) continue;
    const from = nowOf(customer) - flow.plan.logHorizonMs;
    if (isLogShort(customer, from)) await fillLog(tx, tenantId, customer, from);
  }
}

async function readUnreadOf(
  tx: HotTransaction,
  catalogue: TenantCatalogue,
  prepared: readonly BatchQuestion[],
): Promise<BatchRead['unread']> {
  const unread = new Map<LiveFlow, readonly Warning[]>();
  for (const { flow, job } of prepared) {
    if (job?.call.debug === true && !unread.has(flow)) unread.set(flow, await readUnread(tx, flow, catalogue));
  }
  return unread;
}
