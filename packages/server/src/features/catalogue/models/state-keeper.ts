import type { DecisionInput, ModelState, Plan } from '@arbiter/engine';
import { type Database, systemActor } from '../../../db/index.ts';
import { publishStates, readStateBodies } from './states.store.ts';

/** The model states that decisions now use. */
export type StatesInMemory = (plan: Plan) => DecisionInput['modelStates'];

/**
 * The learned states of models that this process decides with: read on demand, some seconds old, and refreshed
 * immediately after a catalogue change. Only the first decision waits for them, and the first after a long pause.
 */
export interface ModelStateKeeper {
  /** Returns the learned states of the tenant's models; `version` is the catalogue's. */
  get(tenantId: string, version: number): StatesInMemory | Promise<StatesInMemory>;
  /** Resolves when no reading is under way. */
  idle(): Promise<void>;
}

interface LoadedStates {
  readonly of: StatesInMemory;
  readonly states: ReadonlyMap<string, ModelState>;
  readonly version: number;
  /** Monotonic ms. */
  readonly at: number;
}

const lookEveryMs = 10_000;
/** Older states aren't used for decisions; deleting them relies on it (states.store.ts). */
const oldestMs = 60_000;

export function createModelStateKeeper(database: Database, onError: (error: unknown) => void): ModelStateKeeper {
  const loaded = new Map<string, LoadedStates>();
  const reading = new Map<string, { readonly version: number; readonly work: Promise<StatesInMemory> }>();
  const actor = systemActor('model-states');

  function read(tenantId: string, version: number): Promise<StatesInMemory> {
    const running = reading.get(tenantId);
    // One that began before the change doesn't know it.
    if (running?.version === version) return running.work;
    const known = loaded.get(tenantId)?.states ?? new Map<string, ModelState>();
    const work = database
      .withTenant(tenantId, actor, async (tx) => {
        const published = await publishStates(tx);
        const hashes = new Set(published.map(({ hash }) => hash));
        const byHash = new Map([...known.values()].map((state) => [state.hash, state]));
        const bodies = await readStateBodies(
          tx,
          [...hashes].filter((hash) => !byHash.has(hash)),
        );
        for (const [hash, state] of bodies) byHash.set(hash, { hash, state });
        return new Map(published.map(({ modelId, hash }) => [modelId, byHash.get(hash)!]));
      })
      .then((states) => {
        const entry: LoadedStates = { of: statesOf(states), states, version, at: performance.now() };
        loaded.set(tenantId, entry);
        return entry.of;
      })
      .finally(() => {
        if (reading.get(tenantId)?.work === work) reading.delete(tenantId);
      });
    reading.set(tenantId, { version, work });
    return work;
  }

  return {
    get(tenantId, version) {
      const entry = loaded.get(tenantId);
      const age = entry === undefined ? Infinity : performance.now() - entry.at;
      if (entry === undefined || entry.version !== version || age > oldestMs) return read(tenantId, version);
      if (age > lookEveryMs) read(tenantId, version).catch(onError);
      return entry.of;
    },
    async idle() {
      await Promise.allSettled([...reading.values()].map(({ work }) => work));
    },
  };
}

/** By plan: the states of its learning models, by their keys. */
function statesOf(states: ReadonlyMap<string, ModelState>): StatesInMemory {
  const byPlan = new WeakMap<Plan, NonNullable<DecisionInput['modelStates']>>();
  return (plan) => {
    let own = byPlan.get(plan);
    if (own === undefined) {
      own = Object.fromEntries(
        plan.models.flatMap(({ id, key }) => {
          const state = states.get(id);
          return state === undefined ? [] : [[key, state] as const];
        }),
      );
      byPlan.set(plan, own);
    }
    return own;
  };
}
