import Type from 'typebox';
import { event } from '../../../jobs/index.ts';

/** A customer entered or left a watched segment (docs/design/api-settled.md 19). */
export const segmentChanged = event({
  type: 'segment.changed.v1',
  payload: Type.Object(
    {
      segmentId: Type.String({ format: 'uuid', description: 'ID of the segment.' }),
      customerId: Type.String({ minLength: 1, description: 'ID of the customer.' }),
      event: Type.Union([Type.Literal('entered'), Type.Literal('left')], { description: 'What happened.' }),
    },
    { additionalProperties: false },
  ),
});
