import type { CampaignSkipReason } from '@arbiter/contract';
import { type HotStatement, numberArray, textArray, textsArray, uuidArray } from '../../../../db/index.ts';
import type { Member } from '../results.store.ts';
import type { RunCounts } from './caps.rules.ts';
import type { RunItemTexts } from './item-texts.ts';

// Statements of a chunk's transaction, which runs on the hot path.

/** Locks a run until the chunk is committed, so that only one process at a time can move it on. */
export const lockRun = (tenantId: string, runId: string): HotStatement => ({
  name: 'campaigns.lock-run',
  text: `select status, token, next_place, clock_timestamp() as instant
    from campaign_runs where tenant_id = $1 and id = $2 for update`,
  values: [tenantId, runId],
});

/** Reads which members at these places are still there: erased ones are not. */
export const readMembers = (tenantId: string, runId: string, from: number, to: number): HotStatement => ({
  name: 'campaigns.members',
  text: `select customer_id from campaign_members where tenant_id = $1 and run_id = $2 and place >= $3 and place < $4`,
  values: [tenantId, runId, from, to],
});

export interface Checkpoint extends RunCounts {
  readonly nextPlace: number;
  readonly decided: number;
  readonly empty: number;
  readonly skipped: number;
  readonly skippedByCaps: number;
}

/** Moves a locked run on. */
export const writeCheckpoint = (tenantId: string, runId: string, checkpoint: Checkpoint): HotStatement => ({
  name: 'campaigns.checkpoint',
  text: `update campaign_runs set next_place = $3, decided_customers = decided_customers + $4,
      empty_customers = empty_customers + $5, skipped_customers = skipped_customers + $6,
      skipped_by_caps = skipped_by_caps + $7, total_items = $8, offer_counts = $9::jsonb, channel_counts = $10::jsonb
    where tenant_id = $1 and id = $2`,
  values: [
    ...[tenantId, runId, checkpoint.nextPlace, checkpoint.decided, checkpoint.empty, checkpoint.skipped],
    ...[checkpoint.skippedByCaps, checkpoint.total],
    ...[JSON.stringify(checkpoint.offers), JSON.stringify(checkpoint.channels)],
  ],
});

/** The result of a decision, as a chunk stores it. */
export interface ChunkResult {
  readonly requestId: string;
  readonly decisionId: string;
  /** JSON of `StoredItem[]`; null if nothing was offered. */
  readonly items: string | null;
}

export interface ChunkResults {
  /** A null `result` means that the member was skipped. */
  readonly rows: readonly (Member & { readonly result: ChunkResult | null })[];
  readonly skipReason: CampaignSkipReason;
  readonly at: Date;
}

/** Writes what the items of results refer to. */
export const insertItems = (tenantId: string, runId: string, contents: RunItemTexts): HotStatement => ({
  name: 'campaigns.items',
  text: `insert into campaign_run_items (tenant_id, run_id, key, item)
    select $1, $2, u.key, u.item::json from unnest($3::text[], $4::text[]) as u(key, item) on conflict do nothing`,
  values: [tenantId, runId, textArray([...contents.keys()]), textArray([...contents.values()])],
});

/** Writes the results of a chunk. */
export const insertResults = (
  tenantId: string,
  runId: string,
  { rows, skipReason, at }: ChunkResults,
): HotStatement => ({
  name: 'campaigns.results',
  text: `insert into campaign_results (tenant_id, run_id, place, customer_id, status, skip_reason, request_id, decision_id, items,
      processed_at)
    select $1, $2, u.place, u.customer_id,
      case when u.decision_id is null then 'skipped' when u.items is null then 'empty' else 'decided' end,
      case when u.decision_id is null then $3 end, u.request_id, u.decision_id, u.items::json, $4
    from unnest($5::int[], $6::text[], $7::uuid[], $8::uuid[], $9::text[])
      as u(place, customer_id, request_id, decision_id, items)`,
  values: [
    ...[tenantId, runId, skipReason, at],
    numberArray(rows.map(({ place }) => place)),
    textArray(rows.map(({ customerId }) => customerId)),
    uuidArray(rows.map(({ result }) => result?.requestId ?? null)),
    uuidArray(rows.map(({ result }) => result?.decisionId ?? null)),
    textsArray(rows.map(({ result }) => result?.items ?? null)),
  ],
});
