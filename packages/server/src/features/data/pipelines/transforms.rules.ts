import { hash as digest } from 'node:crypto';
import type { PipelineTransform, TransformOp } from '@arbiter/contract';
import { compileCondition, compileFormula, emptyScope, type FormulaScope } from '@arbiter/engine';
import { Misfit, readColumnType } from '../../catalogue/schemas/index.ts';
import { caster, type Row, textOf } from './values.rules.ts';

/** Why a row can't be loaded. */
export interface RowProblem {
  readonly column: string | null;
  readonly error: string;
}

export type TransformedRow =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'problem'; readonly problem: RowProblem };

/** The steps of one run. Remembers what `deduplicate` has seen. */
export type Transformer = (row: Row) => TransformedRow;

export interface TransformContext {
  /** Epoch ms, for formulas and conditions. */
  readonly now: number;
  /** Keyed hash of a text, in hex. */
  readonly hash: (text: string) => string;
}

/** `path`: JSON Pointer from the list of transforms. */
export interface TransformProblem {
  readonly path: string;
  readonly message: string;
}

/** One step: changes the row in place. Undefined: continue with the next step. */
type Step = (row: Row) => Exclude<TransformedRow, { kind: 'row' }> | undefined;
type Of<Op extends TransformOp> = Extract<PipelineTransform, { op: Op }>;
type Compile<Op extends TransformOp> = (transform: Of<Op>, context: TransformContext) => Step | TransformProblem[];

const dropped = { kind: 'dropped' } as const;
const problemOf = (column: string, error: string) => ({ kind: 'problem', problem: { column, error } }) as const;
const isMissing = (value: unknown): boolean => value === null || value === undefined;

/** A step that changes texts. Other values and missing ones stay. */
const eachText =
  (columns: readonly string[], change: (text: string) => string): Step =>
  (row) => {
    for (const column of columns) {
      const value = row[column];
      if (typeof value === 'string') row[column] = change(value);
    }
    return undefined;
  };

/** A step that changes all values but missing ones. */
const eachValue =
  (columns: readonly string[], change: (text: string) => string): Step =>
  (row) => {
    for (const column of columns) if (!isMissing(row[column])) row[column] = change(textOf(row[column]));
    return undefined;
  };

const compilers: { readonly [Op in TransformOp]: Compile<Op> } = {
  rename: renameStep,
  keep({ columns }) {
    const keptColumns = new Set(columns);
    return (row) => {
      for (const name of Object.keys(row)) if (!keptColumns.has(name)) delete row[name];
      return undefined;
    };
  },
  drop:
    ({ columns }) =>
    (row) => {
      for (const name of columns) delete row[name];
      return undefined;
    },
  cast: castStep,
  add_field: addFieldStep,
  map_values: mapStep,
  filter: filterStep,
  trim: ({ columns }) => eachText(columns, (text) => text.trim()),
  lower: ({ columns }) => eachText(columns, (text) => text.toLowerCase()),
  upper: ({ columns }) => eachText(columns, (text) => text.toUpperCase()),
  split: splitStep,
  merge:
    ({ columns, separator, into }) =>
    (row) => {
      const values = columns.map((column) => row[column]).filter((value) => !isMissing(value));
      row[into] = values.length === 0 ? null : values.map(textOf).join(separator);
      return undefined;
    },
  hash: ({ columns }, { hash }) => eachValue(columns, hash),
  mask: ({ columns, keepLast }) => eachValue(columns, (text) => masked(text, keepLast)),
  deduplicate: deduplicateStep,
};

function renameStep({ map }: Of<'rename'>): Step | TransformProblem[] {
  const names = new Map(Object.entries(map));
  if (new Set(names.values()).size < names.size) {
    return [{ path: '/map', message: 'must not give two columns the same name' }];
  }
  return (row) => {
    const moved = [...names].filter(([from]) => Object.hasOwn(row, from)).map(([from, to]) => [to, row[from]] as const);
    for (const from of names.keys()) delete row[from];
    for (const [to, value] of moved) row[to] = value;
    return undefined;
  };
}

function castStep({ column, dataType }: Of<'cast'>): Step | TransformProblem[] {
  const type = readColumnType({ dataType });
  if ('message' in type) return [{ path: '/dataType', message: type.message }];
  const cast = caster(type);
  return (row) => {
    if (!Object.hasOwn(row, column)) return undefined;
    const value = cast(row[column]);
    if (value instanceof Misfit) return problemOf(column, value.message);
    row[column] = value;
    return undefined;
  };
}

