import type { Decision, Plan, VolumeCount, VolumeCounts } from '@arbiter/engine';
import type { HotRow, HotStatement, HotTransaction } from '../../db/index.ts';
import {
  dueReservation,
  insertReservations,
  mergeChanges,
  type NewReservation,
  raiseVolumes,
  readDue,
  readVolumes,
  storedVolume,
  type VolumeChange,
  type VolumeRef,
  volumeArrays,
  volumesOf,
} from '../volumes/index.ts';
import { countsOf, giveBack, isAbove, isFull, isLimited, isNear, leftOf, plus, sumUp } from './volume-counts.ts';
import type { VolumeWatch } from './volume-watch.ts';

/** Volumes that a plan counts and that have no row yet: they are to be filled from history, and the batch done again. */
export class MissingVolumes extends Error {
  readonly refs: readonly VolumeRef[];
  constructor(refs: readonly VolumeRef[]) {
    super('volumes are not filled yet');
    this.refs = refs;
  }
}

/** Others used up what this batch counted on: it is to be done again while it holds these. Nothing was written. */
export class VolumesMoved extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super('volumes were used up meanwhile');
    this.names = names;
  }
}

/** Names of volumes that a batch holds from the beginning, because it was refused without. */
export type HeldVolumes = ReadonlySet<string> | 'all';

/** How far the volumes of a batch's plans got, with what its decisions take (docs/design/decisioning.md 4). */
export interface VolumesInBatch {
  /** Those of the plan that are near a limit: what its next decision must know; undefined for a plan that counts none. */
  near(plan: Plan): readonly VolumeCount[] | undefined;
  /** Counts the items of a decision that is stored. `itemIds`: by place of the item. */
  take(plan: Plan, decision: Decision, itemIds: readonly string[], reservedUntil: number): void;
  /**
   * Writes the batch's statements with what it took, and commits. Throws `VolumesMoved`, before the commit, when a volume
   * that this transaction did not hold has less left than was taken.
   */
  commit(tx: HotTransaction, statements: readonly HotStatement[]): Promise<void>;
}

/** What is read of the volumes in the first trip of a batch; the rows go to `openVolumes`. */
export const volumeReads = (tenantId: string, watch: VolumeWatch, now: number): HotStatement[] => [
  // The volumes first: what is swept between the two counts as still open, never as given back twice.
  readVolumes(tenantId, watch.arrays, false),
  readDue(tenantId, new Date(now)),
];

export interface OpenOptions {
  readonly tenantId: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Epoch ms, of the tenant's day in which an instant lies. */
  readonly dayStartAt: (now: number) => number;
  /** Decisions of the batch that are stored; with none nothing is held. */
  readonly decisions: number;
  readonly hold: HeldVolumes;
}

/**
 * Takes what `volumeReads` read. Where little is left, the volumes are held until the commit (one more trip), so that what
 * is left stays true; the others are only compared when they are raised. To be called when every customer of the batch is
 * held: who holds a volume waits for nothing else.
 */
