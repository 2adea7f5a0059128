import type { Tx } from '../../../db/tx.ts';
import { isObject } from '../../../platform/json.ts';
import { type EventListeners, isStreamed, streamedEventTypes } from '../customer-events/index.ts';
import { selectAwaited } from '../journeys/index.ts';
import { type FirePorts, reactTo } from './fire.service.ts';
import { enqueueDispatches } from './triggers.jobs.ts';
import { selectListened, selectSegmentConditions } from './triggers.store.ts';

/** What triggers and journeys do with events of the stream. Actions become jobs. */
export function createEventListeners(ports: FirePorts): EventListeners {
  return {
    async listensTo(tx) {
      const types = [
        ...(await selectListened(tx, streamedEventTypes)),
        ...(await selectAwaited(tx, streamedEventTypes)),
      ];
      return new Set(types.filter(isStreamed));
    },
    async react(tx, event) {
      const firings = await reactTo(tx, ports, event);
      await enqueueDispatches(
        tx,
        firings.map(({ id }) => id),
      );
    },
  };
}

/** Of these segments, those whose members active triggers wait for. A trigger that names none waits for all. */
export async function segmentsWatched(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const conditions = await selectSegmentConditions(tx);
  const named = conditions.map(segmentsNamed);
  return new Set(named.some((some) => some.size === 0) ? ids : ids.filter((id) => named.some((some) => some.has(id))));
}

/** Ids that a condition compares `data.segmentId` with. */
function segmentsNamed(condition: unknown): ReadonlySet<string> {
  if (!isObject(condition)) return new Set();
  const parts = [condition.all, condition.any, condition.not].flat();
  const own = condition.field === 'data.segmentId' ? [condition.value].flat() : [];
  const texts = own.filter((id) => typeof id === 'string').map((id) => id.toLowerCase());
  return new Set([...texts, ...parts.flatMap((part) => [...segmentsNamed(part)])]);
}
