import type { Evidence, ObjectiveCounts, Plan, ZoneClock } from '@arbiter/engine';
import type { HotStatement, HotTransaction } from '../../db/index.ts';
import {
  type BatchCustomers,
  fillLog,
  isLogShort,
  lockStates,
  makeMissing,
  readStates,
  takeCustomers,
} from '../customer-states/index.ts';
import { evidenceView } from '../evidence/index.ts';
import type { HeldStates } from '../models/index.ts';
import { readSoldOut } from '../offers/index.ts';
import { newestVersions, StaleCatalogue, type TenantCatalogue } from '../plans/index.ts';
import { type Membership, planMembership } from '../segments/index.ts';
import { announceWriting, volumeNames } from '../volumes/index.ts';
import type { Prepared } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import { readModels } from './model-inputs.ts';
import { openQuota, type QuotaInBatch } from './playground-quota.ts';
import { type Profile, planProfileReads } from './profile-reads.ts';
import { type VolumeWatch, watchOf } from './volume-watch.ts';
import { type HeldVolumes, openVolumes, type VolumesInBatch, volumeReads } from './volumes-in-batch.ts';

type Zones = Readonly<Record<string, ZoneClock>>;

/** What the decisions of a batch are made from. */
export interface BatchRead {
  /** The instant of all decisions of the batch, in epoch ms. */
  readonly now: number;
  /** Clocks of a plan's zones at that instant, by zone. */
  readonly zonesOf: (plan: Plan) => Zones;
  /** Without those that another transaction holds. Customers with dry runs only are not locked, and may have no state. */
  readonly customers: BatchCustomers;
  /** Customers that are to be locked, whether they could be or not. */
  readonly stored: ReadonlySet<string>;
  /** One for each prepared job, in their order. */
  readonly profiles: readonly Profile[];
  /** Likewise; empty when no flow of the batch reads segments. */
  readonly memberships: readonly Membership[];
  readonly evidence: Evidence;
  /** What models have learned; null when no flow of the batch is scored by one that learns. */
  readonly modelStates: HeldStates | null;
  /** What ranking objectives count; null when no flow of the batch asks. */
  readonly objectiveCounts: ObjectiveCounts | null;
  /** Offers whose stock is used up; empty when no flow of the batch tracks any. */
  readonly soldOut: readonly string[];
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
}

/** What reading needs of the rest of the server. */
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

/** A question as far as it is read for. */
export type Asked = Pick<Prepared, 'flow' | 'request'>;

/**
 * Locks and reads the customers of a batch, and reads all else that its decisions need: one round trip, and one more for
 * each of customers never seen, looked-up rows, a playground's quota, volumes with little left and a log that is too short.
 * Throws `StaleCatalogue` when the catalogue is neither fresh nor the newest, `MissingVolumes` when there are some to make.
 */
