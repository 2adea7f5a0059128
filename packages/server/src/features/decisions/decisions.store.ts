import {
  booleanArray,
  bytesArray,
  type HotRow,
  type HotStatement,
  instantArray,
  numberArray,
  textArray,
  uuidArray,
} from '../../db/index.ts';

// Statements of the hot path. Each is prepared once per connection and takes one array per column (decisioning.md 6).

/** Locks the customers' rows; those that another transaction holds are left out. */
export function lockStates(tenantId: string, customerIds: readonly string[], wait: boolean): HotStatement {
  return {
    name: wait ? 'decisions.lock.wait' : 'decisions.lock',
    text: `select customer_id, ref, data_key, state from customer_states
      where tenant_id = $1 and customer_id = any($2::text[]) order by customer_id for update${wait ? '' : ' skip locked'}`,
    values: [tenantId, textArray(customerIds)],
  };
}

/** Reads the customers' rows without a lock, for decisions that store nothing. */
export function readStates(tenantId: string, customerIds: readonly string[]): HotStatement {
  return {
    name: 'decisions.read',
    text: `select customer_id, ref, data_key, state from customer_states where tenant_id = $1 and customer_id = any($2::text[])`,
    values: [tenantId, textArray(customerIds)],
  };
}

/** Makes rows for new customers, in id order; a row that somebody else makes at the same time is left out. */
export function makeStates(
  tenantId: string,
  rows: readonly { readonly customerId: string; readonly ref: string; readonly dataKey: Buffer }[],
): HotStatement {
  return {
    name: 'decisions.make',
    text: `insert into customer_states (tenant_id, customer_id, ref, data_key, state)
      select $1, u.customer_id, u.ref, u.data_key, '' from unnest($2::text[], $3::uuid[], $4::bytea[]) as u(customer_id, ref, data_key)
      order by u.customer_id on conflict (tenant_id, customer_id) do nothing returning customer_id, ref, data_key, state`,
    values: [
      tenantId,
      textArray(rows.map((r) => r.customerId)),
      uuidArray(rows.map((r) => r.ref)),
      bytesArray(rows.map((r) => r.dataKey)),
    ],
  };
}

export interface StateRow {
  readonly customerId: string;
  readonly ref: string;
  readonly dataKey: Buffer;
  readonly state: Buffer;
}

export function stateRow(row: HotRow): StateRow {
  return {
    customerId: row.customer_id as string,
    ref: row.ref as string,
    dataKey: row.data_key as Buffer,
    state: row.state as Buffer,
  };
}

/** The newest catalogue version and evidence number, read with the customers so that a lost notification costs one batch. */
export function newestVersions(tenantId: string): HotStatement {
  return {
    name: 'decisions.versions',
    text: `select coalesce((select version from catalogue_versions where tenant_id = $1), 0) as version,
      coalesce((select number from evidence_heads where tenant_id = $1), 0) as evidence`,
    values: [tenantId],
  };
}

/**
 * Writes the states back. By position in the arrays and not by a join with them: a plan made while the table was small
 * would join the wrong way round and go through every customer of the tenant for the rest of the connection's life.
 */
export function saveStates(tenantId: string, customerIds: readonly string[], states: readonly Buffer[]): HotStatement {
  return {
    name: 'decisions.save',
    text: `update customer_states set state = ($3::bytea[])[array_position($2::text[], customer_id)]
      where tenant_id = $1 and customer_id = any($2::text[])`,
    values: [tenantId, textArray(customerIds), bytesArray(states)],
  };
}

/** A sealed record as its row holds it. */
export interface RecordRow {
  readonly id: string;
  /** Null when the server made the request's id. */
  readonly requestId: string | null;
  readonly customerRef: string;
  readonly evidenceNumber: number;
  readonly itemCount: number;
  readonly traceId: string | null;
  readonly resultHash: Buffer;
  readonly body: Buffer;
}

/** What all records of one flow in a batch have in common. */
export interface BatchFacts {
  readonly source: string;
  readonly decidedAt: Date;
  readonly configVersion: number;
  readonly engineVersion: string;
  readonly flowId: string;
  readonly flowVersion: number | null;
  readonly planHash: Buffer;
}

