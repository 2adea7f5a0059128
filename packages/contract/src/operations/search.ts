import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, StringEnum } from '../core/schemas.ts';
import { searchedKinds } from './searched-kinds.generated.ts';

/** Number of records of each kind at most. */
export const maxFoundPerKind = 5;

/** A record that a search found. */
export const FoundRecord = Type.Object(
  {
    entityType: StringEnum(searchedKinds, { description: 'Kind of the record.' }),
    id: Id('ID of the record.'),
    name: Type.String({ description: 'Name of the record. For a schema, its display name if it has one.' }),
    detail: Type.String({
      description:
        'Tells records of the same name apart. Depending on the kind, this is the key, the status, or the name of the ' +
        'record that it belongs to.',
    }),
  },
  { description: 'A record that matches.' },
);
export type FoundRecord = Static<typeof FoundRecord>;

export const searchOperations = {
  find: operation({
    id: 'search.find',
    method: 'GET',
    path: '/api/v1/search',
    tag: 'Search',
    summary: 'Search records by name, key or id',
    description:
      `Returns up to ${maxFoundPerKind} records of each kind, grouped by kind: exact names first, then names that start ` +
      'with the text, then all others by name. Ignores case. Deleted records are left out.',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    stopsWithCaller: true,
    rateLimits: [{ limit: 1200, windowSeconds: 60, per: 'tenant' }],
    query: Type.Object(
      {
        q: Type.String({
          minLength: 2,
          maxLength: 255,
          pattern: '\\S',
          description: 'Part of a name or key, or a complete ID. 2 to 255 characters.',
        }),
      },
      { description: 'Text to find.' },
    ),
    responses: {
      200: {
        description: 'The records that match.',
        schema: Type.Object(
          { data: Type.Array(FoundRecord, { description: 'The records, grouped by kind.' }) },
          { description: 'The records that match.' },
        ),
      },
    },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
} as const;
