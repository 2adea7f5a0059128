import type { PackField } from './pack.ts';

/**
 * Column builders for the packs' schemas (docs/design/api-access.md 13). All columns but keys, names and dates are
 * predictors.
 */

const label = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

type Make = (name: string, description: string, displayName?: string) => PackField;

/** The key of the rows. */
export const keyColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'varchar',
  length: 40,
  isPrimaryKey: true,
  isNullable: false,
  description,
});

/** The key of another schema's row. */
export const foreignColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'varchar',
  length: 40,
  isNullable: false,
  description,
});

/** A name without meaning for decisions. */
export const nameColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'varchar',
  length: 40,
  description,
});

/** One of a few words. */
export const wordColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'varchar',
  length: 40,
  isPredictor: true,
  description,
});

/** A count, an age, a number of days or months. */
export const countColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'integer',
  isPredictor: true,
  description,
});

/** Money, a fee, a balance, a ratio. */
export const amountColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'numeric',
  precision: 14,
  scale: 4,
  isPredictor: true,
  description,
});

export const flagColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'boolean',
  isPredictor: true,
  description,
});

export const dayColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'date',
  description,
});

export const instantColumn: Make = (name, description, displayName = label(name)) => ({
  name,
  displayName,
  dataType: 'timestamptz',
  description,
});