export function insertRecords(tenantId: string, batch: BatchFacts, rows: readonly RecordRow[]): HotStatement {
  return {
    name: 'decisions.records',
    text: `insert into decisions (tenant_id, id, request_id, customer_ref, source, decided_at, flow_id, flow_version, plan_hash,
        config_version, evidence_number, engine_version, item_count, trace_id, result_hash, body)
      select $1, u.id, u.request_id, u.customer_ref, $2, $3, $6, $7, $8, $4, u.evidence_number, $5, u.item_count, u.trace_id,
        u.result_hash, u.body
      from unnest($9::uuid[], $10::uuid[], $11::uuid[], $12::bigint[], $13::smallint[], $14::uuid[], $15::bytea[], $16::bytea[])
        as u(id, request_id, customer_ref, evidence_number, item_count, trace_id, result_hash, body)`,
    values: [
      tenantId,
      batch.source,
      batch.decidedAt,
      batch.configVersion,
      batch.engineVersion,
      batch.flowId,
      batch.flowVersion,
      batch.planHash,
      uuidArray(rows.map((r) => r.id)),
      uuidArray(rows.map((r) => r.requestId)),
      uuidArray(rows.map((r) => r.customerRef)),
      numberArray(rows.map((r) => r.evidenceNumber)),
      numberArray(rows.map((r) => r.itemCount)),
      uuidArray(rows.map((r) => r.traceId)),
      bytesArray(rows.map((r) => r.resultHash)),
      bytesArray(rows.map((r) => r.body)),
    ],
  };
}

/** A history row that a decision writes for one returned item. */
export interface ItemRow {
  readonly id: string;
  readonly customerId: string;
  readonly reserved: boolean;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly categoryId: string | null;
  readonly recommendationId: string;
  readonly rank: number;
  readonly context: string | null;
  readonly reservationExpiresAt: Date | null;
}

export function insertItems(tenantId: string, at: Date, rows: readonly ItemRow[]): HotStatement {
  return {
    name: 'decisions.items',
    text: `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction, offer_id,
        creative_id, channel_id, placement_id, category_id, recommendation_id, rank, context, occurred_at, created_at,
        reservation_state, reservation_expires_at)
      select $1, u.id, u.customer_id, case when u.reserved then 'recommendation' else 'impression' end,
        case when u.reserved then null else 'impression' end, 'neutral', 'outbound', u.offer_id, u.creative_id, u.channel_id,
        u.placement_id, u.category_id, u.recommendation_id, u.rank, u.context, $2, $2,
        case when u.reserved then 'open' end, u.expires_at
      from unnest($3::uuid[], $4::text[], $5::boolean[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[],
        $12::smallint[], $13::jsonb[], $14::timestamptz[])
        as u(id, customer_id, reserved, offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, context, expires_at)`,
    values: [
      tenantId,
      at,
      uuidArray(rows.map((r) => r.id)),
      textArray(rows.map((r) => r.customerId)),
      booleanArray(rows.map((r) => r.reserved)),
      uuidArray(rows.map((r) => r.offerId)),
      uuidArray(rows.map((r) => r.creativeId)),
      uuidArray(rows.map((r) => r.channelId)),
      uuidArray(rows.map((r) => r.placementId)),
      uuidArray(rows.map((r) => r.categoryId)),
      uuidArray(rows.map((r) => r.recommendationId)),
      numberArray(rows.map((r) => r.rank)),
      textArray(rows.map((r) => r.context)),
      instantArray(rows.map((r) => r.reservationExpiresAt)),
    ],
  };
}

/** One row of the outbox for all events of a batch; `itemIds` are the history rows written with it that count. */
export function insertOutbox(tenantId: string, events: string, itemIds: readonly string[], now: Date): HotStatement {
  return {
    name: 'decisions.outbox',
    text: 'insert into outbox (tenant_id, events, item_ids, created_at) values ($1, $2, $3, $4)',
    values: [tenantId, events, uuidArray(itemIds), now],
  };
}

export function insertRequest(
  tenantId: string,
  row: {
    readonly requestId: string;
    readonly decisionId: string;
    readonly customerRef: string;
    readonly payloadHash: Buffer;
    readonly answer: Buffer;
    readonly at: Date;
  },
): HotStatement {
  return {
    name: 'decisions.request',
    text: `insert into decision_requests (tenant_id, request_id, decision_id, customer_ref, payload_hash, answer, created_at)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [tenantId, row.requestId, row.decisionId, row.customerRef, row.payloadHash, row.answer, row.at],
  };
}

export function insertTrace(
  tenantId: string,
  row: {
    readonly id: string;
    readonly decisionId: string;
    readonly requestId: string;
    readonly customerId: string;
    readonly flowKey: string;
    readonly body: string;
    readonly at: Date;
  },
): HotStatement {
  return {
    name: 'decisions.trace',
    text: `insert into decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
      values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)`,
    values: [tenantId, row.id, row.decisionId, row.requestId, row.customerId, row.flowKey, row.body, row.at],
  };
}

/** A customer's counted contacts since an instant, from history: fills the log when a new window looks further back. */
export function contactsSince(tenantId: string, customerId: string, from: Date, firstId: string): HotStatement {
  return {
    name: 'decisions.contacts',
    text: `select offer_id, creative_id, channel_id, campaign_id, occurred_at from interactions
      where tenant_id = $1 and customer_id = $2 and id >= $4 and interaction_type = 'impression' and occurred_at >= $3
      order by occurred_at, id`,
    values: [tenantId, customerId, from, firstId],
  };
}
