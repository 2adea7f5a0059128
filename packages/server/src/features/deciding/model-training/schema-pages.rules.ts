import { emptyScope, featuresIn, h32, type Json, type JsonObject, readPredictors } from '@arbiter/engine';
import { type JsonValue, keyText, outForm, type SchemaTable } from '../../catalogue/schemas/index.ts';
import { addRow, newTrainingSet, type TrainingSet } from './training-set.ts';

/** Rows of a schema as the database wrote them. */
export interface SchemaPages {
  readonly predictors: readonly Json[];
  readonly targetField: string;
  readonly primaryKey: string;
  readonly columns: SchemaTable['columns'];
  /** The values of each column as a JSON array. */
  readonly pages: readonly (readonly string[])[];
}

/** Predictors read a row as the customer and as attributes. */
const roots = new Set(['customer', 'attributes']);

/** Returns the columns that predictors may read. */
export function columnsRead(predictors: readonly Json[]): ReadonlySet<string> {
  const paths = readPredictors(predictors).flatMap(({ feature }) => feature.paths);
  return new Set(paths.flatMap(([root = '', column]) => (roots.has(root) && column !== undefined ? [column] : [])));
}

/**
 * Returns the rows with a label. Rows have no time, so they are ordered by a hash of their keys, which holds out the
 * same rows each time. `pauseIfBusy` runs after each page.
 */
export function trainingRows(
  { predictors, targetField, primaryKey, columns, pages }: SchemaPages,
  pauseIfBusy: () => void,
): TrainingSet {
  const set = newTrainingSet(predictors);
  const hashed: { readonly hash: number; readonly key: string; readonly row: TrainingSet['rows'][number] }[] = [];
  const at = (name: string): number => columns.findIndex((column) => column.name === name);
  const [keyAt, labelAt] = [at(primaryKey), at(targetField)];
  const features = columnsRead(predictors);
  const shown = columns.flatMap(({ name, neverStore }, place) =>
    features.has(name) && !neverStore && place !== labelAt ? [{ name, place }] : [],
  );
  for (const page of pages) {
    const values = page.map((text, place) =>
      (JSON.parse(text) as unknown[]).map(outForm(columns[place]!.dataType).convert),
    );
    for (const [row, word] of (values[labelAt] ?? []).entries()) {
      const label = labelOf(word);
      if (label === null) continue;
      const scope = emptyScope();
      scope.attributes = Object.fromEntries(shown.map(({ name, place }) => [name, values[place]![row]!])) as JsonObject;
      scope.customer = scope.attributes;
      addRow(set, featuresIn(set.predictors, scope), label, 1);
      const key = keyText(values[keyAt]![row]!) ?? '';
      hashed.push({ hash: h32(key), key, row: set.rows.pop()! });
    }
    pauseIfBusy();
  }
  hashed.sort((a, b) => a.hash - b.hash || (a.key < b.key ? -1 : 1));
  for (const { row } of hashed) set.rows.push(row);
  return set;
}

/** Null: the row has no label. */
function labelOf(value: JsonValue): 0 | 1 | null {
  const word = String(value).toLowerCase();
  if (['true', '1', 'yes'].includes(word)) return 1;
  return ['false', '0', 'no'].includes(word) ? 0 : null;
}