export async function openVolumes(
  tx: HotTransaction,
  watch: VolumeWatch,
  read: readonly (readonly HotRow[])[],
  options: OpenOptions,
): Promise<VolumesInBatch> {
  const { tenantId } = options;
  const counts = new Map<string, VolumeCounts>();
  let dayStart = 0;
  const takeRows = (volumes: readonly HotRow[], due: readonly HotRow[]): void => {
    const now = options.now();
    dayStart = options.dayStartAt(now);
    for (const row of volumes) {
      const stored = storedVolume(row);
      counts.set(`${stored.kind}:${stored.subjectId}`, countsOf(stored, dayStart));
    }
    giveBack(
      counts,
      new Set(volumes.map((row) => `${row.kind}:${row.subject_id}`)),
      due.map(dueReservation),
      now,
      dayStart,
    );
  };
  takeRows(read[0]!, read[1]!);
  const missing = [...watch.refs.values()].filter(({ name }) => !counts.has(name));
  if (missing.length > 0) throw new MissingVolumes(missing);
  sumUp(watch, counts);

  const held = new Set<string>();
  const tight = options.decisions === 0 ? [] : toHold(watch, counts, options);
  if (tight.length > 0) {
    for (const { name } of tight) held.add(name);
    const parts = new Set(tight.flatMap(({ name }) => watch.byName.get(name)?.parts ?? []));
    const partRefs = [...parts].filter((name) => !held.has(name)).map((name) => watch.refs.get(name)!);
    const [rows, partRows, due] = await tx.send([
      readVolumes(tenantId, volumeArrays(tight), true),
      readVolumes(tenantId, volumeArrays(partRefs), false),
      readDue(tenantId, new Date(options.now())),
    ]);
    takeRows([...rows!, ...partRows!], due!);
    sumUp(watch, counts);
  }

  const near = new Set<string>();
  /** Full when the batch began: what is shown all the same was let through, and breaks no promise. */
  const full = new Set<string>();
  for (const [name, watched] of watch.byName) {
    if (isFull(watched, counts.get(name)!)) full.add(name);
    if (isNear(watched, counts.get(name)!)) near.add(name);
  }
  const changes: VolumeChange[] = [];
  const reservations: NewReservation[] = [];

  return {
    near({ volumes }) {
      if (volumes === null) return undefined;
      if (near.size === 0) return noneNear;
      const list: VolumeCount[] = [];
      for (const name of near) {
        const { scope, scopeId } = watch.byName.get(name)!.volume;
        list.push({ scope, scopeId, ...counts.get(name)! });
      }
      return list;
    },
    take({ volumes }, decision, itemIds, reservedUntil) {
      const at = new Date(options.now());
      decision.items.forEach((item, place) => {
        const cents = volumes?.impressionCents(item.offerId) ?? 0;
        let counted = false;
        const count = (ref: VolumeRef): void => {
          const before = counts.get(ref.name);
          if (before === undefined) return;
          counted = true;
          const change = { impressions: 1, spentCents: cents, dayImpressions: 1, daySpentCents: cents };
          const after = plus(before, change, 1);
          counts.set(ref.name, after);
          changes.push({ ref, ...change });
          const watched = watch.byName.get(ref.name);
          if (watched !== undefined && isNear(watched, after)) near.add(ref.name);
        };
        for (const ref of volumesOf(item)) count(ref);
        for (const ref of watch.categoriesOf.get(item.offerId) ?? []) count(ref);
        if (!counted || item.effect !== 'reserve') return;
        const { offerId, creativeId, channelId } = item;
        const expiresAt = new Date(reservedUntil);
        reservations.push({
          itemId: itemIds[place]!,
          offerId,
          creativeId,
          channelId,
          costCents: cents,
          reservedAt: at,
          expiresAt,
        });
      });
    },
    async commit(tx, statements) {
      if (changes.length === 0) return tx.commit(statements);
      const merged = mergeChanges(changes);
      const names = merged.map(({ ref }) => ref.name);
      const isHeld = names.every((name) => held.has(name));
      // A batch that holds some volumes must not wait for others: a batch that holds those may be waiting for these.
      const mayWait = held.size === 0 || isHeld;
      const [from, at] = [new Date(dayStart), new Date(options.now())];
      const raise = raiseVolumes(tenantId, merged, from, at, mayWait);
      const reserved = reservations.length === 0 ? [] : [insertReservations(tenantId, reservations)];
      // Last of all: others wait for these rows until the commit.
      const all = [...statements, ...reserved, raise];
      const toCompare = names.flatMap((name) => {
        const watched = held.has(name) || full.has(name) ? undefined : watch.byName.get(name);
        return watched === undefined || !isLimited(watched) ? [] : [watched];
      });
      if (mayWait && toCompare.length === 0) return tx.commit(all);
      const parts = [...new Set(toCompare.flatMap((watched) => watched.parts ?? []))].map(
        (name) => watch.refs.get(name)!,
      );
      const readBack = parts.length === 0 ? [] : [readVolumes(tenantId, volumeArrays(parts), false)];
      const results = await tx.send([...all, ...readBack]);
      const raised = results[all.length - 1]!;
      if (raised.length < merged.length) throw new VolumesMoved(names);
      const after = new Map<string, VolumeCounts>();
      for (const row of [...raised, ...(results[all.length] ?? [])]) {
        const stored = storedVolume(row);
        after.set(`${stored.kind}:${stored.subjectId}`, countsOf(stored, dayStart));
      }
      if (toCompare.some((watched) => isAbove(watched, after))) throw new VolumesMoved(names);
      return tx.commit([]);
    },
  };
}

const noneNear: readonly VolumeCount[] = [];
/** Volumes that this batch could use up, and those that it must hold. A volume that is used up is not among them: no decision shows what it limits. */
function toHold(
  watch: VolumeWatch,
  counts: ReadonlyMap<string, VolumeCounts>,
  { decisions, hold }: OpenOptions,
): VolumeRef[] {
  if (hold === 'all') return [...watch.refs.values()];
  const refs: VolumeRef[] = [];
  for (const [name, watched] of watch.byName) {
    const own = counts.get(name)!;
    const isTight = watched.volume.limits.some((limit) => leftOf(limit, own) <= 2 * decisions);
    if (hold.has(name) || (isTight && !isFull(watched, own))) refs.push(watched.ref);
  }
  for (const name of hold) {
    const ref = watch.byName.has(name) ? undefined : watch.refs.get(name);
    if (ref !== undefined) refs.push(ref);
  }
  return refs;
}
