import Type from 'typebox';
import { event } from '../../jobs/index.ts';

const id = (description: string) => Type.String({ format: 'uuid', description });
const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const idOrNull = (description: string) => nullable(Type.String({ format: 'uuid' }), description);
const textOrNull = (description: string) => nullable(Type.String(), description);
const exactly = { additionalProperties: false } as const;

/**
 * A decision was made and stored (docs/design/api-access.md 12.1). The stream keeps it packed (stream/decision-events.ts), since it is
 * written with every decision; decisions.events.test.ts holds what comes out of it against this schema.
 */
export const decisionMade = event({
  type: 'decision.made.v1',
  payload: Type.Object(
    {
      requestId: id('Id of the request.'),
      recommendationId: id('Id of the decision.'),
      customerId: Type.String({ format: 'customer-id', description: 'The customer.' }),
      decisionFlowKey: Type.String({ minLength: 1, description: 'The flow that decided.' }),
      configVersion: Type.Integer({ minimum: 1, description: 'Version of the catalogue it was decided by.' }),
      channel: textOrNull('The channel, as it was asked for.'),
      placement: textOrNull('The placement, as it was asked for.'),
      offersReturned: Type.Integer({ minimum: 0, description: 'How many items there are.' }),
      items: Type.Array(
        Type.Object(
          {
            offerId: id('The offer.'),
            rank: Type.Integer({ minimum: 1, description: 'Its place.' }),
            score: Type.Number({ description: 'Its score.' }),
            selectionProbability: Type.Number({ minimum: 0, maximum: 1, description: 'How likely this choice was.' }),
            creativeId: idOrNull('The creative.'),
            channelId: idOrNull('The channel.'),
            impression: Type.Boolean({ description: 'It counts as shown; else it is reserved.' }),
          },
          exactly,
        ),
        { description: 'What was recommended.' },
      ),
    },
    exactly,
  ),
});