export async function readBatch(
  ports: ReadPorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  prepared: readonly Asked[],
  { wait, isFresh, hold }: ReadOptions,
): Promise<BatchRead> {
  const { tenantId } = catalogue;
  const startedAt = performance.now();
  // Before any row is locked: mostly it is in memory, and where it has to be read, no other request waits for a lock meanwhile.
  const objectiveCounts = prepared.some(({ flow }) => flow.plan.reads.objectiveCounts)
    ? await ports.objectiveCounts.get(tenantId, catalogue.version, ports.clock.now())
    : null;
  const stored = new Set<string>();
  for (const { request } of prepared) if (!request.dryRun) stored.add(request.customerId);
  const dry = new Set<string>();
  for (const { request } of prepared) if (!stored.has(request.customerId)) dry.add(request.customerId);
  const reads = planProfileReads(catalogue, prepared);
  const membership = planMembership(prepared);
  const statements: HotStatement[] = [];
  const announced = stored.size > 0 ? [announceWriting(tenantId)] : [];
  if (stored.size > 0) statements.push(lockStates(tenantId, [...stored], wait));
  if (dry.size > 0) statements.push(readStates(tenantId, [...dry]));
  // After the lock: what was changed while this waited for it counts.
  statements.push(newestVersions(tenantId));
  const head = statements.length;
  const stock = prepared.some(({ flow }) => flow.plan.tracksStock) ? [readSoldOut(tenantId)] : [];
  const watch = watchOf(catalogue, prepared);
  const counted = watch === null ? [] : volumeReads(tenantId, watch, ports.clock.now());
  const sent = [...announced, ...statements, ...reads.statements, ...membership.statements, ...stock, ...counted];
  const loaded = (await tx.send(sent)).slice(announced.length);

  const newest = loaded[head - 1]![0]!;
  if (Number(newest.version) === catalogue.version) ports.catalogues.confirmed(tenantId);
  else if (!isFresh || (stored.size > 0 && (await missesVolumes(tx, tenantId, watch))))
    throw new StaleCatalogue(Number(newest.version));
  ports.evidence.newestIs(tenantId, Number(newest.evidence));
  const modelStates = await readModels(ports, catalogue, prepared);
  const evidence = await ports.evidence.get(tenantId);

  const customers: BatchCustomers = new Map();
  if (stored.size > 0) takeCustomers(customers, loaded[0]!, true);
  if (dry.size > 0) takeCustomers(customers, loaded[head - 2]!, false);
  await makeMissing(tx, tenantId, customers, [...stored], ports.keys);
  const profiles = await reads.resolve(loaded.slice(head), tx);
  const behind = head + reads.statements.length + membership.statements.length;
  const memberships = membership.resolve(loaded.slice(head + reads.statements.length, behind));
  const soldOut = (stock.length === 0 ? [] : loaded[behind]!).map((row) => row.offer_id as string);
  const quota = catalogue.isPlayground ? await openQuota(tx, catalogue, stored.size > 0) : null;
  const { timezone } = catalogue.settings;
  const volumes =
    watch === null
      ? null
      : await openVolumes(tx, watch, loaded.slice(behind + stock.length), {
          tenantId,
          now: () => ports.clock.now(),
          dayAt: (at) => ports.zoneClock(timezone, at),
          decisions: decisionsOf(prepared, customers),
          hold,
        });
  // That of the volumes, where there are any: what is counted for a day is dated in it.
  const now = volumes?.now ?? ports.clock.now();
  const configAgeMs = ports.catalogues.ageMs(tenantId);
  for (const { flow, request } of prepared) {
    // It will not be decided.
    if (!request.dryRun && quota?.left() === 0) continue;
    const customer = customers.get(request.customerId);
    const from = now - flow.plan.logHorizonMs;
    if (customer && isLogShort(customer, from)) await fillLog(tx, tenantId, customer, from);
  }
  ports.batchStage('load', (performance.now() - startedAt) / 1000);
  const zonesOf = zonesAt(ports, now);
  return {
    now,
    zonesOf,
    customers,
    stored,
    profiles,
    memberships,
    evidence: evidenceView(evidence),
    modelStates,
    objectiveCounts,
    soldOut,
    volumes,
    quota,
    configAgeMs,
    evidenceAgeMs: ports.evidence.ageMs(tenantId),
  };
}

/** Whether something is counted by now that this catalogue does not know of; what it showed would be missing there. */
async function missesVolumes(tx: HotTransaction, tenantId: string, watch: VolumeWatch | null): Promise<boolean> {
  const [rows] = await tx.send([volumeNames(tenantId)]);
  return rows!.some(({ name }) => watch?.refs.has(name as string) !== true);
}

/** How many of them are stored: those of customers that are held. */
function decisionsOf(prepared: readonly Asked[], customers: BatchCustomers): number {
  let count = 0;
  for (const { request } of prepared) if (!request.dryRun && customers.has(request.customerId)) count += 1;
  return count;
}

/** The decisions of a batch share the clocks. */
function zonesAt(ports: ReadPorts, now: number): (plan: Plan) => Zones {
  const byPlan = new Map<Plan, Zones>();
  return (plan) => {
    let zones = byPlan.get(plan);
    if (zones === undefined) {
      zones = Object.fromEntries(plan.zones.map((zone) => [zone, ports.zoneClock(zone, now)]));
      byPlan.set(plan, zones);
    }
    return zones;
  };
}
