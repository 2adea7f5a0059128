import { operations } from './all-operations.ts';
import type { Operation } from './core/operation.ts';
import type { Resource } from './core/resource.ts';

export { operations };

export type Operations = typeof operations;
export type OperationId = keyof Operations;

type Listed = Extract<Operations[OperationId], { readonly resource: Resource }>['resource'];

/** `entityType` of a resource that is built: the word by which records refer to each other. */
export type EntityType = Listed['entityType'];

/** The resource with this `entityType`. */
export type ResourceOf<E extends EntityType> = Extract<Listed, { readonly entityType: E }>;

/** Every resource by its `entityType`: those that have operations, in the order of `operations`. */
export const resources = Object.fromEntries(
  Object.values<Operation>(operations).flatMap(({ resource }) =>
    resource === undefined ? [] : [[resource.entityType, resource]],
  ),
) as { readonly [E in EntityType]: ResourceOf<E> };
