import type { Json } from '../plan/snapshot.ts';

/**
 * One key of a config as a JSON Schema (https://json-schema.org/draft/2020-12). Config checks take their ranges and
 * words from here, and the API documentation is generated from it.
 */
export interface ConfigField {
  readonly description: string;
  /** The value when the key is left out. */
  readonly default?: Json;
  readonly [keyword: string]: Json | undefined;
}

export type ConfigFields = Readonly<Record<string, ConfigField>>;

/** The numbers that a key accepts; without bounds, all. */
export interface NumberRange {
  readonly minimum?: number;
  readonly maximum?: number;
}

type More = { readonly default?: Json };

export const integerField = (minimum: number, maximum: number, description: string, more: More = {}) => ({
  type: 'integer',
  minimum,
  maximum,
  description,
  ...more,
});

export const numberField = (minimum: number, maximum: number, description: string, more: More = {}) => ({
  type: 'number',
  minimum,
  maximum,
  description,
  ...more,
});

/** A number without bounds. */
export const anyNumberField = (description: string): ConfigField & NumberRange => ({ type: 'number', description });

export const textField = (description: string) => ({ type: 'string', description });

export const wordField = <W extends string>(words: readonly W[], description: string, usual?: W) => ({
  type: 'string',
  enum: words,
  description,
  ...(usual === undefined ? {} : { default: usual }),
});

export const flagField = (usual: boolean, description: string) => ({ type: 'boolean', default: usual, description });

export const textsField = (description: string) => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  description,
});

/** What a config of one type holds. */
export interface ConfigShape {
  readonly fields: ConfigFields;
  /** Keys without which a config is refused. */
  readonly required: readonly string[];
}
