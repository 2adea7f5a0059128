import type { CustomerEventType } from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';

/** Something that happened to a customer, as triggers and journeys see it. */
export interface CustomerEvent {
  /** With a trigger, the key that makes an action happen once. */
  readonly id: string;
  readonly type: CustomerEventType;
  readonly customerId: string;
  readonly channel: string | null;
  readonly timestamp: Date;
  /** What conditions read as `data.*`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Of `segment.entered` and `segment.left`. */
  readonly segmentId?: string;
  /** Of `outcome.recorded` that a response reported: its row of history. */
  readonly outcome?: Readonly<Record<string, unknown>>;
  /** How many triggers led here, one causing the next. */
  readonly depth: number;
}

/** Types of the stream, by the event that they become. */
export const streamTypes = {
  'outcome.recorded': 'interaction.recorded.v1',
  'customer.created': 'customer.changed.v1',
  'customer.updated': 'customer.changed.v1',
  'decision.made': 'decision.made.v1',
  'delivery.updated': 'delivery.updated.v1',
  'segment.entered': 'segment.changed.v1',
  'segment.left': 'segment.changed.v1',
} as const satisfies Partial<Record<CustomerEventType, string>>;

export type StreamedEventType = keyof typeof streamTypes;

/** Types of events that come from the stream. */
export const streamedEventTypes = Object.keys(streamTypes) as readonly StreamedEventType[];

export const isStreamed = (type: string): type is StreamedEventType => Object.hasOwn(streamTypes, type);

/** An event of the stream, and the ids under which a trigger may have noted that it caused it. */
export interface ReadEvent {
  readonly event: Omit<CustomerEvent, 'depth'>;
  readonly causeIds: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Reads an event of the stream, a JSON text. Null if it's about no customer, or of another type. */
export function readStreamEvent(text: string): ReadEvent | null {
  const { id, type, timestamp, payload }: Readonly<Record<string, unknown>> = JSON.parse(text);
  if (!isText(id) || !isText(type) || !isText(timestamp) || !isObject(payload)) return null;
  const { customerId } = payload;
  if (!isText(customerId)) return null;
  const about = { id, customerId, channel: null, timestamp: new Date(timestamp), data: payload };
  const causeIds = [id, payload.requestId, payload.deliveryId, payload.recommendationId].filter(isText);
  switch (type) {
    case 'interaction.recorded.v1':
      // What a customer does with an offer isn't caused by what offered it.
      return { event: { ...about, type: 'outcome.recorded', data: {}, outcome: payload }, causeIds: [id] };
    case 'customer.changed.v1': {
      const kind = payload.event === 'customer.created' ? 'customer.created' : 'customer.updated';
      return { event: { ...about, type: kind }, causeIds };
    }
    case 'decision.made.v1': {
      const { channel } = payload;
      return { event: { ...about, type: 'decision.made', channel: isText(channel) ? channel : null }, causeIds };
    }
    case 'delivery.updated.v1':
      return { event: { ...about, type: 'delivery.updated' }, causeIds };
    case 'segment.changed.v1': {
      const { segmentId, event } = payload;
      if (!isText(segmentId)) return null;
      const kind = event === 'entered' ? 'segment.entered' : 'segment.left';
      return { event: { ...about, type: kind, segmentId }, causeIds };
    }
    default:
      return null;
  }
}
