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

function fieldProblems(field: CustomField): string[] {
  const given = (value: unknown) => value !== undefined && value !== null;
  const problems: string[] = [];
  if (field.type === 'select' && !given(field.options)) problems.push('a select needs options');
  if (field.type === 'computed') {
    if (!given(field.formula)) problems.push('a computed field needs a formula');
    if (given(field.defaultValue)) problems.push('a computed field has no defaultValue');
    if (field.required === true) problems.push('a computed field cannot be required');
  } else {
    if (given(field.formula)) problems.push('only a computed field has a formula');
    if (given(field.defaultValue) && !fitsCustomField(field, field.defaultValue)) {
      problems.push(`defaultValue does not fit type ${field.type}`);
    }
  }
  return problems;
}

/**
 * What is wrong with the definitions, each with its JSON Pointer; empty = they can be stored. `inherited`: the fields of
 * the category, for a sub-category, whose own fields replace those of the same key.
 */
export function customFieldProblems(
  fields: readonly CustomField[],
  inherited: readonly CustomField[] = [],
): ErrorEntry[] {
  const seen = new Set<string>();
  const problems = fields.flatMap((field, index) => {
    const path = `/customFields/${index}`;
    const messages = fieldProblems(field);
    if (seen.has(field.key)) messages.push(`key ${field.key} is there twice`);
    seen.add(field.key);
    return messages.map((message) => ({ path, message }));
  });
  return problems.length > 0 ? problems : formulaProblems(fields, inherited);
}

/** Formulas must compile, name known fields only, and not depend on themselves (docs/design/api-catalogue.md 4). */
function formulaProblems(fields: readonly CustomField[], inherited: readonly CustomField[]): ErrorEntry[] {
  const own = new Set(fields.map((field) => field.key));
  const all = [...inherited.filter((field) => !own.has(field.key)), ...fields];
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
  return fields.flatMap((field, index) => {
    const message = problems.get(field.key);
    return message === undefined ? [] : [{ path: `/customFields/${index}/formula`, message }];
  });
}

function messageOf(problem: FormulaProblem | undefined, bareNames: ReadonlySet<string>): string {
  return problem === undefined ? 'does not compile' : problem.message + formulaHint(problem, bareNames);
}

/** The fields whose type differs from the one stored under the same key. */
export function retypedFields(before: readonly CustomField[], after: readonly CustomField[]): CustomField[] {
  const types = new Map(before.map((field) => [field.key, field.type]));
  return after.filter((field) => types.has(field.key) && types.get(field.key) !== field.type);
}
