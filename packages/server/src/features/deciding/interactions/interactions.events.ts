import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { event, newEvent, type StreamEvent } from '../../../jobs/index.ts';
import type { NewInteraction } from './interactions.store.ts';

const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const idOrNull = (description: string) => nullable(Type.String({ format: 'uuid' }), description);
const exactly = { additionalProperties: false } as const;
const anyObject = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }));

/** An impression or a response was recorded: its row (docs/design/api-access.md 12.1, 16). */
export const interactionRecorded = event({
  type: 'interaction.recorded.v1',
  payload: Type.Object(
    {
      id: Type.String({ format: 'uuid', description: 'ID of the interaction.' }),
      customerId: Type.String({ format: 'customer-id', description: 'ID of the customer.' }),
      offerId: idOrNull('The offer.'),
      creativeId: idOrNull('The creative.'),
      channelId: idOrNull('The channel.'),
      placementId: idOrNull('The placement.'),
      interactionType: Type.Union([Type.Literal('impression'), Type.Literal('response')], {
        description: 'Kind of interaction.',
      }),
      outcomeTypeKey: Type.String({ minLength: 1, description: 'Key of the outcome type.' }),
      classification: Type.Union([Type.Literal('positive'), Type.Literal('negative'), Type.Literal('neutral')], {
        description: 'Classification of the outcome.',
      }),
      isConversion: Type.Boolean({ description: 'Whether it is a conversion.' }),
      direction: Type.Union([Type.Literal('inbound'), Type.Literal('outbound')], {
        description: 'Direction of the contact.',
      }),
      recommendationId: idOrNull('Decision it responds to.'),
      rank: nullable(Type.Integer({ minimum: 1 }), 'Rank of the item it responds to.'),
      campaignId: idOrNull('The campaign.'),
      journeyId: idOrNull('The journey.'),
      conversionValue: nullable(Type.Number(), 'Conversion value.'),
      context: nullable(anyObject, 'Context sent by the caller.'),
      attributes: nullable(anyObject, 'Attributes sent by the caller.'),
      timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
      createdAt: Type.String({ format: 'date-time', description: 'When it was recorded.' }),
    },
    exactly,
  ),
});

/** An interaction, as the stream describes it. */
export type InteractionEvent = Type.Static<typeof interactionRecorded.payload>;

/** The interactions among events of the stream, JSON texts, in order. */
export function interactionsOf(events: readonly string[]): InteractionEvent[] {
  return events.flatMap((text): InteractionEvent[] => {
    const { type, payload } = JSON.parse(text);
    return type === interactionRecorded.type ? [payload] : [];
  });
}

/** Stream event of a history row. */
export function interactionEvent(tx: Tx, row: NewInteraction): StreamEvent {
  return newEvent(tx, interactionRecorded, {
    id: row.id,
    customerId: row.customerId,
    offerId: row.offerId,
    creativeId: row.creativeId,
    channelId: row.channelId,
    placementId: row.placementId,
    interactionType: row.interactionType,
    outcomeTypeKey: row.outcomeKey,
    classification: row.classification,
    isConversion: row.isConversion,
    direction: row.direction,
    recommendationId: row.recommendationId,
    rank: row.rank,
    campaignId: row.campaignId,
    journeyId: null,
    conversionValue: row.conversionValue,
    context: row.context === null ? null : JSON.parse(row.context),
    attributes: row.attributes === null ? null : JSON.parse(row.attributes),
    timestamp: row.occurredAt.toISOString(),
    createdAt: tx.now.toISOString(),
  });
}
