import type { ServerSentEvent } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { selectHead } from './outbox.store.ts';
import { beginning, placeText, readPlace, type StreamPlace } from './positions.rules.ts';
import { readEvents } from './read-events.ts';
import type { StreamWatch } from './stream-watch.ts';

/** The request to the stream. */
export interface StreamQuestion {
  /** As sent: a position, `latest`, or nothing. */
  readonly after: string | null;
  /** Types of events, separated by commas; null: all. */
  readonly topic: string | null;
}

/** Where to start, and which events. */
export interface StreamStart {
  readonly place: StreamPlace;
  readonly types: ReadonlySet<string> | null;
}

const badPlace = () =>
  new AppError('invalid_cursor', {
    detail: '`after` is not a valid position in the stream.',
    errors: [{ path: 'query.after', message: 'is not a valid position in the stream' }],
  });

/**
 * Reads the request. Throws 400 `invalid_cursor` for an invalid position, and for one beyond the stream's end; 400 for
 * an unknown topic.
 */
export async function startOf(
  tx: Tx,
  { after, topic }: StreamQuestion,
  known: readonly string[],
): Promise<StreamStart> {
  const types = topic === null ? null : new Set(topic.split(',').map((type) => type.trim()));
  for (const type of types ?? []) {
    if (!known.includes(type))
      throw invalid('query.topic', `has an unknown type; it must be one of ${known.join(', ')}`);
  }
  if (after === null) return { place: beginning, types };
  const head = await selectHead(tx);
  if (after === 'latest') return { place: { row: head, event: null }, types };
  const place = readPlace(after);
  if (place === null || place.row > head) throw badPlace();
  return { place, types };
}

/** Some events behind a place, as the JSON text of an `EventPage`. */
export async function eventPageText(tx: Tx, { place, types }: StreamStart, limit: number): Promise<string> {
  const { events, next } = await readEvents(tx, place, types, limit);
  return `{"data":[${events.map(({ text }) => text).join(',')}],"nextAfter":"${placeText(next)}"}`;
}

/** Events read at once for an open stream. */
const eventsPerLook = 500;
/** A key may expire, and nothing tells of that: so long after its last proof it may still read. */
const longestMs = 5 * 60_000;

/**
 * Yields events from a position on, until the caller leaves, the server stops, a credential of the tenant changes, or
 * some minutes have passed. Each read is its own transaction. `proven`: see `StreamWatch.open`.
 */
export async function* followEvents(
  { database, watch }: { readonly database: Pick<Database, 'withTenant'>; readonly watch: StreamWatch },
  { tenantId, actor, requestId, signal }: Pick<RequestFacts, 'tenantId' | 'actor' | 'requestId' | 'signal'>,
  { place, types }: StreamStart,
  proven: number,
): AsyncGenerator<ServerSentEvent> {
  const stream = watch.open(tenantId, proven);
  const until = performance.now() + longestMs;
  try {
    for (let from = place; !signal.aborted && !stream.hasToEnd() && performance.now() < until; ) {
      const changed = stream.changed();
      const after = from;
      const found = await database.withTenant(tenantId, actor, (tx) => readEvents(tx, after, types, eventsPerLook), {
        requestId,
      });
      for (const event of found.events) {
        if (stream.hasToEnd()) return;
        yield { id: placeText(event.place), event: event.type, data: JSON.parse(event.text) };
      }
      from = found.next;
      if (found.isEnd) await stream.wait(changed, signal);
    }
  } finally {
    stream.close();
  }
}
