import type { Decision, Plan, VolumeCount, VolumeCounts, VolumeLimit } from '@arbiter/engine';
import { type HotRow, type HotStatement, type HotTransaction, readClock } from '../../../../db/index.ts';
import { type Clock, instantFrom } from '../../../../platform/time/clock.ts';
import {
  type DueReservation,
  dueReservation,
  insertReservations,
  mergeChanges,
  type NewReservation,
  raiseVolumes,
  readDue,
  readVolumes,
  type StoredVolume,
  storedVolume,
  type VolumeChange,
  type VolumeRef,
  volumeArrays,
  volumesOf,
} from '../../volumes/index.ts';
import { countsOf, giveBack, isAbove, isFull, isNear, leftOf, openLimits, plus, sumUp } from './volume-counts.ts';
import type { VolumeWatch } from './volume-watch.ts';

/** A plan counts volumes without a row. Fill them from history and repeat the batch. */
export class MissingVolumes extends Error {
  readonly refs: readonly VolumeRef[];
  constructor(refs: readonly VolumeRef[]) {
    super('volumes are not loaded yet');
    this.refs = refs;
  }
}

/** Others used up what this batch relied on. Repeat it while it holds these. Nothing was written. */
export class VolumesMoved extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super('volumes were used up in the meantime');
    this.names = names;
  }
}

/** Names of volumes that a batch holds from the beginning, because it was refused without. */
export type HeldVolumes = ReadonlySet<string> | 'all';

/** The volumes of a batch's plans, including what its decisions take (docs/design/decisioning.md 4). */
export interface VolumesInBatch {
  /** Epoch ms: reservations expired by then are given back, and it's in the day whose figures are read and raised. */
  readonly now: number;
  /**
   * Returns the plan's volumes near a limit, which its next decision must know; undefined for a plan that counts none.
   */
  near(plan: Plan): readonly VolumeCount[] | undefined;
  /** Counts the items of a decision that is stored. `itemIds`: by place of the item. */
  take(plan: Plan, decision: Decision, itemIds: readonly string[], reservedUntil: number): void;
  /**
   * Writes the batch's statements with what it took, and commits. Throws `VolumesMoved`, before the commit, when a
   * volume that this transaction didn't hold has less left than was taken.
   */
  commit(tx: HotTransaction, statements: readonly HotStatement[]): Promise<void>;
}

/** Returns the volume reads of a batch's first round trip. Pass the rows to `openVolumes`. */
export const volumeReads = (tenantId: string, watch: VolumeWatch, now: number): HotStatement[] => [
  // The volumes first: what's swept between the two counts as still open, never as given back twice.
  readVolumes(tenantId, watch.arrays, false),
  readDue(tenantId, new Date(now)),
];

export interface OpenOptions {
  readonly tenantId: string;
  /** The database's instant in the first trip, in epoch ms. */
  readonly now: number;
  readonly clock: Clock;
  /** Returns the tenant's day of an instant in epoch ms; the end is exclusive. */
  readonly dayAt: (now: number) => { readonly dayStart: number; readonly dayEnd: number };
  /** Stored decisions of the batch. Without any, nothing is locked. */
  readonly decisions: number;
  readonly hold: HeldVolumes;
}

/** A batch's volumes while its decisions are made. */
interface BatchVolumes {
  readonly tenantId: string;
  readonly watch: VolumeWatch;
  readonly now: number;
  readonly dayStart: number;
  readonly dayEnd: number;
  /** By name, including what the batch has taken so far. */
  readonly counts: Map<string, VolumeCounts>;
  /** Names of those locked until the commit. */
  readonly held: ReadonlySet<string>;
  /** Names of those near a limit. */
  readonly near: Set<string>;
  /** Limits that must not be broken. Leaves out those exhausted before: what's shown anyway was allowed. */
  readonly open: ReadonlyMap<string, readonly VolumeLimit[]>;
  readonly changes: VolumeChange[];
  readonly reservations: NewReservation[];
}

/**
 * Takes the result of `volumeReads`. Where little is left, holds the volumes until the commit (one more round trip), so
 * that it stays true; others are only compared when they're raised. Call it once every customer of the batch is locked:
 * whoever holds a volume waits for nothing else.
 */
