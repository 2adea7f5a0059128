/** A definition as the preview takes it. */
export interface SegmentDefinition {
  readonly baseSchemaId?: string;
  readonly joins?: readonly unknown[];
  readonly filters?: unknown;
}

/** Most steps to count, because each is a query. */
export const maxSteps = 8;

/** Returns the fields that a condition tests. */
function fieldsIn(condition: unknown): readonly string[] {
  const { conditions, field } = Object(condition);
  return Array.isArray(conditions) ? conditions.flatMap(fieldsIn) : [String(field)];
}

const tests = (condition: unknown, alias: unknown): boolean =>
  fieldsIn(condition).some((field) => field.startsWith(`${String(alias)}.`));

/**
 * Returns a step for each top-level condition of a definition, together with those before it; empty unless several must all hold. A
 * join is added with the first condition that tests it, or in the first step if none does.
 */
export function stepsOf(definition: SegmentDefinition) {
  const { filters, joins = [] } = definition;
  const { logic, conditions } = Object(filters);
  if (logic !== 'and' || !Array.isArray(conditions) || conditions.length < 2) return [];
  return conditions.slice(0, maxSteps).map((part: unknown, at) => {
    const prefix = { logic: 'and', conditions: conditions.slice(0, at + 1) };
    const isAsked = (join: unknown) => {
      const alias: unknown = Reflect.get(Object(join), 'alias');
      return tests(prefix, alias) || !tests(filters, alias);
    };
    return { part, definition: { ...definition, joins: joins.filter(isAsked), filters: prefix } };
  });
}

const hasValue = (value: unknown): boolean => value !== '' && !(Array.isArray(value) && value.length === 0);

/** Whether every condition is complete, so that it can be counted. */
export function isComplete(filters: unknown): boolean {
  if (filters === null || filters === undefined) return true;
  const { conditions, field, operator, value } = Object(filters);
  if (Array.isArray(conditions)) return conditions.every(isComplete);
  return field !== '' && (operator === 'exists' || operator === 'not_exists' || hasValue(value));
}
