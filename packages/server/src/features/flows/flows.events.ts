import Type from 'typebox';
import type { Tx } from '../../db/tx.ts';
import { event, newEvent, type StreamEvent } from '../../jobs/index.ts';
import type { DecisionFlowRow } from './flows.store.ts';

/** A flow decides by another version from now on (docs/design/api-access.md 12.1). */
export const flowPublished = event({
  type: 'flow.published.v1',
  payload: Type.Object(
    {
      flowId: Type.String({ format: 'uuid', description: 'The flow.' }),
      key: Type.String({ minLength: 1, description: 'Its key.' }),
      oldVersion: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'The version that it decided by before; null: it was not published yet.',
      }),
      newVersion: Type.Integer({ minimum: 1, description: 'The version that it decides by now.' }),
    },
    { additionalProperties: false },
  ),
});

/** The event of a flow that was just published; publishing makes the number after the last one. */
export function publishedEvent(tx: Tx, { id, key, publishedVersion }: DecisionFlowRow): StreamEvent {
  const newVersion = publishedVersion ?? 1;
  return newEvent(tx, flowPublished, {
    flowId: id,
    key,
    oldVersion: newVersion === 1 ? null : newVersion - 1,
    newVersion,
  });
}
