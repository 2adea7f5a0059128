import Type, { type Static, type TObject } from 'typebox';
import { operation } from './operation.ts';
import { cursorPage, cursorQuery, type PageLimits } from './pages.ts';
import { type Resource, withArticle } from './resource.ts';
import { IdText, Timestamp } from './schemas.ts';

/** Page size of the versions of a record. */
export const versionPage: PageLimits = { usual: 25, maximum: 100 };

/** One difference between two states of a record. */
export const RecordDifference = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into the record (RFC 6901).' }),
    before: Type.Unknown({
      description: 'Value in the older state; null if there was none. Secrets are masked.',
    }),
    after: Type.Unknown({ description: 'Value in the newer state, or null. Secrets are masked.' }),
  },
  { description: 'One changed value.' },
);
export type RecordDifference = Static<typeof RecordDifference>;

const Differences = Type.Array(RecordDifference, {
  description: 'Changed values, without IDs, version numbers and timestamps.',
});

/** One version of a record, as its history lists it (docs/design/api-settled.md 50). */
export const RecordVersion = Type.Object(
  {
    version: Type.Integer({ description: 'Version number.' }),
    action: Type.String({ description: 'Audit action, such as `create` or `update`.' }),
    changedAt: Timestamp('When the change was made.'),
    changedBy: Type.String({ description: 'Actor, as in the audit log.' }),
    changes: Differences,
    truncated: Type.Optional(
      Type.Literal(true, { description: 'Earlier versions are not stored, so `changes` is not available.' }),
    ),
  },
  { description: 'A version of a record.' },
);
export type RecordVersion = Static<typeof RecordVersion>;

/** The differences between two versions. */
export const VersionDifferences = Type.Object(
  {
    from: Type.Integer({ description: 'Version shown in `before`.' }),
    to: Type.Integer({ description: 'Version shown in `after`.' }),
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
  const aNoun = withArticle(noun);
  const common = {
    method: 'GET',
    tag,
    auth: 'credential',
    role: 'viewer',
    loadClass: 'crud',
    audit: [],
    transaction: 'tenant',
  } as const;
  const which = IdText(`ID of the ${noun}, deleted or not.`);
  const params = Type.Object({ id: which }, { description: `The ${noun} to use.` });
  const root = `/api/v1/${path}/{id}/versions` as const;
  return {
    versions: operation({
      ...common,
      id: `${name}.versions`,
      path: root,
      summary: `List the versions of ${aNoun}, newest first`,
      params,
      query: Type.Object(cursorQuery(versionPage), { description: 'Page to return.' }),
      responses: { 200: { description: 'A page of versions.', schema: cursorPage(RecordVersion) } },
      errors: ['not_found', 'invalid_cursor'],
    }),
    version: operation({
      ...common,
      id: `${name}.version`,
      path: `${root}/{version}`,
      summary: `Get ${aNoun} at an earlier version`,
      description: 'Without related data from other records. Secrets are masked.',
      params: Type.Object(
        { id: which, version: IdText('Version number.') },
        { description: `The ${noun} and its version.` },
      ),
      responses: {
        200: {
          description: `The ${noun} at that version.`,
          schema: Type.Partial(record, { description: `The ${noun} in an earlier state.` }),
        },
      },
      errors: ['not_found'],
    }),
    versionsDiff: operation({
      ...common,
      id: `${name}.versionsDiff`,
      path: `${root}/diff`,
      summary: `Compare two versions of ${aNoun}`,
      params,
      query: Type.Object(
        { from: number('Version shown in `before`.'), to: number('Version shown in `after`.') },
        { description: 'Versions to compare.' },
      ),
      responses: { 200: { description: 'Differences between the versions.', schema: VersionDifferences } },
      errors: ['not_found'],
    }),
  };
}
