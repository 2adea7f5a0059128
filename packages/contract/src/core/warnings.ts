import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { Nullable, StringEnum } from './schemas.ts';

/** Why a write that succeeded may not do what its sender expects. A closed list. */
export const warningCodes = [
  'unknown_property',
  'no_effect',
  'unknown_reference',
  'history_too_short',
  'rows_not_read',
  'column_renamed',
  'month_archived',
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const Warning = Type.Object(
  {
    path: Type.String({
      description: 'JSON Pointer to the property, or `query.<name>`. Empty for the whole body.',
    }),
    code: StringEnum(warningCodes, {
      description:
        '`unknown_property`: the name is unknown, so it was ignored. `no_effect`: the configuration can ' +
        'never have an effect. `unknown_reference`: a referenced record does not exist. `history_too_short`: ' +
        'it looks back further than history is kept. `rows_not_read`: the schema has rows that no decision ' +
        'reads. `column_renamed`: the column name differs from the header. `month_archived`: rows of a month are ' +
        'in archived files and left out.',
    }),
    message: Type.String({ description: 'What may not work as expected, as a sentence.' }),
    suggestion: Nullable(Type.String(), { description: 'How to fix it. Null if there is no suggestion.' }),
  },
  { description: 'Accepted input that may not do what you expect.' },
);
export type Warning = Static<typeof Warning>;

/** The list of warnings in an answer. The binder fills it in wherever a response schema has it under `warnings`. */
export const Warnings = Type.Optional(
  Type.Array(Warning, {
    description:
      'Accepted input that may not do what you expect, at most 10 entries. Absent if nothing needs attention.',
  }),
);

/** Adds warnings to an answer, which say what it leaves out. */
export const warnedAnswer = <P extends TProperties>(answer: TObject<P>): TObject<P & Warned> => {
  const { properties, description = '' } = answer as TObject<P> & { readonly description?: string };
  return Type.Object({ ...properties, warnings: Warnings }, { description }) as TObject<P & Warned>;
};

type Warned = { warnings: typeof Warnings };

/** A record as the answer of one read or write carries it: with warnings, when there are any. */
export function withWarnings<P extends TProperties>(record: TObject<P>, title: string): TObject<P & Warned> {
  const { properties, description = '' } = record as TObject<P> & { readonly description?: string };
  const warned = { ...properties, warnings: Warnings };
  return Type.Object(warned, { title, description }) as TObject<P & Warned>;
}
