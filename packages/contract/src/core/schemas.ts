import Type, { type Static, type TSchema } from 'typebox';

/** Shared property schemas. A test checks that every property of every schema has a description. */

/** ID of a record: UUIDv7, lower case (docs/design/api-access.md 1). */
export const Id = (description: string) => Type.String({ format: 'uuid', description });

/**
 * ID of a record in a path or a query. It has no form and no greatest length there: a malformed id is answered like an
 * unknown one (docs/design/api-access.md 1). An empty one is a missing one.
 */
export const IdText = (description: string) => Type.String({ minLength: 1, description });

/** The same as a filter of a list. An empty one matches nothing. */
export const IdFilter = (description: string) => Type.String({ description });

/** Describes a property that can't change after creation, in an update. */
export const sentAsItIs = "Can be sent back unchanged. Any other value returns 400, because it can't be changed.";

export const Nullable = <T extends TSchema>(schema: T, options: { description: string }) =>
  Type.Union([schema, Type.Null()], options);

/** Out: `2026-11-20T09:00:00.000Z`. In: RFC 3339 with zone. */
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });

/** The tenant's own customer id: 1-255 characters, no control characters, no outer white space (docs/design/api-access.md 1). */
export const CustomerId = (description = 'Your own ID of the customer. Case-sensitive.') =>
  Type.String({ minLength: 1, maxLength: 255, format: 'customer-id', description });

/** A name: 1-255 code points, not only white space; stored and compared byte for byte (docs/design/api-catalogue.md 1.2). */
export const Name = (description: string, maxLength = 255) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });

export const StringEnum = <const V extends readonly [string, ...string[]]>(
  values: V,
  options: { description: string; default?: V[number] },
) => Type.Unsafe<V[number]>(Type.String({ ...options, enum: [...values] }));

export const Int = (minimum: number, maximum: number, description: string, extra: { default?: number } = {}) =>
  Type.Integer({ minimum, maximum, description, ...extra });

export const JsonObject = (description: string, extra: Record<string, unknown> = {}) =>
  Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true, description, ...extra }));

/** Families of configs whose keys the engine describes (catalogue/config-unions.ts, config-types.generated.ts). */
type ConfigFamily = 'policies' | 'rules' | 'models';

/** Settings that depend on a record's type. Open, because unknown keys are stored; the engine checks the known ones. */
export const ConfigObject = <T>(description: string, configs: ConfigFamily) =>
  Type.Unsafe<T>(JsonObject(description, { configs }));

/** Query switch: exactly `true` or `false`. */
export const QueryFlag = (description: string) => Type.Boolean({ description });

export type Infer<S extends TSchema> = Static<S>;
