import type { Json } from '../../../plan/snapshot.ts';
import { shortenWord } from '../../../words/word-texts.ts';
import { refuse } from './model-file.ts';

/** The factor of the margin in the sigmoid. Refuses objectives that aren't binary. */
export function readObjective(objective: Json | undefined): number {
  const text = typeof objective === 'string' ? objective : '';
  const [name, ...params] = text.split(/\s+/);
  if (name !== 'binary') refuse('/objective', `must be binary, not ${shortenWord(text === '' ? 'missing' : text)}`);
  const sigmoid = params.find((param) => param.startsWith('sigmoid:'));
  const scale = sigmoid === undefined ? 1 : Number(sigmoid.slice('sigmoid:'.length));
  if (!(Number.isFinite(scale) && scale > 0)) refuse('/objective', 'must have a sigmoid above 0');
  return scale;
}

/** The name of a category that the model knows by number. */
export type NameCategory = (feature: number, code: number) => string | number;

/**
 * Trained on a data frame, LightGBM numbers the categories of each categorical column and lists their names
 * (`pandas_categorical`) in the order of those columns. Other categories are their own names.
 */
export function categoryNames(lists: Json | undefined, infos: readonly Json[]): NameCategory {
  const own: NameCategory = (_feature, code) => code;
  if (!Array.isArray(lists) || lists.length === 0) return own;
  // Ranges are in brackets; categories are numbers with colons between them.
  const categorical = infos.flatMap((info, feature) =>
    typeof info === 'string' && /^-?\d+(:-?\d+)*$/.test(info) ? [feature] : [],
  );
  if (categorical.length !== lists.length) {
    refuse('/pandas_categorical', `must have a list for each of the ${categorical.length} categorical features`);
  }
  const names = new Map(categorical.map((feature, at) => [feature, lists[at] as Json]));
  return (feature, code) => {
    const list = names.get(feature);
    if (list === undefined) return code;
    const name = Array.isArray(list) ? (list as readonly Json[])[code] : undefined;
    if (typeof name === 'string' || typeof name === 'number') return name;
    if (typeof name === 'boolean') return Number(name);
    return refuse('/pandas_categorical', `must name category ${code} of feature ${feature}`);
  };
}

/** LightGBM's infinite threshold tells missing values from all others. */
export const finiteThreshold = (threshold: number): number =>
  Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, threshold));
