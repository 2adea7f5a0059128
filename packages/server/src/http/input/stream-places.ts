import { AppError } from '../../platform/app-error.ts';

/** Limits answers that stay open, such as event streams, so they can't use up the process's connections. */
export interface StreamPlaces {
  /**
   * Takes a place for the tenant. The returned function releases it and may be called more than once. Throws AppError
   * `rate_limited` (429) when the tenant has used all of its places, and `overloaded` (503) when the process has none
   * left.
   */
  take(tenantId: string): () => void;
}

export interface StreamLimits {
  /** Open streams of one tenant in this process. */
  readonly perTenant: number;
  /** Open streams of this process. */
  readonly total: number;
}

/** A browser opens at most six connections to a host, so this allows dozens of open pages per tenant. */
export const defaultStreamLimits: StreamLimits = { perTenant: 100, total: 1_000 };

/** Seconds before a refused client may retry: places come free when others close their pages. */
const retryAfterSeconds = 5;

export function createStreamPlaces({ perTenant, total }: StreamLimits = defaultStreamLimits): StreamPlaces {
  /** Only tenants with open streams. */
  const openStreams = new Map<string, number>();
  let all = 0;
  return {
    take(tenantId) {
      const own = openStreams.get(tenantId) ?? 0;
      if (own >= perTenant) {
        throw new AppError('rate_limited', {
          detail: `The tenant already has ${perTenant} event streams open, which is the limit. Close one first.`,
          retryAfterSeconds,
        });
      }
      if (all >= total) {
        throw new AppError('overloaded', {
          detail: "The server can't open more event streams. Try again later.",
          retryAfterSeconds,
        });
      }
      openStreams.set(tenantId, own + 1);
      all += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        all -= 1;
        const left = (openStreams.get(tenantId) ?? 1) - 1;
        if (left === 0) openStreams.delete(tenantId);
        else openStreams.set(tenantId, left);
      };
    },
  };
}
