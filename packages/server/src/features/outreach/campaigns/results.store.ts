import type { CampaignResultStatus, CampaignSkipReason } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, textArray } from '../../../db/index.ts';

/** The part of an item that is the same for all customers, with names at the time. */
export interface RunItemContent {
  readonly offerId: string;
  readonly offerName: string;
  readonly creativeId: string | null;
  readonly creativeName: string | null;
  readonly channelId: string | null;
  readonly channelName: string | null;
  readonly placementId: string | null;
  readonly category: string | null;
  readonly subCategory: string | null;
}

/** An item as a result stores it, with short names because a run has millions. */
export interface StoredItem {
  /** Of its `RunItemContent`. */
  readonly k: string;
  /** Rank. */
  readonly r: number;
  /** Score. */
  readonly s: number;
  /** Delivery; absent until its message is queued. */
  readonly d?: string;
  /** Personalization, only for runs whose file shows it. */
  readonly p?: unknown;
}

/** An item of a result. */
export interface ResultItem extends RunItemContent {
  readonly rank: number;
  readonly score: number;
  readonly deliveryId?: string;
  readonly personalization?: unknown;
  readonly stored: StoredItem;
}

const results = table<
  'campaign_results',
  { items: readonly StoredItem[] | null; skipReason: CampaignSkipReason | null; status: CampaignResultStatus }
>('campaign_results');

const resultColumns = columns(results, [
  'place',
  'customerId',
  'status',
  'skipReason',
  'requestId',
  'decisionId',
  'items',
  'error',
  'processedAt',
]);

export type ResultRow = Omit<RowOf<typeof resultColumns>, 'items'> & { readonly items: readonly ResultItem[] | null };

/** Returns results behind a place, in the run's order. */
export async function selectResults(
  tx: Tx,
  runId: string,
  page: { readonly after: number | null; readonly status: string | null; readonly limit: number },
): Promise<ResultRow[]> {
  const rows = await select(
    tx,
    resultColumns,
    `from arbiter.campaign_results where tenant_id = $1 and run_id = $2 and place > $3
       and ($4::text is null or status = $4) order by place limit $5`,
    [tx.tenantId, runId, page.after ?? -1, page.status, page.limit],
  );
  const contents = await selectContents(
    tx,
    runId,
    rows.flatMap(({ items }) => (items ?? []).map(({ k }) => k)),
  );
  const itemOf = (stored: StoredItem): ResultItem => ({
    ...contents.get(stored.k)!,
    ...{ rank: stored.r, score: stored.s, personalization: stored.p, stored },
    ...(stored.d === undefined ? {} : { deliveryId: stored.d }),
  });
  return rows.map((row) => ({ ...row, items: row.items?.map(itemOf) ?? null }));
}

async function selectContents(
  tx: Tx,
  runId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, RunItemContent>> {
  if (keys.length === 0) return new Map();
  const rows = await tx.query<{ key: string; item: RunItemContent }>(
    'select key, item from arbiter.campaign_run_items where tenant_id = $1 and run_id = $2 and key = any($3::text[])',
    [tx.tenantId, runId, textArray([...new Set(keys)])],
  );
  return new Map(rows.map(({ key, item }) => [key, item]));
}

export async function countResults(tx: Tx, runId: string, status: string | null): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from arbiter.campaign_results
      where tenant_id = $1 and run_id = $2 and ($3::text is null or status = $3)`,
    [tx.tenantId, runId, status],
  );
  return row?.total ?? 0;
}

/** Freezes the members of a run. `customerIds`: in the order in which it decides, from this place on. */
export async function insertMembers(
  tx: Tx,
  runId: string,
  from: number,
  customerIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into arbiter.campaign_members (tenant_id, run_id, place, customer_id)
     select $1, $2, $3 + u.place - 1, u.customer_id from unnest($4::text[]) with ordinality as u(customer_id, place)`,
    [tx.tenantId, runId, from, textArray(customerIds)],
  );
}

export interface Member {
  readonly place: number;
  readonly customerId: string;
}

/** Returns the members at places from `from` up to, but not including, `to`; erased ones are missing. */
export async function selectMembers(tx: Tx, runId: string, from: number, to: number): Promise<Member[]> {
  return tx.query<Member>(
    `select place, customer_id as "customerId" from arbiter.campaign_members
      where tenant_id = $1 and run_id = $2 and place >= $3 and place < $4 order by place`,
    [tx.tenantId, runId, from, to],
  );
}

/** Skips all members from a place on. Returns how many were left. */
export async function skipRest(tx: Tx, runId: string, from: number, reason: CampaignSkipReason): Promise<number> {
  const [row] = await tx.query<{ skipped: number }>(
    `with skipped as (
       insert into arbiter.campaign_results (tenant_id, run_id, place, customer_id, status, skip_reason, processed_at)
       select tenant_id, run_id, place, customer_id, 'skipped', $4, $5 from arbiter.campaign_members
        where tenant_id = $1 and run_id = $2 and place >= $3 returning 1)
     select count(*)::int as skipped from skipped`,
    [tx.tenantId, runId, from, reason, tx.now],
  );
  const skipped = row?.skipped ?? 0;
  await tx.query(
    `update arbiter.campaign_runs
        set skipped_customers = skipped_customers + total_customers - next_place, next_place = total_customers,
            skipped_by_caps = skipped_by_caps + $3, is_capped = is_capped or $4
      where tenant_id = $1 and id = $2`,
    [tx.tenantId, runId, reason === 'run_cap' ? skipped : 0, reason === 'run_cap'],
  );
  return skipped;
}

export async function deleteMembers(tx: Tx, runId: string): Promise<void> {
  await tx.query('delete from arbiter.campaign_members where tenant_id = $1 and run_id = $2', [tx.tenantId, runId]);
}

/** Deletes the members and results of runs that are deleted. A chunk that had one of them locked has committed by then. */
export async function deleteRows(tx: Tx, runIds: readonly string[]): Promise<void> {
  const values = [tx.tenantId, runIds];
  await tx.query('delete from arbiter.campaign_members where tenant_id = $1 and run_id = any($2::uuid[])', values);
  await tx.query('delete from arbiter.campaign_results where tenant_id = $1 and run_id = any($2::uuid[])', values);
}

/** Removes a customer from all runs. Returns those that had a result, whose file may show it. */
export async function eraseCustomer(tx: Tx, customerId: string): Promise<string[]> {
  const values = [tx.tenantId, customerId];
  await tx.query('delete from arbiter.campaign_members where tenant_id = $1 and customer_id = $2', values);
  const rows = await tx.query<{ runId: string }>(
    'delete from arbiter.campaign_results where tenant_id = $1 and customer_id = $2 returning run_id as "runId"',
    values,
  );
  return rows.map(({ runId }) => runId);
}
