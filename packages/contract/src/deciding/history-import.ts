import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { CustomerId, JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

// Import of history for a start with past data (docs/design/api-settled.md 9, 10, 110).

/** Largest file, in bytes. */
export const largestImport = 50 * 1024 * 1024;
/** Lines of one transaction. */
export const importBatch = 1_000;
/** Errors that an answer tells. */
export const importErrors = 100;
/** Largest line, in bytes. */
export const largestImportLine = 64 * 1024;

const idOrNull = (description: string) => Type.Optional(Nullable(Type.String({ format: 'uuid' }), { description }));

/** One line of the file. */
export const ImportLine = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Permanent ID of the event. A line whose key was already imported is a duplicate.',
    }),
    customerId: CustomerId(),
    outcome: Type.String({ minLength: 1, maxLength: 64, description: 'Key of an active outcome type.' }),
    offerId: idOrNull('Offer. Optional with `creativeId`.'),
    creativeId: idOrNull('Creative. Determines offer, channel and placement.'),
    channelId: idOrNull('Channel, for a line that names an offer.'),
    placementId: idOrNull('Placement, for a line that names an offer.'),
    campaignId: idOrNull('Campaign.'),
    timestamp: Timestamp('When it happened, from 1970 to now.'),
    direction: Type.Optional(
      Nullable(StringEnum(['inbound', 'outbound'], { description: 'Direction of the contact.' }), {
        description: 'Default: outbound for impressions, otherwise inbound.',
      }),
    ),
    conversionValue: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1e12 }), { description: 'Value of the conversion.' }),
    ),
    currency: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z]{3}$' }), { description: 'ISO 4217 code.' })),
    context: Type.Optional(Nullable(JsonObject('8 KB.'), { description: 'Stored with the row. At most 8 KB.' })),
  },
  {
    description: 'One line of the file: a past event as JSON.',
    examples: [
      {
        key: 'crm-2024-000017',
        customerId: 'CM-000001',
        outcome: 'convert',
        offerId: '01900000-0000-7000-8000-000000000001',
        timestamp: '2024-03-01T10:15:00Z',
        conversionValue: 120,
        currency: 'EUR',
      },
    ],
  },
);
export type ImportLine = Static<typeof ImportLine>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ImportAnswer = Type.Object(
  {
    received: count('Non-blank lines.'),
    imported: count('Lines imported by this call.'),
    duplicates: count('Lines whose key had already been imported by this or an earlier call.'),
    rejected: count('Lines rejected. Other lines are not affected.'),
    errors: Type.Array(
      Type.Object(
        {
          line: Type.Integer({ minimum: 1, description: 'Number of the line in the file, from 1.' }),
          path: Type.String({ description: 'JSON Pointer into the line.' }),
          code: Type.String({
            description: 'Error code; `not_found` for an event before the erasure of its customer.',
          }),
          message: Type.String({ description: 'What is wrong.' }),
        },
        { description: 'Why a line was rejected.' },
      ),
      { description: `The first ${importErrors} errors, in line order.` },
    ),
  },
  { description: 'Result of the import.' },
);
export type ImportAnswer = Static<typeof ImportAnswer>;

export const historyImportOperations = {
  import: operation({
    id: 'interactions.import',
    method: 'POST',
    path: '/api/v1/interactions/import',
    tag: 'Interactions',
    summary: 'Import past events',
    description:
      'One JSON object per line (`application/x-ndjson`); blank lines are skipped. Lines are committed in ' +
      'order, 1,000 at a time. If a call breaks off, repeat it: no line is imported twice. An invalid line ' +
      'is rejected without affecting the others. Imported events count in caps, windows, budgets, ' +
      'summaries, evidence, stock and suppressions at the time they happened. They trigger nothing and ' +
      "don't appear in the event stream. An import waits while another import of the tenant runs. " +
      '`Idempotency-Key` is not needed and is ignored.',
    auth: 'credential',
    role: 'editor',
    loadClass: 'heavy',
    bodyKind: 'stream',
    mediaTypes: ['application/x-ndjson'],
    bodyLimit: largestImport,
    body: ImportLine,
    responses: { 200: { description: 'Result of the import.', schema: ImportAnswer } },
    errors: ['not_configured'],
    audit: [{ action: 'import', entityType: 'interaction' }],
    transaction: 'own',
  }),
};
