import { ingestEventTypes } from '@arbiter/contract';
import Type from 'typebox';
import { event } from '../../../jobs/index.ts';

/** A caller reported a customer event (docs/design/api-access.md 12.1). */
export const customerEvent = event({
  type: 'customer.event.v1',
  payload: Type.Object(
    {
      type: Type.Enum([...ingestEventTypes], { description: 'What happened.' }),
      customerId: Type.String({ format: 'customer-id', description: 'Customer.' }),
      channel: Type.Union([Type.String(), Type.Null()], { description: 'Channel of the event, or null.' }),
      data: Type.Unsafe<Record<string, unknown>>(
        Type.Object({}, { additionalProperties: true, description: 'Sent by the caller.' }),
      ),
      timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
    },
    { additionalProperties: false },
  ),
});
