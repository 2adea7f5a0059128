import { type Database, systemActor } from '../../../db/index.ts';
import type { StreamEvent } from '../../../jobs/index.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { appendAwaited, hasEvent, publishRows } from './outbox.store.ts';
import { type OnPublished, slice } from './outbox.ts';

/** Publishes events whose position the caller waits for. One of each process. */
export interface EventPublisher {
  /**
   * Adds an event to the tenant's stream. Returns its position once it is published; null if that took too long or
   * failed. Once added, an event is published later in any case. `isAgain`: it may have been added before.
   */
  publish(event: StreamEvent, options: { readonly until: number; readonly isAgain: boolean }): Promise<string | null>;
}

export interface EventPublisherDeps {
  readonly database: Database;
  readonly onPublished: OnPublished;
  readonly onError: (error: unknown) => void;
}

/** How long a call waits for its position. */
const publishWithinMs = 1_000;
const repeatsWithinMs = 86_400_000;
const actor = systemActor('ingest');

interface Waiter {
  readonly rowId: string;
  readonly resolve: (position: number | null) => void;
}

export function createEventPublisher({ database, onPublished, onError }: EventPublisherDeps): EventPublisher {
  /** By tenant. Calls that come in while the tenant's outbox is published share the next turn. */
  const queues = new Map<string, Waiter[]>();

  async function takeTurn(tenantId: string, waiters: readonly Waiter[], until: number): Promise<void> {
    const { positions, slices } = await database.withTenant(
      tenantId,
      actor,
      async (tx) => {
        const ids = waiters.map(({ rowId }) => rowId);
        return publishRows(tx, ids, slice, await dayOffsets((await readSettings(tx)).timezone));
      },
      { until },
    );
    for (const { rowId, resolve } of waiters) resolve(positions.get(rowId) ?? null);
    for (const published of slices) await onPublished(tenantId, published).catch(onError);
  }

  async function work(tenantId: string, queue: Waiter[]): Promise<void> {
    while (queue.length > 0) {
      const waiters = queue.splice(0);
      await takeTurn(tenantId, waiters, performance.now() + publishWithinMs).catch((error: unknown) => {
        onError(error);
        for (const { resolve } of waiters) resolve(null);
      });
    }
    queues.delete(tenantId);
  }

  function positionOf(tenantId: string, rowId: string): Promise<number | null> {
    return new Promise((resolve) => {
      const queue = queues.get(tenantId);
      if (queue !== undefined) {
        queue.push({ rowId, resolve });
        return;
      }
      const own = [{ rowId, resolve }];
      queues.set(tenantId, own);
      void work(tenantId, own);
    });
  }

  return {
    async publish(event, { until, isAgain }) {
      const { tenantId } = event;
      try {
        const rowId = await database.withTenant(
          tenantId,
          actor,
          async (tx) => {
            const since = new Date(tx.now.getTime() - repeatsWithinMs);
            if (isAgain && (await hasEvent(tx, event.id, since))) return null;
            return appendAwaited(tx, event);
          },
          { until },
        );
        const position = rowId === null ? null : await positionOf(tenantId, rowId);
        return position === null ? null : String(position);
      } catch (error) {
        onError(error);
        return null;
      }
    },
  };
}
