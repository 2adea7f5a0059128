import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import { operation, type ResponseSpec } from './operation.ts';
import { cursorPage, cursorQuery } from './pages.ts';
import { versionOperations } from './record-versions.ts';
import { type Resource, withArticle } from './resource.ts';
import { Id, IdText, QueryFlag } from './schemas.ts';
import { withWarnings } from './warnings.ts';

/** The parts of a resource that determine its operations' types. */
interface Parts<
  N extends string,
  P extends string,
  Rec extends TObject,
  C extends TSchema,
  U extends TProperties,
  F extends TProperties,
  Q extends TProperties,
  D extends Readonly<Record<number, ResponseSpec>>,
> {
  readonly name: N;
  readonly record: Rec;
  readonly path: P;
  readonly create: C;
  readonly changes: U;
  readonly filters: F;
  readonly queries: Q;
  readonly removal: D;
}

/** Codes of a POST and of a PUT: from its references and unique properties, then those the resource adds. */
function writeErrors(resource: Resource, writable: TProperties, more: readonly ErrorCode[] = []): ErrorCode[] {
  const refers = Object.keys(resource.references).some((property) => property in writable);
  const conflictCodes = Object.entries(resource.unique).flatMap(([property, code]) =>
    property in writable ? [code] : [],
  );
  return [...(refers ? (['reference_not_found'] as const) : []), ...conflictCodes, ...more];
}

/** The input of a PUT. Feature types leave out the fixed properties, which change nothing. */
function withFixed<U extends TProperties>(changes: U, fixed: TProperties): U {
  return { ...changes, ...Type.Partial(Type.Object(fixed)).properties };
}

type VersionOperations<N extends string, P extends string, Rec extends TObject> = ReturnType<
  typeof versionOperations<N, P, Rec>
>;

/** The operations on the version history of a resource's records: for soft-deletable ones, unless they opt out. */
type HistoryOf<R extends Resource, N extends string, P extends string, Rec extends TObject> = R extends {
  readonly softDelete: true;
}
  ? R extends { readonly ownVersions: true }
    ? Record<never, never>
    : VersionOperations<N, P, Rec>
  : Record<never, never>;

/** True when the history of its records has the routes that are the same for all resources. */
export const hasUsualVersions = ({ softDelete, ownVersions }: Resource): boolean => softDelete && ownVersions !== true;

