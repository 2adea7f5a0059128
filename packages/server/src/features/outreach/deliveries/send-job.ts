import Type from 'typebox';
import { job } from '../../../jobs/index.ts';

/** Sends a queued delivery (docs/design/api-access.md 12.4). */
export const sendJob = job({
  name: 'delivery.send',
  payload: Type.Object({ deliveryId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});
