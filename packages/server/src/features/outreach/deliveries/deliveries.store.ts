import type {
  ChannelProvider,
  DeliveryEventName,
  DeliveryReason,
  DeliverySource,
  DeliveryStatus,
} from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';

/** Whether a message whose fate is unknown is sent again. */
export type DeliveryGuarantee = 'at_most_once' | 'at_least_once';

const deliveryColumns = columns(
  table<
    'deliveries',
    {
      source: DeliverySource;
      guarantee: DeliveryGuarantee;
      provider: ChannelProvider | null;
      status: DeliveryStatus;
    }
  >('deliveries'),
  [
    ...(['id', 'customerId', 'offerId', 'creativeId', 'channelId', 'source', 'campaignId', 'runId'] as const),
    ...(['journeyId', 'triggerId', 'recommendationId', 'guarantee', 'provider', 'providerMessageId'] as const),
    ...(['status', 'error', 'tries', 'tryingSince', 'createdAt', 'updatedAt'] as const),
  ],
);

export type DeliveryRow = RowOf<typeof deliveryColumns>;

/** A delivery to store. */
export interface QueuedRow {
  readonly id: string;
  readonly customerId: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string;
  readonly source: DeliverySource;
  readonly campaignId: string | null;
  readonly runId: string | null;
  readonly journeyId: string | null;
  readonly triggerId: string | null;
  readonly recommendationId: string | null;
  readonly effectKey: string;
  readonly guarantee: DeliveryGuarantee;
}

interface EffectRow {
  readonly id: string;
  readonly effectKey: string;
}

/** Inserts deliveries whose effect keys are new. Returns the id of every one by effect key, those stored before too. */
export async function insertDeliveries(tx: Tx, rows: readonly QueuedRow[]): Promise<Map<string, string>> {
  const added = await tx.query<EffectRow>(
    `insert into arbiter.deliveries (tenant_id, id, customer_id, offer_id, creative_id, channel_id, source, campaign_id, run_id,
                                     journey_id, trigger_id, recommendation_id, effect_key, guarantee, status, created_at, updated_at)
     select $1, r."id", r."customerId", r."offerId", r."creativeId", r."channelId", r."source", r."campaignId", r."runId",
            r."journeyId", r."triggerId", r."recommendationId", r."effectKey", r."guarantee", 'queued', $3, $3
       from jsonb_to_recordset($2::jsonb) as r (
         "id" uuid, "customerId" text, "offerId" uuid, "creativeId" uuid, "channelId" uuid, "source" text, "campaignId" uuid,
         "runId" uuid, "journeyId" uuid, "triggerId" uuid, "recommendationId" uuid, "effectKey" uuid, "guarantee" text)
     on conflict (tenant_id, effect_key) do nothing returning id, effect_key as "effectKey"`,
    [tx.tenantId, JSON.stringify(rows), tx.now],
  );
  const ids = new Map(added.map(({ id, effectKey }) => [effectKey, id]));
  const repeated = rows.filter(({ effectKey }) => !ids.has(effectKey));
  if (repeated.length === 0) return ids;
  const stored = await tx.query<EffectRow>(
    'select id, effect_key as "effectKey" from arbiter.deliveries where tenant_id = $1 and effect_key = any($2::uuid[])',
    [tx.tenantId, repeated.map(({ effectKey }) => effectKey)],
  );
  for (const { id, effectKey } of stored) ids.set(effectKey, id);
  return ids;
}

