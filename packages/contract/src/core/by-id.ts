import type { Operation } from './operation.ts';

/** A contract module's operations, keyed by their ids instead of by their names inside the module. */
export type ById<M extends Record<string, Operation>> = { [K in keyof M as M[K]['id']]: M[K] };

/** Keys a module's operations by their ids. */
export function byId<const M extends Record<string, Operation>>(module: M): ById<M> {
  return Object.fromEntries(Object.values(module).map((operation) => [operation.id, operation])) as ById<M>;
}
