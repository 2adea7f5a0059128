import { type Database, type HotPath, tenantsChangedLast } from '../../../../db/index.ts';
import { alarmAt } from '../../../../platform/deadline.ts';
import { readStates } from '../../customer-states/index.ts';
import { type CatalogueCache, newestVersions } from '../../plans/index.ts';
import { type RehearsalDeps, rehearse } from './rehearsal.ts';
import { nobodysTenant } from './rehearsal-catalogue.ts';

export interface WarmUpDeps extends RehearsalDeps {
  readonly database: Pick<Database, 'withSystem'>;
  readonly hot: HotPath;
  readonly catalogues: Pick<CatalogueCache, 'get'>;
  readonly onError: (error: unknown) => void;
}

/** Maximum catalogues to prepare: those changed last, whose tenants are likely to call. */
const maxCatalogues = 8;
/** Connections of the hot path that are opened: as many batches as one tenant has in flight. */
const connections = 2;

/**
 * Prepares what the first callers of a process would wait for: decision code, connections with their first statements,
 * and the catalogues and plans of some tenants, which take seconds to read and compile when they're large and the
 * machine is busy. Ends by `until` (monotonic ms); a catalogue in progress is finished later. Writes nothing and never
 * fails a start: what can't be done now is done, or reported, on demand.
 */
export async function warmUp(deps: WarmUpDeps, until: number): Promise<void> {
  const { hot, catalogues, onError } = deps;
  const connect = () =>
    hot.run(nobodysTenant, (tx) => tx.send([readStates(nobodysTenant, ['']), newestVersions(nobodysTenant)]));
  await Promise.all([
    rehearse(deps).catch(onError),
    ...Array.from({ length: connections }, () => connect().catch(onError)),
  ]);
  const changedLast = deps.database.withSystem('warm-up', (tx) => tenantsChangedLast(tx, maxCatalogues));
  const tenants = await changedLast.catch((error: unknown) => {
    onError(error);
    return [];
  });
  const alarm = alarmAt(until);
  for (const tenantId of tenants) {
    const ready = makeReady(catalogues, tenantId).then(() => 'ready' as const, onError);
    if ((await Promise.race([ready, alarm.rung])) === 'late') break;
  }
  alarm.cancel();
}

async function makeReady(catalogues: Pick<CatalogueCache, 'get'>, tenantId: string): Promise<void> {
  const catalogue = await catalogues.get(tenantId);
  await catalogue.compileAhead();
}