/** Deliveries of the tenant that wait since an hour at most, counted up to `most`. Older ones are those that fail. */
export async function countQueued(tx: Tx, most: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from (
       select from arbiter.deliveries
        where tenant_id = $1 and status = 'queued' and created_at > $2::timestamptz - interval '1 hour' limit $3) waiting`,
    [tx.tenantId, tx.now, most],
  );
  return row?.count ?? 0;
}

export async function selectDelivery(tx: Tx, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await select(tx, deliveryColumns, 'from arbiter.deliveries where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/** Locks a delivery until the transaction ends: its job and events of its provider may meet. */
export async function lockDelivery(tx: Tx, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await select(
    tx,
    deliveryColumns,
    'from arbiter.deliveries where tenant_id = $1 and id = $2 for update',
    [tx.tenantId, id],
  );
  return row;
}

/** Locks deliveries in the order of their ids, so that two bodies with the same messages don't lock each other out. */
export async function lockDeliveries(tx: Tx, ids: readonly string[]): Promise<DeliveryRow[]> {
  return select(
    tx,
    deliveryColumns,
    'from arbiter.deliveries where tenant_id = $1 and id = any($2::uuid[]) order by id for update',
    [tx.tenantId, ids],
  );
}

export interface DeliveryFilter {
  readonly customerId: string | null;
  readonly status: DeliveryStatus | null;
  readonly runId: string | null;
  readonly channelId: string | null;
}

const matching = `tenant_id = $1 and ($2::text is null or customer_id = $2) and ($3::text is null or status = $3)
  and ($4::uuid is null or run_id = $4) and ($5::uuid is null or channel_id = $5)`;
const filterValues = (tx: Tx, { customerId, status, runId, channelId }: DeliveryFilter): unknown[] => [
  tx.tenantId,
  customerId,
  status,
  runId,
  channelId,
];

/** The newest deliveries, behind the one with this id. */
export async function selectDeliveries(
  tx: Tx,
  filter: DeliveryFilter,
  before: string | null,
  most: number,
): Promise<DeliveryRow[]> {
  return select(
    tx,
    deliveryColumns,
    `from arbiter.deliveries where ${matching} and ($6::uuid is null or id < $6) order by id desc limit $7`,
    [...filterValues(tx, filter), before, most],
  );
}

export async function countDeliveries(tx: Tx, filter: DeliveryFilter): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.deliveries where ${matching}`,
    filterValues(tx, filter),
  );
  return row?.count ?? 0;
}

const eventColumns = columns(
  table<'delivery_events', { event: DeliveryEventName; reason: DeliveryReason | null }>('delivery_events'),
  ['event', 'occurredAt', 'receivedAt', 'reason', 'eventId'],
);

export type DeliveryEventRow = RowOf<typeof eventColumns>;

/** The first events of a delivery, in the order of their arrival. */
export async function selectEvents(tx: Tx, deliveryId: string, most: number): Promise<DeliveryEventRow[]> {
  return select(
    tx,
    eventColumns,
    'from arbiter.delivery_events where tenant_id = $1 and delivery_id = $2 order by id limit $3',
    [tx.tenantId, deliveryId, most],
  );
}

/** Stores what changes of a delivery. */
export async function updateDelivery(
  tx: Tx,
  row: Pick<DeliveryRow, 'id' | 'provider' | 'providerMessageId' | 'status' | 'error' | 'tries' | 'tryingSince'>,
): Promise<void> {
  await tx.query(
    `update arbiter.deliveries
        set provider = $3, provider_message_id = $4, status = $5, error = $6, tries = $7, trying_since = $8, updated_at = $9
      where tenant_id = $1 and id = $2`,
    [
      ...[tx.tenantId, row.id, row.provider, row.providerMessageId],
      ...[row.status, row.error, row.tries, row.tryingSince, tx.now],
    ],
  );
}

const rowsPerSlice = 1_000;

/** Deletes deliveries that haven't changed for this many days, with their events. */
export async function expireDeliveries(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ rows: number }>(
    `with due as (
       select id from arbiter.deliveries
        where tenant_id = $1 and updated_at < $2::timestamptz - make_interval(days => $3) order by updated_at limit $4
        for update skip locked),
     deleted as (delete from arbiter.deliveries d using due
       where d.tenant_id = $1 and d.id = due.id returning 1)
     select count(*)::int as rows from deleted`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  const rows = row?.rows ?? 0;
  return { rows, more: rows === rowsPerSlice };
}

/** Deletes a customer's deliveries with their events. Returns how many. */
export async function eraseDeliveries(tx: Tx, customerId: string): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(
    `with deleted as (delete from arbiter.deliveries where tenant_id = $1 and customer_id = $2 returning 1)
     select count(*)::int as rows from deleted`,
    [tx.tenantId, customerId],
  );
  return row?.rows ?? 0;
}
