import type { Database } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { readOn, rebuildEvidence, snapshotEvery, snapshotWhenDue } from './evidence.store.ts';
import { applyChange, type EvidenceChange, type EvidenceState } from './evidence.ts';

/**
 * The evidence states that this process holds, one per tenant. Its own changes are applied as they commit; others' are
 * fetched as soon as a batch has seen a higher number, so a state is never older than a batch and its round trip
 * (docs/design/api-decisioning.md 3 allows a second).
 */
export interface EvidenceKeeper {
  /** The state; read from the database at first use. Use it synchronously, it moves. */
  get(tenantId: string): Promise<EvidenceState> | EvidenceState;
  /** Whole ms since the tenant's state was last known to be the newest; 0 when there is none yet. */
  ageMs(tenantId: string): number;
  /** Says that a number is known to exist; fetches the changes up to it in the background. */
  newestIs(tenantId: string, number: number): void;
  /** Applies changes that this process has committed. */
  committed(tenantId: string, changes: readonly EvidenceChange[]): void;
  /** Resolves when no fetch is under way. */
  idle(): Promise<void>;
}

/** A decision is never made on a state that was left behind longer than this; what is deleted counts on it. */
const furthestBehindMs = 3_600_000;

export function createEvidenceKeeper(database: Database, onError: (error: unknown) => void): EvidenceKeeper {
  const states = new Map<string, EvidenceState>();
  const loading = new Map<string, Promise<EvidenceState>>();
  const fetching = new Map<string, Promise<void>>();
  /** Monotonic ms at which a state was last known to be the newest. */
  const newestAt = new Map<string, number>();
  /** Number of the state when its snapshots were last looked at. */
  const snapshotLookedAt = new Map<string, number>();
  const actor = systemActor('evidence');

  function load(tenantId: string): Promise<EvidenceState> {
    let promise = loading.get(tenantId);
    if (!promise) {
      promise = database
        .withTenant(tenantId, actor, async (tx) => {
          const state = await rebuildEvidence(tx, null);
          await snapshotWhenDue(tx, state);
          snapshotLookedAt.set(tenantId, state.number);
          return state;
        })
        .then((state) => {
          states.set(tenantId, state);
          newestAt.set(tenantId, performance.now());
          return state;
        })
        .finally(() => loading.delete(tenantId));
      loading.set(tenantId, promise);
    }
    return promise;
  }

  /** `newest`: a number that is known to exist; null: what comes next. */
  function fetchMissing(tenantId: string, newest: number | null): void {
    if (fetching.has(tenantId)) return;
    const work = database
      .withTenant(tenantId, actor, async (tx) => {
        const state = states.get(tenantId);
        if (!state) return;
        let isWhole = true;
        await readOn(tx, state, (change) => {
          isWhole = applyNew(state, [change]);
          return isWhole;
        });
        // What follows the state is deleted by now: nothing asked for it in a long time (evidence-expiry.store.ts), or the
        // tenant was reset, and no change leads to the number that it has.
        if (newest !== null && state.number < newest) isWhole = false;
        if (!isWhole && states.get(tenantId) === state) {
          states.delete(tenantId);
          return;
        }
        newestAt.set(tenantId, performance.now());
        await snapshotWhenDue(tx, state);
        snapshotLookedAt.set(tenantId, state.number);
      })
      .catch(onError)
      .finally(() => fetching.delete(tenantId));
    fetching.set(tenantId, work);
  }

  /** Applies what follows the state; what it has already, or what leaves a gap, is left for the next fetch. */
  function applyNew(state: EvidenceState, changes: readonly EvidenceChange[]): boolean {
    for (const change of changes) {
      if (change.number <= state.number) continue;
      if (change.number !== state.number + 1) return false;
      applyChange(state, change);
    }
    return true;
  }

  return {
    get: (tenantId) => states.get(tenantId) ?? load(tenantId),
    ageMs(tenantId) {
      const at = newestAt.get(tenantId);
      return at === undefined ? 0 : Math.max(0, Math.floor(performance.now() - at));
    },
    newestIs(tenantId, number) {
      const state = states.get(tenantId);
      if (!state) return;
      if (state.number >= number) {
        newestAt.set(tenantId, performance.now());
        return;
      }
      if (performance.now() - (newestAt.get(tenantId) ?? 0) > furthestBehindMs) {
        // Whether nobody asked for so long or the changes did not come: this decision waits for the state as it is now.
        states.delete(tenantId);
        return;
      }
      fetchMissing(tenantId, number);
    },
    committed(tenantId, changes) {
      const state = states.get(tenantId);
      if (!state) return;
      const isWhole = applyNew(state, changes);
      // A process that is told of no changes by others must check by itself whether a snapshot is due.
      const isDue = state.number - (snapshotLookedAt.get(tenantId) ?? 0) >= snapshotEvery;
      if (!isWhole || isDue) fetchMissing(tenantId, null);
    },
    async idle() {
      await Promise.all(fetching.values());
    },
  };
}
