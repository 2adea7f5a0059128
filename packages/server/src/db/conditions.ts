/**
 * Conditions of a statement with their values, gathered one by one: a filter that is not asked for leaves no trace in the
 * statement, so that the planner sees which index fits.
 */
export interface Conditions {
  /** Adds a condition on a value; `text` is given the value's placeholder. */
  add(value: unknown, text: (parameter: string) => string): void;
  /** Adds a condition whose values are in it already. */
  also(text: string): void;
  /** A placeholder for a value of a statement around the conditions. */
  parameter(value: unknown): string;
  /** All of them, to stand after `where`. */
  text(): string;
  readonly values: readonly unknown[];
}

/** Conditions on rows of a tenant. `alias` is what the statement calls the table. */
export function conditionsOf(tenantId: string, alias: string): Conditions {
  const values: unknown[] = [tenantId];
  const texts = [`${alias}.tenant_id = $1`];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  return {
    values,
    parameter,
    add(value, text) {
      texts.push(text(parameter(value)));
    },
    also(text) {
      texts.push(text);
    },
    text: () => texts.join(' and '),
  };
}