export async function openVolumes(
  tx: HotTransaction,
  watch: VolumeWatch,
  read: readonly (readonly HotRow[])[],
  options: OpenOptions,
): Promise<VolumesInBatch> {
  const { tenantId } = options;
  const reading = readingOf(read[0]!, read[1]!);
  const missing = [...watch.refs.values()].filter(({ name }) => !reading.volumes.has(name));
  if (missing.length > 0) throw new MissingVolumes(missing);
  let counted = countAll(watch, [reading], options.now, options);
  const tight = options.decisions === 0 ? [] : toHold(watch, counted.counts, options);
  // Count again with the rows held: a day may have ended while this waited.
  if (tight.length > 0) counted = await hold(tx, watch, reading, tight, options);
  const near = new Set<string>();
  const open = new Map<string, readonly VolumeLimit[]>();
  for (const [name, watched] of watch.byName) {
    const own = counted.counts.get(name)!;
    open.set(name, openLimits(watched, own));
    if (isNear(watched, own)) near.add(name);
  }
  const lockedNames = new Set(tight.map(({ name }) => name));
  const volumes: BatchVolumes = {
    ...counted,
    tenantId,
    watch,
    held: lockedNames,
    near,
    open,
    changes: [],
    reservations: [],
  };
  return {
    now: counted.now,
    near: (plan) => nearOf(volumes, plan),
    take: (plan, decision, itemIds, reservedUntil) => takeItems(volumes, plan, decision, itemIds, reservedUntil),
    commit: (tx, statements) => commitRaised(tx, volumes, statements),
  };
}

/** Locks volumes until the commit, and counts everything with what it reads of them. */
async function hold(
  tx: HotTransaction,
  watch: VolumeWatch,
  first: VolumeReading,
  refs: readonly VolumeRef[],
  options: OpenOptions,
): Promise<CountedVolumes> {
  const { tenantId, clock } = options;
  const names = new Set(refs.map(({ name }) => name));
  const parts = new Set(refs.flatMap(({ name }) => watch.byName.get(name)?.parts ?? []));
  const partRefs = [...parts].filter((name) => !names.has(name)).map((name) => watch.refs.get(name)!);
  const sentAt = performance.now();
  const [rows, clockRows, partRows, due] = await tx.send([
    readVolumes(tenantId, volumeArrays(refs), true),
    readClock,
    readVolumes(tenantId, volumeArrays(partRefs), false),
    readDue(tenantId, new Date(clock.now())),
  ]);
  const heldAt = instantFrom(clock, clockRows![0]!.instant as Date, sentAt);
  return countAll(watch, [first, readingOf([...rows!, ...partRows!], due!)], heldAt, options);
}

function nearOf({ watch, counts, near }: BatchVolumes, { volumes }: Plan): readonly VolumeCount[] | undefined {
  if (volumes === null) return undefined;
  if (near.size === 0) return noneNear;
  const list: VolumeCount[] = [];
  for (const name of near) {
    const { scope, scopeId } = watch.byName.get(name)!.volume;
    list.push({ scope, scopeId, ...counts.get(name)! });
  }
  return list;
}

function takeItems(
  volumes: BatchVolumes,
  plan: Plan,
  { items }: Decision,
  itemIds: readonly string[],
  reservedUntil: number,
): void {
  const reservedAt = new Date(volumes.now);
  items.forEach((item, place) => {
    const { offerId, creativeId, channelId } = item;
    const costCents = plan.volumes?.impressionCents(offerId) ?? 0;
    let isCounted = false;
    for (const ref of volumesOf(item)) if (countImpression(volumes, ref, costCents)) isCounted = true;
    for (const ref of volumes.watch.categoriesOf.get(offerId) ?? [])
      if (countImpression(volumes, ref, costCents)) isCounted = true;
    if (!isCounted || item.effect !== 'reserve') return;
    const expiresAt = new Date(reservedUntil);
    volumes.reservations.push({
      itemId: itemIds[place]!,
      offerId,
      creativeId,
      channelId,
      costCents,
      reservedAt,
      expiresAt,
    });
  });
}

/** Returns false for a volume that no plan of the batch counts. */
function countImpression({ watch, counts, near, changes }: BatchVolumes, ref: VolumeRef, cents: number): boolean {
  const before = counts.get(ref.name);
  if (before === undefined) return false;
  const change = { impressions: 1, spentCents: cents, dayImpressions: 1, daySpentCents: cents };
  const after = plus(before, change, 1);
  counts.set(ref.name, after);
  changes.push({ ref, ...change });
  const watched = watch.byName.get(ref.name);
  if (watched !== undefined && isNear(watched, after)) near.add(ref.name);
  return true;
}