/**
 * The seven operations of every catalogue resource: list, create, get, and change and delete in the collection style
 * (`id` in body or query) and on `/{id}`, with the same codes, roles and audit rows (docs/design/api-access.md 1 "Two
 * styles"). Soft-deletable ones have three more, on a record's versions.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of seven operations, whose types are inferred together
export function recordOperations<
  const R extends Resource,
  const N extends string,
  const P extends string,
  Own extends TProperties,
  C extends TSchema,
  U extends TProperties,
  F extends TProperties,
  Q extends TProperties,
  D extends Readonly<Record<number, ResponseSpec>>,
>(resource: R & Parts<N, P, TObject<Own>, C, U, F, Q, D>) {
  const parts: Parts<N, P, TObject<Own>, C, U, F, Q, D> = resource;
  const { noun, nouns, entityType, errors } = resource;
  const aNoun = withArticle(noun);
  const path = `/api/v1/${parts.path}` as const;
  const common = {
    tag: resource.tag,
    auth: 'credential',
    loadClass: 'crud',
    transaction: 'tenant',
    ...(resource.rateLimits === undefined ? {} : { rateLimits: resource.rateLimits }),
  } as const;
  const params = Type.Object({ id: IdText(`ID of the ${noun}.`) }, { description: `The ${noun} to use.` });
  const deletedToo = Type.Object(
    { includeDeleted: Type.Optional(QueryFlag(`True: also return a deleted ${noun}, with its \`deletedAt\`.`)) },
    { description: 'Which states to return.' },
  );
  const changes = {
    ...withFixed(parts.changes, resource.fixed ?? {}),
    rowVersion: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Version the change is based on. Returns 409 if the record has a different version.',
      }),
    ),
  };
  const written = withWarnings(parts.record, `${entityType[0]?.toUpperCase()}${entityType.slice(1)}WithWarnings`);
  const one = { description: `The ${noun}.`, schema: written };
  const removal = {
    ...common,
    role: resource.deleteRole ?? resource.writeRole,
    changesCatalogue: true,
    responses: parts.removal,
  } as const;
  const creating = writeErrors(resource, parts.record.properties, errors?.create);
  const updating = writeErrors(resource, parts.changes, errors?.update);
  const action = resource.softDelete || resource.archives ? 'soft_delete' : 'delete';
  const deletedWords = resource.archives
    ? `Has no effect: archived ${nouns} are always listed.`
    : 'Has no effect: deletion is permanent.';
  const history = hasUsualVersions(resource) ? versionOperations(resource, parts) : {};
  return {
    // The condition above is that of the type.
    ...(history as HistoryOf<R, N, P, TObject<Own>>),
    list: operation({
      ...common,
      id: `${parts.name}.list`,
      resource,
      method: 'GET',
      path,
      summary: `List ${nouns}`,
      description: `Sorted by ${resource.order.text}.`,
      role: 'viewer',
      query: Type.Object(
        {
          ...cursorQuery(resource.page),
          search: Type.Optional(
            Type.String({ maxLength: 255, description: 'Text to find in the name or key, ignoring case.' }),
          ),
          q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as `search`.' })),
          includeDeleted: Type.Optional(
            QueryFlag(resource.softDelete ? `True: also list deleted ${nouns}.` : deletedWords),
          ),
          ...parts.filters,
          ...parts.queries,
        },
        { description: 'Page and filters.' },
      ),
      responses: { 200: { description: `A page of ${nouns}.`, schema: cursorPage(parts.record) } },
      errors: ['invalid_cursor'],
      audit: [],
    }),
    create: operation({
      ...common,
      id: `${parts.name}.create`,
      resource,
      method: 'POST',
      path,
      summary: `Create ${aNoun}`,
      role: resource.writeRole,
      body: parts.create,
      record: written,
      changesCatalogue: true,
      responses: { 201: one },
      errors: creating,
      audit: [{ action: 'create', entityType }],
    }),
    get: operation({
      ...common,
      id: `${parts.name}.get`,
      method: 'GET',
      path: `${path}/{id}` as const,
      summary: `Get ${aNoun}`,
      role: 'viewer',
      params,
      ...(resource.readsDeleted === true ? { query: deletedToo } : {}),
      responses: { 200: one },
      errors: ['not_found'],
      audit: [],
    }),
    update: operation({
      ...common,
      id: `${parts.name}.update`,
      method: 'PUT',
      path,
      summary: `Update ${aNoun}, with its ID in the body`,
      description: 'Only the properties you send are changed. null clears a nullable property.',
      role: resource.writeRole,
      body: Type.Object({ id: Id(`The ${noun} to change.`), ...changes }, { description: `Changes to ${aNoun}.` }),
      record: written,
      changesCatalogue: true,
      responses: { 200: one },
      errors: ['not_found', 'row_version_conflict', ...updating],
      audit: [{ action: 'update', entityType }],
    }),
    updateById: operation({
      ...common,
      id: `${parts.name}.updateById`,
      method: 'PUT',
      path: `${path}/{id}` as const,
      summary: `Update ${aNoun}`,
      description: 'Only the properties you send are changed. null clears a nullable property.',
      role: resource.writeRole,
      params,
      body: Type.Object(
        { id: Type.Optional(Id('Must be the ID of the path, if given.')), ...changes },
        { description: `Changes to ${aNoun}.` },
      ),
      record: written,
      changesCatalogue: true,
      responses: { 200: one },
      errors: ['not_found', 'row_version_conflict', ...updating],
      audit: [{ action: 'update', entityType }],
    }),
    delete: operation({
      ...removal,
      id: `${parts.name}.delete`,
      method: 'DELETE',
      path,
      summary: `Delete ${aNoun} by query parameter`,
      query: Type.Object({ id: IdText(`The ${noun} to delete.`) }, { description: `The ${noun} to use.` }),
      errors: [resource.softDelete ? 'already_deleted' : 'not_found', ...(errors?.delete ?? [])],
      audit: [{ action, entityType }],
    }),
    deleteById: operation({
      ...removal,
      id: `${parts.name}.deleteById`,
      method: 'DELETE',
      path: `${path}/{id}` as const,
      summary: `Delete ${aNoun}`,
      params,
      errors: ['not_found', ...(errors?.delete ?? [])],
      audit: [{ action, entityType }],
    }),
  };
}
