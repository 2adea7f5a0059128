/** Values of a record's writable properties. */
export type Values = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two JSON values are equal. The order of keys doesn't matter, and a missing key equals null in objects. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, at) => sameValue(each, b[at]));
  }
  if (!isPlain(a) || !isPlain(b)) return (a ?? null) === (b ?? null);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => sameValue(a[key] ?? null, b[key] ?? null));
}

/** Returns the changes that differ from the stored values. */
export const realChanges = (stored: Values, changes: Values): Values =>
  Object.fromEntries(Object.entries(changes).filter(([name, value]) => !sameValue(value, stored[name])));

/** Whose version of a part to keep. */
export const sides = ['mine', 'theirs'] as const;
export type Side = (typeof sides)[number];

/** A property that two people changed in different ways. */
export interface Conflict {
  readonly name: string;
  /** Before both changes. */
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merge {
  /** My changes that nobody else touched. */
  readonly changes: Values;
  readonly conflicts: readonly Conflict[];
  /** Properties that only others changed. */
  readonly others: readonly string[];
}

/**
 * Merges my unsaved changes with a newer version of the record. `base`: the values that my changes began with. Properties that
 * only one side changed merge on their own.
 */
export function mergeChanges(base: Values, mine: Values, theirs: Values): Merge {
  const wanted = realChanges(theirs, mine);
  const conflicts = Object.entries(wanted)
    .filter(([name]) => !sameValue(base[name], theirs[name]))
    .map(([name, value]) => ({ name, base: base[name], mine: value, theirs: theirs[name] }));
  const contested = new Set(conflicts.map(({ name }) => name));
  const others = Object.keys(theirs).filter((name) => !(name in mine) && !sameValue(base[name], theirs[name]));
  return {
    changes: Object.fromEntries(Object.entries(wanted).filter(([name]) => !contested.has(name))),
    conflicts,
    others,
  };
}

/** Returns the record's values of these properties. */
export const valuesOf = (record: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));

/** Sets a value inside of another by its path. Steps into lists are positions. */
export function withValue(values: Values, path: readonly string[], value: unknown): Values {
  const [name, ...rest] = path;
  if (name === undefined) return values;
  return { ...values, [name]: rest.length === 0 ? value : inside(values[name], rest, value) };
}

function inside(outer: unknown, path: readonly string[], value: unknown): unknown {
  if (!Array.isArray(outer)) return withValue(isPlain(outer) ? outer : {}, path, value);
  const [step = '', ...rest] = path;
  const at = Number(step);
  return outer.map((each: unknown, position) =>
    position !== at ? each : rest.length === 0 ? value : inside(each, rest, value),
  );
}

/** Returns a value inside of others by its path. */
export function valueAt(values: Values, path: readonly string[]): unknown {
  let found: unknown = values;
  for (const step of path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else found = isPlain(found) ? found[step] : undefined;
  }
  return found;
}

/** Splits a JSON pointer. */
export const stepsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
