import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { takeStock } from '../../../catalogue/offers/index.ts';
import { countInRealtime } from '../../../data/behavioral-metrics/index.ts';
import { appendEvents } from '../../../operations/stream/index.ts';
import { noteExposures } from '../../assignments/index.ts';
import { type SavedState, saveHeldStates } from '../../customer-states/index.ts';
import { appendChanges, type EvidenceChange } from '../../evidence/index.ts';
import { insertInteractions, interactionEvent, type Settlement, settleReservations } from '../../interactions/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import { writeTriggered } from '../../suppressions/index.ts';
import { bookVolumes } from '../../volumes/index.ts';
import type { Responded } from './responded.ts';
import { keepResponses } from './responses.store.ts';

/** Writes what the responses of a batch do. Returns the changes to the evidence, with their numbers. */
export async function writeResponses(
  tx: Tx,
  { countsVolumes, settings, realtimeCounter }: Pick<TenantCatalogue, 'countsVolumes' | 'settings' | 'realtimeCounter'>,
  responded: readonly Responded[],
  saved: readonly SavedState[],
): Promise<EvidenceChange[]> {
  const rows = responded.flatMap((each) => each.rows);
  const rowIds = rows.map((row) => row.id);
  await settleReservations(tx, settlementsOf(responded));
  await noteExposures(
    tx,
    responded.flatMap(({ exposures }) => exposures),
  );
  for (const { answer, triggered } of responded) await writeTriggered(tx, answer.customerId, triggered);
  await insertInteractions(tx, rows);
  await saveHeldStates(tx, saved);
  const keys = responded.flatMap(({ key }) => key ?? []);
  if (keys.length > 0 && !(await keepResponses(tx, keys))) throw new AppError('idempotency_in_progress');
  await takeStock(
    tx,
    responded.flatMap(({ sold }) => sold ?? []),
  );
  await appendEvents(
    tx,
    rows.map((row) => interactionEvent(tx, row)),
    rowIds,
  );
  await countInRealtime(tx, realtimeCounter, rowIds);
  const numbered = await appendChanges(
    tx,
    responded.flatMap(({ change }) => change ?? []),
  );
  if (countsVolumes) {
    const facts = responded.flatMap(({ bookings }) => bookings.facts);
    const settled = responded.flatMap(({ bookings }) => bookings.settled);
    if (facts.length + settled.length > 0) await bookVolumes(tx, { facts, settled }, settings.timezone);
  }
  return numbered;
}

/** The state in which each reservation ends, with what settled it first. */
function settlementsOf(responded: readonly Responded[]): ReadonlyMap<string, Settlement> {
  const settlements = new Map<string, Settlement>();
  for (const { settlement } of responded) {
    if (settlement === null) continue;
    const { itemId, state, by, customerSeq } = settlement;
    const first = settlements.get(itemId);
    settlements.set(itemId, { by, customerSeq, ...first, state });
  }
  return settlements;
}
