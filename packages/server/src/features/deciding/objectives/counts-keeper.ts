import { countsView, type ObjectiveCounts } from '@arbiter/engine';
import { type Database, systemActor } from '../../../db/index.ts';
import { type CheckedState, renewCounts } from './objectives.service.ts';

/**
 * The counts of ranking objectives that this process holds, one state per tenant. A decision uses one that was what history
 * says within the last 60 s (docs/design/api-catalogue.md 17), and nothing is read for it: a
 * reader that finds the state older than half of that renews it in the background. A new version of the catalogue has the newest state read at once, which
 * is how `POST /admin/cache` reaches every process.
 */
export interface CountsKeeper {
  /** The state for a decision at `now` (epoch ms) with this version of the catalogue. */
  get(tenantId: string, version: number, now: number): ObjectiveCounts | Promise<ObjectiveCounts>;
  /** Resolves when no state is being read. */
  idle(): Promise<void>;
}

/** A state is not used when it is older than this. */
const oldestMs = 60_000;
/** It is renewed in the background when it is older than this; what another process counted within it is new enough. */
const renewMs = 30_000;

interface KeptCounts {
  readonly state: CheckedState;
  readonly view: ObjectiveCounts;
  /** Of the catalogue, when the state was read. */
  readonly version: number;
}

export function createCountsKeeper(database: Database, onError: (error: unknown) => void): CountsKeeper {
  const counts = new Map<string, KeptCounts>();
  const renewing = new Map<string, { readonly version: number; readonly work: Promise<KeptCounts> }>();
  const actor = systemActor('objectives');

  function renew(tenantId: string, version: number): Promise<KeptCounts> {
    const before = renewing.get(tenantId);
    if (before !== undefined) {
      if (before.version >= version) return before.work;
      // What is being read may have been so before the new version was there.
      return before.work.then(
        () => renew(tenantId, version),
        () => renew(tenantId, version),
      );
    }
    const known = counts.get(tenantId) ?? null;
    const work = database
      .withTenant(tenantId, actor, (tx) => renewCounts(tx, known?.state ?? null, renewMs))
      .then((state) => {
        const view = known !== null && known.state.number === state.number ? known.view : countsView(state);
        const fresh = { state, view, version };
        counts.set(tenantId, fresh);
        return fresh;
      })
      .finally(() => renewing.delete(tenantId));
    renewing.set(tenantId, { version, work });
    return work;
  }

  return {
    get(tenantId, version, now) {
      const known = counts.get(tenantId);
      const age = known === undefined ? Infinity : now - known.state.checkedAt;
      // A clock that was set back says nothing of the age.
      if (known === undefined || known.version < version || age > oldestMs || age < -oldestMs) {
        return renew(tenantId, version).then(({ view }) => view);
      }
      if (age > renewMs && !renewing.has(tenantId)) renew(tenantId, version).catch(onError);
      return known.view;
    },
    async idle() {
      await Promise.allSettled([...renewing.values()].map(({ work }) => work));
    },
  };
}
