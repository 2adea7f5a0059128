import type { Operation } from '@arbiter/contract/core/operation';

/** Cache key of a response: tenant, operation, input. */
export type OperationKey = readonly [tenant: string, id: string, input: string];

/** Builds a cache key. Inputs that differ only in property order or absent values have the same key. */
export function operationKey(tenant: string, operation: Pick<Operation, 'id'>, input: object): OperationKey {
  const { signal: _, ...rest } = input as { readonly signal?: AbortSignal };
  return [tenant, operation.id, canonical(rest)];
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

/** Returns the resource of an operation: `offers` for `offers.create`. */
export function resourceOf(id: string): string {
  return id.split('.', 1)[0] ?? id;
}
