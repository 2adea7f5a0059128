import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import {
  type HotRow,
  type HotStatement,
  instantArray,
  numberArray,
  type Tx,
  textArray,
  uuidArray,
} from '../../../db/index.ts';
import type { VolumeChange, VolumeRef } from './volume-keys.ts';

// Whoever changes volumes holds the customers first and the volumes last, in the order of kind and subject, so that nobody
// waits in a circle. Statements of the hot path are each prepared once per connection.

/** Who fills volumes from history holds this alone; who writes what they count, or gives back, holds it with others. */
const fillLock = `hashtextextended('arbiter.volumes:' || $1, 0)`;

/**
 * Says that this transaction writes what volumes count. It comes before anything is locked, so that who waits for it keeps
 * nobody waiting, and before the version of the catalogue is read: who reads a version from before a limit is then waited
 * for when the limit's volume is filled.
 */
export const announceWriting = (tenantId: string): HotStatement => ({
  name: 'volumes.announce',
  text: `select pg_advisory_xact_lock_shared(${fillLock})`,
  values: [tenantId],
});

/** The same next to decisions. */
export async function announceBooking(tx: Tx): Promise<void> {
  const { text, values } = announceWriting(tx.tenantId);
  await tx.query(text, values);
}

/** Waits until nobody writes what volumes count, and keeps everyone from it until the commit. First in its transaction. */
export async function lockFilling(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${fillLock})`, [tx.tenantId]);
}

/** A volume as it is stored. */
export interface StoredVolume {
  readonly kind: string;
  readonly subjectId: string;
  readonly impressions: number;
  readonly spentCents: number;
  readonly dayImpressions: number;
  readonly daySpentCents: number;
  /** Epoch ms: the day's figures are of the day in which this lies. */
  readonly dayAt: number;
}

const named = 'v.kind, v.subject_id, v.impressions, v.spent_cents, v.day_impressions, v.day_spent_cents, v.day_at';

export function storedVolume(row: HotRow): StoredVolume {
  return {
    kind: row.kind as string,
    subjectId: row.subject_id as string,
    impressions: Number(row.impressions),
    spentCents: Number(row.spent_cents),
    dayImpressions: Number(row.day_impressions),
    daySpentCents: Number(row.day_spent_cents),
    dayAt: (row.day_at as Date).getTime(),
  };
}

/** Volumes as arrays for a statement. */
export interface VolumeArrays {
  readonly kinds: string;
  readonly subjectIds: string;
}

export const volumeArrays = (refs: readonly VolumeRef[]): VolumeArrays => ({
  kinds: textArray(refs.map(({ kind }) => kind)),
  subjectIds: uuidArray(refs.map(({ subjectId }) => subjectId)),
});

// Arrays instead of a join, which would read all volumes of the tenant if it was planned while there were few (docs/adr/0102).
// Records of different kinds have different ids.
const selectedVolumes = `from volumes v where v.tenant_id = $1 and v.kind = any($2::text[]) and v.subject_id = any($3::uuid[])`;

/** Volumes that exist. `hold`: they stay as they are until the commit; waits for whoever holds them. */
export const readVolumes = (tenantId: string, { kinds, subjectIds }: VolumeArrays, hold: boolean): HotStatement => ({
  name: hold ? 'volumes.hold' : 'volumes.read',
  text: `select ${named} ${selectedVolumes}${hold ? ' order by v.kind, v.subject_id for update of v' : ''}`,
  values: [tenantId, kinds, subjectIds],
});

/** A reservation that expired and is still counted in the volumes. */
export interface ExpiredReservation {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly costCents: number;
  /** Epoch ms. */
  readonly reservedAt: number;
  readonly expiresAt: number;
}

/**
 * Reservations that expired by an instant, the first due first, as far as a batch can be asked to read them: the others count
 * until they are swept.
 */
export const readDue = (tenantId: string, by: Date): HotStatement => ({
  name: 'volumes.due',
  text: `select offer_id, creative_id, channel_id, cost_cents, reserved_at, expires_at from volume_reservations
      where tenant_id = $1 and expires_at <= $2 order by expires_at limit 1000`,
  values: [tenantId, by],
});

export const dueReservation = (row: HotRow): ExpiredReservation => ({
  offerId: row.offer_id as string,
  creativeId: row.creative_id as string | null,
  channelId: row.channel_id as string | null,
  costCents: Number(row.cost_cents),
  reservedAt: (row.reserved_at as Date).getTime(),
  expiresAt: (row.expires_at as Date).getTime(),
});

/** Reservations of a batch. */
export interface NewReservation {
  readonly itemId: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly costCents: number;
  readonly reservedAt: Date;
  readonly expiresAt: Date;
}

export const insertReservations = (tenantId: string, rows: readonly NewReservation[]): HotStatement => ({
  name: 'volumes.reserve',
  text: `insert into volume_reservations
      (tenant_id, item_id, offer_id, creative_id, channel_id, cost_cents, reserved_at, expires_at)
    select $1, u.* from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::timestamptz[],
      $8::timestamptz[]) as u(item_id, offer_id, creative_id, channel_id, cost_cents, reserved_at, expires_at)
    on conflict do nothing`,
  values: [
    tenantId,
    uuidArray(rows.map((row) => row.itemId)),
    uuidArray(rows.map((row) => row.offerId)),
    uuidArray(rows.map((row) => row.creativeId)),
    uuidArray(rows.map((row) => row.channelId)),
    numberArray(rows.map((row) => row.costCents)),
    instantArray(rows.map((row) => row.reservedAt)),
    instantArray(rows.map((row) => row.expiresAt)),
  ],
});

/** The same next to decisions: reservations that were open when a volume was made. */
export async function keepReservations(tx: Tx, rows: readonly NewReservation[]): Promise<void> {
  const { text, values } = insertReservations(tx.tenantId, rows);
  await tx.query(text, values);
}

/** Where changes lie in time: figures of a day before this one start over, those of a later day are not touched. */
export interface RaisedAt {
  readonly now: Date;
  /** Of the tenant's day in which the changes are counted; the end is exclusive. */
  readonly dayStart: Date;
  readonly dayEnd: Date;
}

/** SQL of a figure of the day. `$9` is the instant, `$8` the start of its day and `$10` its end. */
const dayFigure = (column: string, change: string): string =>
  `greatest(0, case when v.day_at >= $10 then v.${column} when v.day_at >= $8 then v.${column} + ${change} else ${change} end)`;

/** SQL: the volume's change in an array with one element for each subject in `$3`. */
const changeIn = (array: string): string => `(${array}::bigint[])[array_position($3::uuid[], v.subject_id)]`;

/** SQL: adds changes. */
const raise = (locking: string): string => `with held as (
      select v.subject_id ${selectedVolumes} order by v.kind, v.subject_id for update of v${locking}
    )
    update volumes v set
      impressions = greatest(0, v.impressions + ${changeIn('$4')}),
      spent_cents = greatest(0, v.spent_cents + ${changeIn('$5')}),
      day_impressions = ${dayFigure('day_impressions', changeIn('$6'))},
      day_spent_cents = ${dayFigure('day_spent_cents', changeIn('$7'))},
      day_at = greatest(v.day_at, $9)
    where v.tenant_id = $1 and v.kind = any($2::text[]) and v.subject_id = any(array(select subject_id from held))`;

const raiseValues = (tenantId: string, changes: readonly VolumeChange[], at: RaisedAt): unknown[] => {
  const { kinds, subjectIds } = volumeArrays(changes.map(({ ref }) => ref));
  return [
    tenantId,
    kinds,
    subjectIds,
    numberArray(changes.map((change) => change.impressions)),
    numberArray(changes.map((change) => change.spentCents)),
    numberArray(changes.map((change) => change.dayImpressions)),
    numberArray(changes.map((change) => change.daySpentCents)),
    at.dayStart,
    at.now,
    at.dayEnd,
  ];
};

/** Adds the changes, one for each volume, and answers with the result of them. `wait` false: leaves out what others hold. */
export const raiseVolumes = (
  tenantId: string,
  changes: readonly VolumeChange[],
  at: RaisedAt,
  wait: boolean,
): HotStatement => ({
  name: wait ? 'volumes.raise' : 'volumes.raise.free',
  text: `${raise(wait ? '' : ' skip locked')} returning ${named}`,
  values: raiseValues(tenantId, changes, at),
});

/** Adds the changes to the volumes that exist, waiting for whoever holds them. */
export async function bookChanges(tx: Tx, changes: readonly VolumeChange[], at: RaisedAt): Promise<void> {
  await tx.query(raise(''), raiseValues(tx.tenantId, changes, at));
}

const keyColumns = columns(table<'volumes', { kind: VolumeRef['kind'] }>('volumes'), ['kind', 'subjectId']);
const takenColumns = columns(table('volume_reservations'), [
  'itemId',
  'offerId',
  'creativeId',
  'channelId',
  'costCents',
  'reservedAt',
]);
type TakenReservation = RowOf<typeof takenColumns>;

/** What the reservations that are counted already hold, in cents, by item. */
export async function selectReservedCents(tx: Tx): Promise<Map<string, number>> {
  const rows = await select(
    tx,
    columns(table('volume_reservations'), ['itemId', 'costCents']),
    'from arbiter.volume_reservations where tenant_id = $1',
    [tx.tenantId],
  );
  return new Map(rows.map(({ itemId, costCents }) => [itemId, Number(costCents)]));
}

/** Takes reservations away that were settled; answers with those that were there. */
export async function deleteReservations(tx: Tx, itemIds: readonly string[]): Promise<TakenReservation[]> {
  return tx.query<TakenReservation>(
    `delete from arbiter.volume_reservations where tenant_id = $1 and item_id = any($2::uuid[])
     returning ${takenColumns.sql}`,
    [tx.tenantId, uuidArray(itemIds)],
  );
}

/** Removes expired reservations that no transaction is settling, earliest first. */
export async function deleteDue(tx: Tx, limit: number): Promise<TakenReservation[]> {
  return tx.query<TakenReservation>(
    `delete from arbiter.volume_reservations where tenant_id = $1 and item_id in (
       select item_id from arbiter.volume_reservations where tenant_id = $1 and expires_at <= $2
       order by expires_at, item_id limit $3 for update skip locked)
     returning ${takenColumns.sql}`,
    [tx.tenantId, tx.now, limit],
  );
}

/** Makes the volumes that do not exist yet, in the order in which they are locked. */
export async function insertVolumes(tx: Tx, rows: readonly (VolumeChange & { readonly at: Date })[]): Promise<void> {
  const { kinds, subjectIds } = volumeArrays(rows.map(({ ref }) => ref));
  await tx.query(
    `insert into arbiter.volumes
       (tenant_id, kind, subject_id, impressions, spent_cents, day_impressions, day_spent_cents, day_at)
     select $1, u.* from unnest($2::text[], $3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
       $8::timestamptz[]) as u(kind, subject_id, impressions, spent, day_impressions, day_spent, day_at)
     order by u.kind, u.subject_id on conflict do nothing`,
    [
      tx.tenantId,
      kinds,
      subjectIds,
      numberArray(rows.map((row) => row.impressions)),
      numberArray(rows.map((row) => row.spentCents)),
      numberArray(rows.map((row) => row.dayImpressions)),
      numberArray(rows.map((row) => row.daySpentCents)),
      instantArray(rows.map((row) => row.at)),
    ],
  );
}

/** Names of everything that is counted over all customers, for the hot path. */
export const volumeNames = (tenantId: string): HotStatement => ({
  name: 'volumes.names',
  text: `select kind || ':' || subject_id as name from volumes where tenant_id = $1`,
  values: [tenantId],
});

/** Everything counted across the tenant's customers. */
export async function selectVolumeRefs(tx: Tx): Promise<VolumeRef[]> {
  const rows = await select(tx, keyColumns, 'from arbiter.volumes where tenant_id = $1 order by kind, subject_id', [
    tx.tenantId,
  ]);
  return rows.map(({ kind, subjectId }) => ({ kind, subjectId, name: `${kind}:${subjectId}` }));
}

/** The volumes of offers; those that are not counted are left out. */
export async function selectOfferVolumes(tx: Tx, offerIds: readonly string[]): Promise<StoredVolume[]> {
  const rows = await tx.query<HotRow>(
    `select ${named} from arbiter.volumes v where v.tenant_id = $1 and v.kind = 'offer' and v.subject_id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(offerIds)],
  );
  return rows.map(storedVolume);
}

/** Reservations of these offers that expired and are still counted. */
export async function selectDue(tx: Tx, offerIds: readonly string[]): Promise<ExpiredReservation[]> {
  const rows = await tx.query<HotRow>(
    `select offer_id, creative_id, channel_id, cost_cents, reserved_at, expires_at from arbiter.volume_reservations
     where tenant_id = $1 and expires_at <= $2 and offer_id = any($3::uuid[])`,
    [tx.tenantId, tx.now, uuidArray(offerIds)],
  );
  return rows.map(dueReservation);
}
