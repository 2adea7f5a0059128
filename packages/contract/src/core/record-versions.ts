import Type, { type Static, type TObject } from 'typebox';
import { operation } from './operation.ts';
import { cursorPage, cursorQuery, type PageLimits } from './pages.ts';
import type { Resource } from './resource.ts';
import { IdText, Timestamp } from './schemas.ts';

/** Page size of the versions of a record. */
export const versionPage: PageLimits = { usual: 25, maximum: 100 };

/** One difference between two states of a record. */
export const RecordDifference = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into the record (RFC 6901).' }),
    before: Type.Unknown({
      description: 'The value in the older state, null where there was none. Secrets as bullets.',
    }),
    after: Type.Unknown({ description: 'The value in the newer state, null where there is none. Secrets as bullets.' }),
  },
  { description: 'A value that differs.' },
);
export type RecordDifference = Static<typeof RecordDifference>;

const Differences = Type.Array(RecordDifference, {
  description: 'The values that differ, without ids, version numbers and the instants of creation and change.',
});

/** One version of a record, as its history lists it (docs/design/api-settled.md 50). */
export const RecordVersion = Type.Object(
  {
    version: Type.Integer({ description: 'Number of the version.' }),
    action: Type.String({ description: 'What was done: an action of the audit log, such as `create` or `update`.' }),
    changedAt: Timestamp('When it was done.'),
    changedBy: Type.String({ description: 'Who did it, as in the audit log.' }),
    changes: Differences,
    truncated: Type.Optional(
      Type.Literal(true, { description: 'Earlier versions are not kept, so that `changes` cannot be told.' }),
    ),
  },
  { description: 'A version of a record.' },
);
export type RecordVersion = Static<typeof RecordVersion>;

/** What differs between two versions. */
export const VersionDifferences = Type.Object(
  {
    from: Type.Integer({ description: 'The version that `before` is of.' }),
    to: Type.Integer({ description: 'The version that `after` is of.' }),
    changes: Differences,
  },
  { description: 'The difference between two versions of a record.' },
);
export type VersionDifferences = Static<typeof VersionDifferences>;

const number = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description });

/** The three operations on the history of a resource's records; of a deleted record as well. */
export function versionOperations<const N extends string, const P extends string, Rec extends TObject>(
  resource: Pick<Resource, 'tag' | 'noun'>,
  { name, path, record }: { readonly name: N; readonly path: P; readonly record: Rec },
) {
  const { noun, tag } = resource;
  const common = {
    method: 'GET',
    tag,
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    audit: [],
    transaction: 'tenant',
  } as const;
  const which = IdText(`Id of the ${noun}, deleted or not.`);
  const params = Type.Object({ id: which }, { description: `Which ${noun}.` });
  const root = `/api/v1/${path}/{id}/versions` as const;
  return {
    versions: operation({
      ...common,
      id: `${name}.versions`,
      path: root,
      summary: `List the versions of one ${noun}, newest first`,
      params,
      query: Type.Object(cursorQuery(versionPage), { description: 'Which page.' }),
      responses: { 200: { description: 'A page of versions.', schema: cursorPage(RecordVersion) } },
      errors: ['not_found', 'invalid_cursor'],
    }),
    version: operation({
      ...common,
      id: `${name}.version`,
      path: `${root}/{version}`,
      summary: `Read one ${noun} as it was`,
      description: 'Without what it shows of other records. Secrets appear as bullets.',
      params: Type.Object(
        { id: which, version: IdText('Number of the version.') },
        { description: `Which ${noun}, and which version of it.` },
      ),
      responses: {
        200: {
          description: `The ${noun} as it was.`,
          schema: Type.Partial(record, { description: `The ${noun} in an earlier state.` }),
        },
      },
      errors: ['not_found'],
    }),
    versionsDiff: operation({
      ...common,
      id: `${name}.versionsDiff`,
      path: `${root}/diff`,
      summary: `Compare two versions of one ${noun}`,
      params,
      query: Type.Object(
        { from: number('The version that `before` is of.'), to: number('The version that `after` is of.') },
        { description: 'Which two versions.' },
      ),
      responses: { 200: { description: 'What differs.', schema: VersionDifferences } },
      errors: ['not_found'],
    }),
  };
}