function addFieldStep(
  { column, formula, value }: Of<'add_field'>,
  { now }: TransformContext,
): Step | TransformProblem[] {
  if ((formula === undefined) === (value === undefined)) {
    return [{ path: '', message: 'must have either `formula` or `value`' }];
  }
  if (formula === undefined) {
    return (row) => {
      row[column] = value;
      return undefined;
    };
  }
  const compiled = compileFormula(formula, { bareNames: 'any' });
  if (!compiled.ok) return compiled.problems.map(({ message }) => ({ path: '/formula', message }));
  const foreign = compiled.formula.paths.find(([namespace]) => namespace !== 'customer');
  if (foreign !== undefined) {
    return [{ path: '/formula', message: `can only read columns; "${foreign.join('.')}" is not one` }];
  }
  const scope: FormulaScope = { ...emptyScope(), now };
  return (row) => {
    scope.names = row;
    scope.customer = row;
    const result = compiled.formula.evaluate(scope);
    if (scope.failure !== null) return problemOf(column, scope.failure.error);
    row[column] = result;
    return undefined;
  };
}

function mapStep({ column, map, default: other }: Of<'map_values'>): Step {
  const values = new Map(Object.entries(map));
  return (row) => {
    const value = row[column];
    if (isMissing(value)) return undefined;
    const text = textOf(value);
    if (values.has(text)) row[column] = values.get(text);
    else if (other !== undefined) row[column] = other;
    return undefined;
  };
}

const rowFields: ReadonlySet<string> = new Set(['customer']);

function filterStep({ condition }: Of<'filter'>, { now }: TransformContext): Step | TransformProblem[] {
  const compiled = compileCondition(condition, { namespaces: rowFields });
  if (!compiled.ok) return compiled.problems.map(({ path, message }) => ({ path: `/condition${path}`, message }));
  const scope: FormulaScope = { ...emptyScope(), now };
  return (row) => {
    scope.customer = row;
    return compiled.condition.test(scope) ? undefined : dropped;
  };
}

function splitStep({ column, separator, into }: Of<'split'>): Step {
  const last = into.length - 1;
  return (row) => {
    const value = row[column];
    const parts = isMissing(value) ? [] : textOf(value).split(separator);
    for (const [at, name] of into.entries()) {
      const part = at === last ? parts.slice(last).join(separator) : parts[at];
      row[name] = at < parts.length ? part : null;
    }
    return undefined;
  };
}

function masked(text: string, keepLast: number): string {
  const characters = [...text];
  const hidden = Math.max(0, characters.length - keepLast);
  return '*'.repeat(hidden) + characters.slice(hidden).join('');
}

function deduplicateStep({ columns }: Of<'deduplicate'>): Step {
  const seen = new Set<string>();
  return (row) => {
    // Hashed, because a run may see millions of long keys.
    const key = digest('sha256', JSON.stringify(columns.map((column) => row[column] ?? null)), 'binary').slice(0, 16);
    if (seen.has(key)) return dropped;
    seen.add(key);
    return undefined;
  };
}

const compileOne = <Op extends TransformOp>(transform: Of<Op>, context: TransformContext): Step | TransformProblem[] =>
  (compilers[transform.op as Op] as Compile<Op>)(transform, context);

/** Compiles the steps once for a run, or returns what is wrong with them. */
export function compileTransforms(
  transforms: readonly PipelineTransform[],
  context: TransformContext,
):
  | { readonly ok: true; readonly transform: Transformer }
  | { readonly ok: false; readonly problems: TransformProblem[] } {
  const steps: Step[] = [];
  const problems: TransformProblem[] = [];
  for (const [at, transform] of transforms.entries()) {
    const compiled = compileOne(transform, context);
    if (typeof compiled === 'function') steps.push(compiled);
    else problems.push(...compiled.map(({ path, message }) => ({ path: `/${at}${path}`, message })));
  }
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    transform(row) {
      for (const step of steps) {
        const end = step(row);
        if (end !== undefined) return end;
      }
      return { kind: 'row', row };
    },
  };
}

/** Whether a run must begin again after a crash, because steps depend on rows from before it. */
export const remembersRows = (transforms: readonly PipelineTransform[]): boolean =>
  transforms.some(({ op }) => op === 'deduplicate');

/** Whether the steps need the key of hashes. */
export const hashesValues = (transforms: readonly PipelineTransform[]): boolean =>
  transforms.some(({ op }) => op === 'hash');
