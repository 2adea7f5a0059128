import type { HotRow, HotStatement } from '../../../../db/index.ts';
import { readSoldOut } from '../../../catalogue/offers/index.ts';
import { planMembership } from '../../../catalogue/segments/index.ts';
import { lockStates, readStates } from '../../customer-states/index.ts';
import { newestVersions, type TenantCatalogue } from '../../plans/index.ts';
import { announceWriting } from '../../volumes/index.ts';
import { type VolumeWatch, watchOf } from '../volumes/volume-watch.ts';
import { volumeReads } from '../volumes/volumes-in-batch.ts';
import { assignmentReads } from './assignment-reads.ts';
import type { BatchQuestion } from './batch-question.ts';
import { type ProfileReads, planProfileReads } from './profile-reads.ts';

/** Everything that a batch reads in its first round trip. */
export interface BatchReads {
  /** Customers to lock: those of decisions that are stored. */
  readonly stored: ReadonlySet<string>;
  readonly profiles: ProfileReads;
  readonly membership: ReturnType<typeof planMembership>;
  /** Null: the plans count nothing over all customers. */
  readonly watch: VolumeWatch | null;
  readonly statements: readonly HotStatement[];
  /** Takes the results of the statements apart. */
  split(results: readonly (readonly HotRow[])[]): BatchRows;
}

export interface BatchRows {
  /** Null when no customer is locked, or when none is read without a lock. */
  readonly locked: readonly HotRow[] | null;
  readonly unlocked: readonly HotRow[] | null;
  /** Newest versions of catalogue and evidence, and the database's instant. */
  readonly newest: HotRow;
  readonly profiles: readonly (readonly HotRow[])[];
  readonly memberships: readonly (readonly HotRow[])[];
  readonly soldOut: readonly string[];
  readonly assignments: readonly HotRow[];
  readonly volumes: readonly (readonly HotRow[])[];
}

/** `wait`: for customers that another transaction has locked. `near`: about now, in epoch ms. */
export function planBatchReads(
  catalogue: TenantCatalogue,
  prepared: readonly BatchQuestion[],
  wait: boolean,
  near: number,
): BatchReads {
  const { tenantId } = catalogue;
  const stored = new Set<string>();
  for (const { request } of prepared) if (!request.dryRun) stored.add(request.customerId);
  const dry = new Set<string>();
  for (const { request } of prepared) if (!stored.has(request.customerId)) dry.add(request.customerId);
  const profiles = planProfileReads(catalogue, prepared, near);
  const membership = planMembership(prepared);
  const watch = watchOf(catalogue, prepared);
  const announced = stored.size === 0 ? [] : [announceWriting(tenantId)];
  const locking = stored.size === 0 ? [] : [lockStates(tenantId, [...stored], wait)];
  const reading = dry.size === 0 ? [] : [readStates(tenantId, [...dry])];
  const stock = prepared.some(({ flow }) => flow.plan.tracksStock) ? [readSoldOut(tenantId)] : [];
  const assignments = assignmentReads(tenantId, prepared);
  return {
    stored,
    profiles,
    membership,
    watch,
    statements: [
      ...announced,
      ...locking,
      ...reading,
      // After the lock, to include changes made while we waited for it.
      newestVersions(tenantId),
      ...profiles.statements,
      ...membership.statements,
      ...stock,
      ...assignments,
      ...(watch === null ? [] : volumeReads(tenantId, watch, near)),
    ],
    split(results) {
      const left = results.slice(announced.length);
      const [locked = null] = left.splice(0, locking.length);
      const [unlocked = null] = left.splice(0, reading.length);
      const [newest] = left.splice(0, 1);
      return {
        locked,
        unlocked,
        newest: newest![0]!,
        profiles: left.splice(0, profiles.statements.length),
        memberships: left.splice(0, membership.statements.length),
        soldOut: left.splice(0, stock.length).flatMap((rows) => rows.map((row) => row.offer_id as string)),
        assignments: left.splice(0, assignments.length).flat(),
        volumes: left,
      };
    },
  };
}
