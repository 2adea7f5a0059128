/**
 * Collects the conditions of a statement with their values. A filter that isn't used leaves no trace in the statement,
 * so the planner sees which index fits.
 */
export interface Conditions {
  /** Adds a condition on a value. `text` receives the value's placeholder. */
  add(value: unknown, text: (parameter: string) => string): void;
  /** Adds a condition that already contains its values. */
  also(text: string): void;
  /** Returns a placeholder for a value used outside the conditions. */
  parameter(value: unknown): string;
  /** Returns all conditions, to put after `where`. */
  text(): string;
  readonly values: readonly unknown[];
}

/** Creates conditions on rows of a tenant. `alias` is the table's name in the statement. */
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
