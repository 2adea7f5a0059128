import type { Operation } from '@arbiter/contract/operation';

/** Name of an answer in the memory of the page: whose, of which operation, to which question. */
export type OperationKey = readonly [tenant: string, id: string, input: string];

/** The key of an answer. Questions that differ in the order of their names or in absent values only are the same. */
export function operationKey(tenant: string, operation: Pick<Operation, 'id'>, input: object): OperationKey {
  const { signal: _, ...asked } = input as { readonly signal?: AbortSignal };
  return [tenant, operation.id, canonical(asked)];
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner)
        .filter(([, each]) => each !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
}

/** The resource of an operation: `offers` of `offers.create`. */
export function resourceOf(id: string): string {
  return id.split('.', 1)[0] ?? id;
}
