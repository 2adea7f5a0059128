import type { CustomField, ErrorEntry } from '@arbiter/contract';
import { compileFormula, dependencyOrder, type FormulaProblem, formulaHint } from '@arbiter/engine';
import { fitsCustomField } from '../catalogue-records/index.ts';

/** The stored spelling: `decimal` is number, `string` is text. */
export function normaliseCustomFields(fields: readonly CustomField[]): CustomField[] {
  return fields.map((field) => {
    if (field.outputType === 'decimal') return { ...field, outputType: 'number' };
    return field.outputType === 'string' ? { ...field, outputType: 'text' } : field;
  });
}

/** Problems of one definition; `path` is relative to it. */
function fieldProblems(field: CustomField): ErrorEntry[] {
  const given = (value: unknown) => value !== undefined && value !== null;
  const problems: ErrorEntry[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  if (field.type === 'select' && !given(field.options)) refuse('/options', 'must be given for a select');
  if (field.type === 'computed') {
    if (!given(field.formula)) refuse('/formula', 'is required for a computed field');
    if (given(field.defaultValue)) refuse('/defaultValue', 'must be omitted for a computed field');
    if (field.required === true) refuse('/required', 'must be false for a computed field');
  } else {
    if (given(field.formula)) refuse('/formula', 'must be omitted: only computed fields have a formula');
    // The problem of a select without options has been told.
    if (given(field.defaultValue) && problems.length === 0 && !fitsCustomField(field, field.defaultValue)) {
      refuse('/defaultValue', `must match the type ${field.type}`);
    }
  }
  return problems;
}

/**
 * Problems of the definitions, each with its JSON Pointer; empty = they can be stored. `inherited`: the fields of
 * the category, for a sub-category, whose own fields replace those of the same key.
 */
export function customFieldProblems(
  fields: readonly CustomField[],
  inherited: readonly CustomField[] = [],
): ErrorEntry[] {
  const seen = new Set<string>();
  const problems = fields.flatMap((field, index) => {
    const found = fieldProblems(field);
    if (seen.has(field.key)) found.push({ path: '/key', message: `${field.key} is listed more than once` });
    seen.add(field.key);
    return found.map(({ path, message }) => ({ path: `/customFields/${index}${path}`, message }));
  });
  return problems.length > 0 ? problems : formulaProblems(fields, inherited);
}

/** A formula among `fields` that cannot be evaluated. */
export interface BrokenFormula {
  readonly index: number;
  readonly key: string;
  readonly message: string;
}

/** Formulas must compile, name known fields only, and not depend on themselves (docs/design/api-catalogue.md 4). */
export function brokenFormulas(
  fields: readonly CustomField[],
  inherited: readonly CustomField[],
): readonly BrokenFormula[] {
  const all = effectiveFields(inherited, fields);
  const bareNames = new Set(all.map((field) => field.key));
  const uses = new Map<string, readonly string[]>();
  const problems = new Map<string, string>();
  for (const field of all) {
    if (field.type !== 'computed') continue;
    const compiled = compileFormula(field.formula ?? '', { bareNames });
    if (compiled.ok) uses.set(field.key, compiled.formula.bareNames);
    else problems.set(field.key, messageOf(compiled.problems[0], bareNames));
  }
  for (const key of dependencyOrder(uses).cyclic) problems.set(key, 'depends on itself');
  return fields.flatMap(({ key }, index) => {
    const message = problems.get(key);
    return message === undefined ? [] : [{ index, key, message }];
  });
}

function formulaProblems(fields: readonly CustomField[], inherited: readonly CustomField[]): ErrorEntry[] {
  return brokenFormulas(fields, inherited).map(({ index, message }) => ({
    path: `/customFields/${index}/formula`,
    message,
  }));
}

function messageOf(problem: FormulaProblem | undefined, bareNames: ReadonlySet<string>): string {
  return problem === undefined ? 'must be a valid formula' : problem.message + formulaHint(problem, bareNames);
}

/** Fields as the offers of a sub-category have them: its own replace the category's of the same key. */
export function effectiveFields(inherited: readonly CustomField[], own: readonly CustomField[]): CustomField[] {
  const keys = new Set(own.map((field) => field.key));
  return [...inherited.filter((field) => !keys.has(field.key)), ...own];
}

/** The fields whose type differs from the one stored under the same key. */
export function retypedFields(before: readonly CustomField[], after: readonly CustomField[]): CustomField[] {
  const types = new Map(before.map((field) => [field.key, field.type]));
  return after.filter((field) => types.has(field.key) && types.get(field.key) !== field.type);
}
