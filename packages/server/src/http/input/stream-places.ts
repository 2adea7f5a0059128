import { AppError } from '../../platform/app-error.ts';

/** Places for answers that stay open, such as event streams, so that they cannot use up the process's connections. */
export interface StreamPlaces {
  /**
   * Takes a place for the tenant; the returned function gives it back, however often it is called. Throws AppError
   * `rate_limited` (429) when the tenant has all of its places, `overloaded` (503) when the process has none left.
   */
  take(tenantId: string): () => void;
}

export interface StreamLimits {
  /** Open streams of one tenant in this process. */
  readonly perTenant: number;
  /** Open streams of this process. */
  readonly total: number;
}

/** A browser opens six connections to a host at most, so this is some dozens of open pages of a tenant. */
export const defaultStreamLimits: StreamLimits = { perTenant: 100, total: 1_000 };

/** Seconds after which a refused client may try again: places come free when others close their pages. */
const retryAfterSeconds = 5;

export function createStreamPlaces({ perTenant, total }: StreamLimits = defaultStreamLimits): StreamPlaces {
  /** Tenants without an open stream are not in here. */
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(tenantId) {
      const own = held.get(tenantId) ?? 0;
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
      held.set(tenantId, own + 1);
      all += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        all -= 1;
        const left = (held.get(tenantId) ?? 1) - 1;
        if (left === 0) held.delete(tenantId);
        else held.set(tenantId, left);
      };
    },
  };
}
