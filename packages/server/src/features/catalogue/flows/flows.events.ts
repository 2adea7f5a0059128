import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { event, newEvent, type StreamEvent } from '../../../jobs/index.ts';
import type { DecisionFlowRow } from './flows.store.ts';

/** A flow decides by another version from now on (docs/design/api-access.md 12.1). */
export const flowPublished = event({
  type: 'flow.published.v1',
  payload: Type.Object(
    {
      flowId: Type.String({ format: 'uuid', description: 'ID of the flow.' }),
      key: Type.String({ minLength: 1, description: 'Key of the flow.' }),
      oldVersion: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'Version used for decisions before; null if it was not published yet.',
      }),
      newVersion: Type.Integer({ minimum: 1, description: 'Version now used for decisions.' }),
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
