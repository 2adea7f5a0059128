import { busySeconds } from '../../features/deciding/studies/index.ts';

/** A tenant that was refused asks again within `busySeconds`. One that doesn't has nothing left to do. */
const waitsMs = 3 * busySeconds * 1_000;

/**
 * Decides whose study this process works on: one at a time, and of the tenants that wait, the one whose last study is the
 * longest ago. A tenant with many studies could otherwise start the next one before others ask again.
 */
export function createTurns(now: () => number = () => performance.now()): {
  claim(tenantId: string): (() => void) | null;
} {
  let isClaimed = false;
  let claims = 0;
  /** Number of each tenant's last claim. */
  const lastClaim = new Map<string, number>();
  /** Until when a refused tenant is waited for. */
  const waiting = new Map<string, number>();
  const lastOf = (tenantId: string): number => lastClaim.get(tenantId) ?? 0;
  return {
    claim(tenantId) {
      for (const [other, until] of waiting) if (until < now()) waiting.delete(other);
      const isTurn = [...waiting.keys()].every((other) => lastOf(other) >= lastOf(tenantId));
      if (isClaimed || !isTurn) {
        waiting.set(tenantId, now() + waitsMs);
        return null;
      }
      isClaimed = true;
      waiting.delete(tenantId);
      claims += 1;
      lastClaim.set(tenantId, claims);
      return () => {
        isClaimed = false;
      };
    },
  };
}
