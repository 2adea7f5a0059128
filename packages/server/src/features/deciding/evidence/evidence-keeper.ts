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
  /** Whole ms since the tenant's state was last known to be current; 0 without one. */
  ageMs(tenantId: string): number;
  /** Says that a number is known to exist; fetches the changes up to it in the background. */
  newestIs(tenantId: string, number: number): void;
  /** Applies changes that this process has committed. */
  committed(tenantId: string, changes: readonly EvidenceChange[]): void;
  /** Resolves when no fetch is under way. */
  idle(): Promise<void>;
}

/** Decisions never use a state that is behind by more than this. Deletion relies on it. */
const furthestBehindMs = 3_600_000;

/** The keeper's state, by tenant. */
interface Kept {
  readonly database: Database;
  readonly onError: (error: unknown) => void;
  readonly states: Map<string, EvidenceState>;
  readonly loading: Map<string, Promise<EvidenceState>>;
  readonly fetching: Map<string, Promise<void>>;
  /** Monotonic ms at which a state was last known to be the newest. */
  readonly newestAt: Map<string, number>;
  /** Number of the state when we last checked whether a snapshot is due. */
  readonly snapshotCheckedAt: Map<string, number>;
}

const actor = systemActor('evidence');

export function createEvidenceKeeper(database: Database, onError: (error: unknown) => void): EvidenceKeeper {
  const kept: Kept = {
    database,
    onError,
    states: new Map(),
    loading: new Map(),
    fetching: new Map(),
    newestAt: new Map(),
    snapshotCheckedAt: new Map(),
  };
  const { states, newestAt, snapshotCheckedAt } = kept;
  return {
    get: (tenantId) => states.get(tenantId) ?? load(kept, tenantId),
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
        // Either nobody needed it for this long or changes didn't arrive: this decision waits for the current state.
        states.delete(tenantId);
        return;
      }
      fetchMissing(kept, tenantId, number);
    },
    committed(tenantId, changes) {
      const state = states.get(tenantId);
      if (!state) return;
      const isWhole = applyNew(state, changes);
      // A process that gets no changes from others must check whether a snapshot is due.
      const isDue = state.number - (snapshotCheckedAt.get(tenantId) ?? 0) >= snapshotEvery;
      if (!isWhole || isDue) fetchMissing(kept, tenantId, null);
    },
    async idle() {
      await Promise.all(kept.fetching.values());
    },
  };
}

function load(
  { database, states, loading, newestAt, snapshotCheckedAt }: Kept,
  tenantId: string,
): Promise<EvidenceState> {
  let promise = loading.get(tenantId);
  if (!promise) {
    promise = database
      .withTenant(tenantId, actor, async (tx) => {
        const state = await rebuildEvidence(tx, null);
        await snapshotWhenDue(tx, state);
        snapshotCheckedAt.set(tenantId, state.number);
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

/** Fetches changes in the background. `newest`: a number that is known to exist; null: whatever comes next. */
function fetchMissing(kept: Kept, tenantId: string, newest: number | null): void {
  const { database, states, fetching, newestAt, snapshotCheckedAt } = kept;
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
      // What follows this state has been deleted: nobody needed it for a long time (evidence-expiry.store.ts), or the
      // tenant was reset and no change leads to its number.
      if (newest !== null && state.number < newest) isWhole = false;
      if (!isWhole && states.get(tenantId) === state) {
        states.delete(tenantId);
        return;
      }
      newestAt.set(tenantId, performance.now());
      await snapshotWhenDue(tx, state);
      snapshotCheckedAt.set(tenantId, state.number);
    })
    .catch(kept.onError)
    .finally(() => fetching.delete(tenantId));
  fetching.set(tenantId, work);
}

/** Applies the changes that follow the state. Skips known ones; returns false at a gap, which the next fetch fills. */
function applyNew(state: EvidenceState, changes: readonly EvidenceChange[]): boolean {
  for (const change of changes) {
    if (change.number <= state.number) continue;
    if (change.number !== state.number + 1) return false;
    applyChange(state, change);
  }
  return true;
}
