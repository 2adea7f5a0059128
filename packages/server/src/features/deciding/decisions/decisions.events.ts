import Type from 'typebox';
import { event } from '../../../jobs/index.ts';

const id = (description: string) => Type.String({ format: 'uuid', description });
const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const idOrNull = (description: string) => nullable(Type.String({ format: 'uuid' }), description);
const textOrNull = (description: string) => nullable(Type.String(), description);
const exactly = { additionalProperties: false } as const;

/**
 * A decision was made and stored (docs/design/api-access.md 12.1). The stream stores it packed
 * (stream/decision-events.ts), because every decision writes one. decisions.events.test.ts checks the unpacked form
 * against this schema.
 */
export const decisionMade = event({
  type: 'decision.made.v1',
  payload: Type.Object(
    {
      requestId: id('ID of the request.'),
      recommendationId: id('ID of the decision.'),
      customerId: Type.String({ format: 'customer-id', description: 'ID of the customer.' }),
      decisionFlowKey: Type.String({ minLength: 1, description: 'Flow that decided.' }),
      configVersion: Type.Integer({ minimum: 1, description: 'Catalogue version used.' }),
      channel: textOrNull('Requested channel.'),
      placement: textOrNull('Requested placement.'),
      offersReturned: Type.Integer({ minimum: 0, description: 'Number of items.' }),
      items: Type.Array(
        Type.Object(
          {
            offerId: id('The offer.'),
            rank: Type.Integer({ minimum: 1, description: 'Rank of the item.' }),
            score: Type.Number({ description: 'Score of the item.' }),
            selectionProbability: Type.Number({ minimum: 0, maximum: 1, description: 'Probability of this choice.' }),
            creativeId: idOrNull('The creative.'),
            channelId: idOrNull('The channel.'),
            impression: Type.Boolean({ description: 'True: it counts as shown. False: it is reserved.' }),
          },
          exactly,
        ),
        { description: 'Recommended items.' },
      ),
    },
    exactly,
  ),
});
