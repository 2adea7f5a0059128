import { type Database, type HotPath, tenantsUsedLast, type UsedTenant } from '../../../../db/index.ts';
import { alarmAt } from '../../../../platform/deadline.ts';
import { readStates } from '../../customer-states/index.ts';
import { type CatalogueCache, newestVersions } from '../../plans/index.ts';
import { lastMinute } from '../minutes/decision-minutes.store.ts';
import { type RehearsalDeps, rehearse } from './rehearsal.ts';
import { nobodysTenant } from './rehearsal-catalogue.ts';

export interface WarmUpDeps extends RehearsalDeps {
  readonly database: Pick<Database, 'withSystem'>;
  readonly hot: HotPath;
  readonly catalogues: Pick<CatalogueCache, 'get'>;
  readonly onError: (error: unknown) => void;
  /** Stops preparing catalogues in the background. */
  readonly stopped: AbortSignal;
}

/** Catalogues that a start waits for: of tenants that decided last, otherwise those changed last. */
const atOnce = 8;
/** Catalogues prepared in all. */
const maxCatalogues = 64;
/** After the start, only tenants that decided so recently: others may never call, and each takes memory. */
const recentMs = 86_400_000;
/** Connections of the hot path that are opened: as many batches as one tenant has in flight. */
const connections = 2;

/**
 * Prepares what the first callers of a process would wait for: decision code, connections with their first statements,
 * and the catalogues and plans of some tenants, which take seconds to read and compile when they're large and the
 * machine is busy. Ends by `until` (monotonic ms); the rest is prepared in the background. Writes nothing and never
 * fails a start: what can't be done now is done, or reported, on demand.
 */
export async function warmUp(deps: WarmUpDeps, until: number): Promise<void> {
  const { hot, onError } = deps;
  const connect = () =>
    hot.run(nobodysTenant, (tx) => tx.send([readStates(nobodysTenant, ['']), newestVersions(nobodysTenant)]));
  await Promise.all([
    rehearse(deps).catch(onError),
    ...Array.from({ length: connections }, () => connect().catch(onError)),
  ]);
  const usedLast = deps.database.withSystem('warm-up', (tx) => tenantsUsedLast(tx, lastMinute, maxCatalogues));
  const tenants = await usedLast.catch((error: unknown) => {
    onError(error);
    return [];
  });
  const recently = deps.clock.now() - recentMs;
  const later = tenants.slice(atOnce).filter(({ usedAt }) => usedAt !== null && usedAt.getTime() >= recently);
  const first = makeAllReady(deps, tenants.slice(0, atOnce));
  const rest = first.then(() => makeAllReady(deps, later));
  rest.catch(onError);
  const alarm = alarmAt(until);
  await Promise.race([first, alarm.rung]);
  alarm.cancel();
}

/** One after the other, so that callers of a catalogue that comes later don't wait for all of them. */
async function makeAllReady(deps: WarmUpDeps, tenants: readonly UsedTenant[]): Promise<void> {
  const { catalogues, stopped, onError } = deps;
  for (const { id } of tenants) {
    if (stopped.aborted) return;
    try {
      const catalogue = await catalogues.get(id);
      await catalogue.compileAhead();
    } catch (error) {
      if (!stopped.aborted) onError(error);
    }
  }
}
