import type { RecommendQuota } from '@arbiter/contract';
import type { HotStatement, HotTransaction, Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { playgroundQuota, raiseQuota, readQuota, selectQuotaUsed } from '../../../identity/tenants/index.ts';
import { StaleCatalogue, type TenantCatalogue } from '../../plans/index.ts';

/** A playground's remaining quota inside one transaction (docs/design/api-access.md 5.4). */
export interface QuotaInBatch {
  /** Items left after what this batch took. */
  left(): number;
  take(items: number): void;
  /** Returns the quota facts of an answer with this many items. */
  facts(taking: number, truncated: boolean): RecommendQuota;
  /** Returns the statement that raises the counter by what the batch took; null when it took nothing. */
  statement(): HotStatement | null;
}

/**
 * Reads the counter. Throws `StaleCatalogue` when the playground was reset since the catalogue was read. `hold` also
 * locks its row until the commit, so that the remaining quota stays true. Call it once every customer of the batch is
 * locked: whoever holds the counter waits for no lock, so batches can't deadlock.
 */
export async function openQuota(
  tx: HotTransaction,
  { tenantId, version }: Pick<TenantCatalogue, 'tenantId' | 'version'>,
  hold: boolean,
): Promise<QuotaInBatch> {
  const [rows] = await tx.send([readQuota(tenantId, hold)]);
  const { used: counted, reset_version: reset } = rows![0]!;
  if (Number(reset) > version) throw new StaleCatalogue(Number(reset));
  const used = Number(counted);
  let taken = 0;
  const leftAfter = (taking: number): number => Math.max(0, playgroundQuota - used - taken - taking);
  const left = (): number => leftAfter(0);
  return {
    left,
    take(items) {
      taken += items;
    },
    facts: (taking, truncated) => ({
      limit: playgroundQuota,
      used: used + taken + taking,
      remaining: leftAfter(taking),
      truncated,
    }),
    statement: () => (taken === 0 ? null : raiseQuota(tenantId, taken, playgroundQuota)),
  };
}

/** Returns the remaining quota of the transaction's playground. */
export async function readQuotaLeft(tx: Tx): Promise<number> {
  return Math.max(0, playgroundQuota - ((await selectQuotaUsed(tx)) ?? 0));
}

export const quotaHeader = (remaining: number): Readonly<Record<string, string>> => ({
  'x-decision-quota-remaining': String(remaining),
});

/** 429 for a playground that was given all of its decisions. */
export const quotaExceeded = (): AppError =>
  new AppError('quota_exceeded', {
    detail: `The playground has used all of its ${playgroundQuota} decisions.`,
    headers: quotaHeader(0),
  });
