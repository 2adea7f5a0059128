import type { Json } from '@arbiter/engine';
import type { Work } from './candidate.ts';
import { computed, fieldsOf } from './custom-fields.ts';
import { converted, evaluate } from './formula.ts';
import { readingOf } from './hooks.ts';
import type { Delivered } from './walk.ts';
import type { Step } from './way.ts';
import type { Row } from './world.ts';

/** What phase 3 adds to an item. */
export interface Personal {
  readonly values: ReadonlyMap<string, Json>;
  /** `<key> <kind>`, in order. */
  readonly errors: readonly string[];
}

/** Computed fields, compute nodes and set_properties (docs/design/api-catalogue.md 4, docs/design/api-decisioning.md 8). */
export function personalOf(
  work: Work,
  { candidate, placementId }: Delivered,
  rank: number,
  steps: readonly Step[],
): Personal {
  const values = new Map<string, Json>();
  const extras = new Map<string, Json>();
  const errors: string[] = [];
  const isOff = steps.some(({ type, config }) => type === 'compute' && config.includeCustomFields === false);
  const reading = readingOf(work, candidate, rank, placementId, extras, !isOff);
  const note = (key: string, { value, failure }: { value: Json; failure: string | null }): void => {
    values.set(key, value);
    if (failure !== null) errors.push(`${key} ${failure}`);
  };
  if (!isOff)
    for (const field of fieldsOf(work, candidate.offer))
      if (field.type === 'computed') note(field.key, computed(reading, field));
  for (const { type, config } of steps) {
    if (type === 'compute')
      for (const { key, formula, outputType = 'number' } of (config.formulaExtras ?? []) as readonly Row[]) {
        const result = converted(evaluate(String(formula), reading), String(outputType));
        note(String(key), result);
        extras.set(String(key), result.value);
      }
    if (type === 'set_properties')
      for (const { key, value, formula, target = 'decision' } of (config.properties ?? []) as readonly Row[])
        if (target === 'decision')
          note(
            String(key),
            formula === undefined ? { value: value ?? null, failure: null } : evaluate(String(formula), reading),
          );
  }
  return { values, errors };
}

/** `properties` of the answer. */
export function propertiesOf(work: Work, steps: readonly Step[]): Record<string, Json> {
  const properties: Record<string, Json> = {};
  for (const { type, config } of steps)
    if (type === 'set_properties')
      for (const { key, value, formula, target } of (config.properties ?? []) as readonly Row[])
        if (target === 'response')
          properties[String(key)] =
            formula === undefined ? (value ?? null) : evaluate(String(formula), readingOf(work, null, null)).value;
  return properties;
}
