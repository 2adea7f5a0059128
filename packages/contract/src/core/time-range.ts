import Type from 'typebox';

const rule =
  "An RFC 3339 instant with an offset, or a date, which stands for its first instant in the tenant's time zone.";

/** Query of every operation over a span of time. `from` is inclusive, `to` exclusive. */
export const rangeQuery = {
  from: Type.Optional(
    Type.String({
      minLength: 10,
      maxLength: 40,
      description: `Start of the range, inclusive. ${rule}`,
      examples: ['2026-11-20'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      minLength: 10,
      maxLength: 40,
      description: `End of the range, exclusive. ${rule} To include all of 20 November, send 2026-11-21.`,
      examples: ['2026-11-21'],
    }),
  ),
};
