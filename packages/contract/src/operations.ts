import type { Operation } from './core/operation.ts';
import { systemOperations } from './system.ts';

/** A contract module's operations, keyed by their ids instead of by their names inside the module. */
type ById<M extends Record<string, Operation>> = { [K in keyof M as M[K]['id']]: M[K] };

function byId<const M extends Record<string, Operation>>(module: M): ById<M> {
  return Object.fromEntries(Object.values(module).map((operation) => [operation.id, operation])) as ById<M>;
}

/** Every operation of the API, by id. A contract module adds its line here and its export in `index.ts`. */
export const operations = {
  ...byId(systemOperations),
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;