async function commitRaised(
  tx: HotTransaction,
  volumes: BatchVolumes,
  statements: readonly HotStatement[],
): Promise<void> {
  const { tenantId, watch, held, open, changes, reservations, now, dayStart, dayEnd } = volumes;
  if (changes.length === 0) return tx.commit(statements);
  const merged = mergeChanges(changes);
  const names = merged.map(({ ref }) => ref.name);
  // A batch that holds some volumes must not wait for others: a batch that holds those may be waiting for these.
  const mayWait = held.size === 0 || names.every((name) => held.has(name));
  const at = { now: new Date(now), dayStart: new Date(dayStart), dayEnd: new Date(dayEnd) };
  const raise = raiseVolumes(tenantId, merged, at, mayWait);
  const reserved = reservations.length === 0 ? [] : [insertReservations(tenantId, reservations)];
  // Last of all: others wait for these rows until the commit.
  const all = [...statements, ...reserved, raise];
  const toCompare = names.flatMap((name) => {
    const limits = held.has(name) ? [] : (open.get(name) ?? []);
    return limits.length === 0 ? [] : [{ watched: watch.byName.get(name)!, limits }];
  });
  if (mayWait && toCompare.length === 0) return tx.commit(all);
  const parts = [...new Set(toCompare.flatMap(({ watched }) => watched.parts ?? []))].map(
    (name) => watch.refs.get(name)!,
  );
  const readBack = parts.length === 0 ? [] : [readVolumes(tenantId, volumeArrays(parts), false)];
  const results = await tx.send([...all, ...readBack]);
  const raised = results[all.length - 1]!;
  if (raised.length < merged.length) throw new VolumesMoved(names);
  const after = new Map<string, VolumeCounts>();
  for (const row of [...raised, ...(results[all.length] ?? [])]) {
    const stored = storedVolume(row);
    // Others have begun the next day, so what this batch's day has left is unknown, and its clock will agree.
    if (stored.dayAt >= dayEnd) throw new VolumesMoved(names);
    after.set(nameOf(row), countsOf(stored, dayStart));
  }
  if (toCompare.some(({ watched, limits }) => isAbove(watched, limits, after))) throw new VolumesMoved(names);
  return tx.commit([]);
}

const noneNear: readonly VolumeCount[] = [];

const nameOf = ({ kind, subject_id }: HotRow): string => `${kind}:${subject_id}`;

/** Volumes of one trip, with what had run out and was still counted in them. */
interface VolumeReading {
  readonly volumes: ReadonlyMap<string, StoredVolume>;
  readonly due: readonly DueReservation[];
}

const readingOf = (volumes: readonly HotRow[], due: readonly HotRow[]): VolumeReading => ({
  volumes: new Map(volumes.map((row) => [nameOf(row), storedVolume(row)])),
  due: due.map(dueReservation),
});

type CountedVolumes = Pick<BatchVolumes, 'now' | 'dayStart' | 'dayEnd' | 'counts'>;

/**
 * Returns the volumes' current counts, using the later reading of a row that was read twice. The day is the tenant's,
 * or the next one if another process has begun it: two clocks that differ share one day's figures.
 */
function countAll(
  watch: VolumeWatch,
  readings: readonly VolumeReading[],
  now: number,
  { dayAt }: Pick<OpenOptions, 'dayAt'>,
): CountedVolumes {
  let latest = now;
  for (const { volumes } of readings) for (const stored of volumes.values()) latest = Math.max(latest, stored.dayAt);
  const { dayStart, dayEnd } = dayAt(latest);
  const counts = new Map<string, VolumeCounts>();
  for (const { volumes, due } of readings) {
    for (const [name, stored] of volumes) counts.set(name, countsOf(stored, dayStart));
    giveBack(counts, volumes, due, now, dayStart);
  }
  sumUp(watch, counts);
  return { now, dayStart, dayEnd, counts };
}

/**
 * Returns volumes that this batch could exhaust and must hold. Leaves out exhausted ones, because no decision shows
 * what they limit.
 */
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
