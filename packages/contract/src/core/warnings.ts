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
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const Warning = Type.Object(
  {
    path: Type.String({
      description: 'JSON Pointer to the property the warning is about, or `query.<name>`. Empty: the whole body.',
    }),
    code: StringEnum(warningCodes, {
      description:
        '`unknown_property`: not a known name, so it is ignored. `no_effect`: the configuration can never act. ' +
        '`unknown_reference`: names a record that does not exist. `history_too_short`: looks back further than history is kept. ' +
        '`rows_not_read`: the schema holds rows that no decision reads. `column_renamed`: the column name differs from the header.',
    }),
    message: Type.String({ description: 'What is wrong, for a person.' }),
    suggestion: Nullable(Type.String(), { description: 'How to fix it, for a person. Null: nothing to suggest.' }),
  },
  { description: 'Something that was accepted and may not do what you expect.' },
);
export type Warning = Static<typeof Warning>;

/** The list of warnings in an answer. The binder fills it in wherever a response schema has it under `warnings`. */
export const Warnings = Type.Optional(
  Type.Array(Warning, {
    description: 'What was accepted and may not do what you expect, 10 at most. Absent when there is nothing to say.',
  }),
);

type Warned = { warnings: typeof Warnings };

/** A record as the answer of one read or write carries it: with warnings, when there are any. */
export function withWarnings<P extends TProperties>(record: TObject<P>, title: string): TObject<P & Warned> {
  const { properties, description = '' } = record as TObject<P> & { readonly description?: string };
  const warned = { ...properties, warnings: Warnings };
  return Type.Object(warned, { title, description }) as TObject<P & Warned>;
}
