import Type, { type TProperties, type TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import { type Operation, operation, type RateLimit, type Role } from './operation.ts';
import { cursorPage, cursorQuery } from './pages.ts';
import { Id, IdText, QueryFlag } from './schemas.ts';

export interface RecordOperationsSpec<
  N extends string,
  R extends TSchema,
  C extends TSchema,
  U extends TProperties,
  F extends TProperties,
> {
  /** Prefix of the operation ids: `categories`. */
  readonly resource: N;
  /** Last part of the path: `sub-categories`. */
  readonly path: string;
  readonly tag: string;
  /** One record and several, for texts: `sub-category`, `sub-categories`. */
  readonly noun: string;
  readonly nouns: string;
  readonly entityType: string;
  readonly writeRole: Role;
  readonly softDelete: boolean;
  readonly record: R;
  readonly create: C;
  /** Optional properties of PUT; `id` and `rowVersion` are added. */
  readonly changes: U;
  /** Query properties of the list beyond limit, cursor, search, q and includeDeleted. */
  readonly filters: F;
  readonly order: string;
  readonly defaultLimit: number;
  readonly maximumLimit: number;
  readonly createErrors: readonly ErrorCode[];
  readonly updateErrors: readonly ErrorCode[];
  readonly deleteErrors: readonly ErrorCode[];
  readonly rateLimits?: readonly RateLimit[];
}

/**
 * The seven operations that every catalogue resource has: list, create, get, and change and delete in the collection
 * style (`id` in body or query) and on `/{id}`, with equal codes, roles and audit rows (api-access.md 1 "Two styles").
 */
export function recordOperations<
  const N extends string,
  R extends TSchema,
  C extends TSchema,
  U extends TProperties,
  F extends TProperties,
>(spec: RecordOperationsSpec<N, R, C, U, F>) {
  const { resource, noun, nouns, entityType } = spec;
  const path = `/api/v1/${spec.path}`;
  const common = {
    tag: spec.tag,
    auth: 'credential',
    loadClass: 'crud',
    transaction: 'tenant',
    ...(spec.rateLimits === undefined ? {} : { rateLimits: spec.rateLimits }),
  } as const;
  const params = Type.Object({ id: IdText(`Id of the ${noun}.`) }, { description: `Which ${noun}.` });
  const changes = {
    ...spec.changes,
    rowVersion: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The version the change is based on; another one is 409.' }),
    ),
  };
  const one = { description: `The ${noun}.`, schema: spec.record };
  const gone = { description: 'Deleted.', schema: null };
  const deletion = { ...common, role: spec.writeRole, responses: { 204: gone } } as const;
  const action = spec.softDelete ? 'soft_delete' : 'delete';
  return {
    list: operation({
      ...common,
      id: `${resource}.list`,
      method: 'GET',
      path,
      summary: `List ${nouns}`,
      description: `Order: ${spec.order}.`,
      role: 'viewer',
      query: Type.Object(
        {
          ...cursorQuery(spec.defaultLimit, spec.maximumLimit),
          search: Type.Optional(Type.String({ maxLength: 255, description: 'Contained in name or key, any case.' })),
          q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as search.' })),
          includeDeleted: Type.Optional(
            QueryFlag(spec.softDelete ? `True also lists deleted ${nouns}.` : 'Without effect: deletion is final.'),
          ),
          ...spec.filters,
        },
        { description: 'Page and filters.' },
      ),
      responses: { 200: { description: `A page of ${nouns}.`, schema: cursorPage(spec.record) } },
      errors: ['invalid_cursor'],
      audit: [],
    }),
    create: operation({
      ...common,
      id: `${resource}.create`,
      method: 'POST',
      path,
      summary: `Create a ${noun}`,
      role: spec.writeRole,
      body: spec.create,
      record: spec.record,
      responses: { 201: one },
      errors: spec.createErrors,
      audit: [{ action: 'create', entityType }],
    }),
    get: operation({
      ...common,
      id: `${resource}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      summary: `Read one ${noun}`,
      role: 'viewer',
      params,
      responses: { 200: one },
      errors: ['not_found'],
      audit: [],
    }),
    update: operation({
      ...common,
      id: `${resource}.update`,
      method: 'PUT',
      path,
      summary: `Change a ${noun}`,
      description: 'Only the supplied properties change; null clears a nullable one.',
      role: spec.writeRole,
      body: Type.Object({ id: Id(`The ${noun} to change.`), ...changes }, { description: `Changes of a ${noun}.` }),
      record: spec.record,
      responses: { 200: one },
      errors: ['not_found', 'row_version_conflict', ...spec.updateErrors],
      audit: [{ action: 'update', entityType }],
    }),
    updateById: operation({
      ...common,
      id: `${resource}.updateById`,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: `Change one ${noun}`,
      description: 'Only the supplied properties change; null clears a nullable one.',
      role: spec.writeRole,
      params,
      body: Type.Object(
        { id: Type.Optional(Id('When given, the id of the path.')), ...changes },
        { description: `Changes of a ${noun}.` },
      ),
      record: spec.record,
      responses: { 200: one },
      errors: ['not_found', 'row_version_conflict', ...spec.updateErrors],
      audit: [{ action: 'update', entityType }],
    }),
    delete: operation({
      ...deletion,
      id: `${resource}.delete`,
      method: 'DELETE',
      path,
      summary: `Delete a ${noun}`,
      query: Type.Object({ id: IdText(`The ${noun} to delete.`) }, { description: `Which ${noun}.` }),
      errors: [spec.softDelete ? 'already_deleted' : 'not_found', ...spec.deleteErrors],
      audit: [{ action, entityType }],
    }),
    deleteById: operation({
      ...deletion,
      id: `${resource}.deleteById`,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Delete one ${noun}`,
      params,
      errors: ['not_found', ...spec.deleteErrors],
      audit: [{ action, entityType }],
    }),
  };
}

/** A `get` that answers a soft-deleted record too, when it is asked to (part 2, section 1). */
export const withDeleted = <const O extends Operation>(get: O, noun: string) =>
  operation({
    ...get,
    query: Type.Object(
      {
        includeDeleted: Type.Optional(QueryFlag(`True also answers a deleted ${noun}, with its deletedAt.`)),
      },
      { description: 'Which states are answered.' },
    ),
  });
