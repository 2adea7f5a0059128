import type { AgentNarrative } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';

/** What a cache entry holds of the text. */
export interface StoredNarrative {
  readonly narrative: string | AgentNarrative;
  /** Beginning of the text for the audit log, without anything about the customer. */
  readonly preview: string;
}

const lifeMs = 7 * 86_400_000;
const rowsPerSlice = 1_000;

const narratives = table<'decision_narratives', { narrative: StoredNarrative }>('decision_narratives');
const cachedColumns = columns(narratives, ['narrative', 'model', 'inputTokens', 'outputTokens', 'createdAt']);
export type CachedNarrative = RowOf<typeof cachedColumns>;

/** Returns the cached narrative; null for none, or if it is older than 7 days. */
export async function findNarrative(tx: Tx, key: Buffer): Promise<CachedNarrative | null> {
  const [row] = await select(
    tx,
    cachedColumns,
    'from arbiter.decision_narratives where tenant_id = $1 and cache_key = $2 and created_at > $3',
    [tx.tenantId, key, new Date(tx.now.getTime() - lifeMs)],
  );
  return row ?? null;
}

/** Caches a narrative, in place of an earlier one. The caller holds the trace (`lockTrace`). */
export async function putNarrative(
  tx: Tx,
  key: Buffer,
  { traceId, customerId }: { readonly traceId: string; readonly customerId: string },
  { narrative, model, inputTokens, outputTokens, createdAt }: CachedNarrative,
): Promise<void> {
  await tx.query(
    `insert into arbiter.decision_narratives
       (tenant_id, cache_key, trace_id, customer_id, model, narrative, input_tokens, output_tokens, created_at)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9)
     on conflict (tenant_id, cache_key) do update set
       narrative = excluded.narrative, input_tokens = excluded.input_tokens,
       output_tokens = excluded.output_tokens, created_at = excluded.created_at`,
    [tx.tenantId, key, traceId, customerId, model, JSON.stringify(narrative), inputTokens, outputTokens, createdAt],
  );
}

export async function deleteNarratives(tx: Tx, customerId: string): Promise<void> {
  await tx.query('delete from arbiter.decision_narratives where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
  ]);
}

/** Deletes expired narratives. Returns true when there may be more; call it again in another transaction. */
export async function expireNarratives(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select cache_key from arbiter.decision_narratives where tenant_id = $1 and created_at <= $2 order by created_at limit $3
       for update skip locked),
     gone as (
       delete from arbiter.decision_narratives n using due
       where n.tenant_id = $1 and n.cache_key = due.cache_key returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, new Date(tx.now.getTime() - lifeMs), rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
