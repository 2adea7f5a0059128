import Type, { type Static, type TSchema } from 'typebox';
import type { Tx } from '../db/index.ts';
import { newId } from '../platform/ids.ts';

/** A kind of event of the tenant's stream, described once (docs/design/api-access.md 12.1). */
export interface EventType<P extends TSchema = TSchema> {
  /** `<noun>.<what happened>.v<number>`, unique. */
  readonly type: string;
  readonly payload: P;
  /** Schema of the whole event, as the stream holds it. */
  readonly envelope: TSchema;
}

/** An event as the stream holds it. */
export interface StreamEvent<Payload = unknown> {
  readonly id: string;
  readonly type: string;
  readonly tenantId: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  readonly payload: Payload;
}

/** Describes a kind of event. Throws for an invalid name, so a process with one doesn't start. */
export function event<P extends TSchema>({ type, payload }: Pick<EventType<P>, 'type' | 'payload'>): EventType<P> {
  if (!/^[a-z]+(\.[a-z]+)+\.v[1-9]\d*$/.test(type)) throw new Error(`not a valid event name: ${type}`);
  const envelope = Type.Object(
    {
      id: Type.String({ format: 'uuid', description: 'ID of the event. Redeliveries have the same ID.' }),
      type: Type.Literal(type, { description: 'Type of the event.' }),
      tenantId: Type.String({ format: 'uuid', description: 'Tenant of the event.' }),
      timestamp: Type.String({ format: 'date-time', description: 'When it was recorded.' }),
      payload,
    },
    { additionalProperties: false },
  );
  return { type, payload, envelope };
}

/** A new event of the transaction's tenant and instant. The compiler checks its payload against the schema. */
export function newEvent<P extends TSchema>(tx: Tx, of: EventType<P>, payload: Static<P>): StreamEvent<Static<P>> {
  return { id: newId(), type: of.type, tenantId: tx.tenantId, timestamp: tx.now.toISOString(), payload };
}
