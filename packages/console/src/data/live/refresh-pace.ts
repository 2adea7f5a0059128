/**
 * Paces refetches after events. The first event of a resource refetches its data at once; a busy tenant's decisions would
 * otherwise refetch lists many times a second and use up the user's rate limit.
 */

/** Least time between two refetches of a resource, in milliseconds: after edits, after traffic, and in a hidden page. */
export const refreshGaps = { edit: 500, traffic: 3_000, hidden: 30_000 } as const;

/** The clock of the pace. */
export interface PaceClock {
  readonly now: () => number;
  /** Runs work later. Returns a function that cancels it. */
  readonly later: (ms: number, work: () => void) => () => void;
}

export interface RefreshPace {
  /** Refetches resources now, or as soon as their pace allows. */
  readonly add: (resources: readonly string[], gapMs: number) => void;
  readonly stop: () => void;
}

/** Creates the pace; `refresh` refetches resources. */
export function createRefreshPace(refresh: (resources: readonly string[]) => void, clock: PaceClock): RefreshPace {
  const refreshedAt = new Map<string, number>();
  /** When waiting resources are due. */
  const due = new Map<string, number>();
  let cancel: (() => void) | null = null;

  const run = (): void => {
    cancel?.();
    cancel = null;
    const now = clock.now();
    const ready = [...due].filter(([, at]) => at <= now).map(([resource]) => resource);
    for (const resource of ready) {
      due.delete(resource);
      refreshedAt.set(resource, now);
    }
    if (ready.length > 0) refresh(ready);
    if (due.size > 0) cancel = clock.later(Math.min(...due.values()) - now, run);
  };

  return {
    add(resources, gapMs) {
      for (const resource of resources) {
        const at = Math.max(clock.now(), (refreshedAt.get(resource) ?? -Infinity) + gapMs);
        due.set(resource, Math.min(at, due.get(resource) ?? Infinity));
      }
      run();
    },
    stop: () => cancel?.(),
  };
}
