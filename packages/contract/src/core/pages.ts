import Type, { type TSchema } from 'typebox';

/** How many rows a page of a list has. */
export interface PageLimits {
  /** Used when the caller doesn't specify it. */
  readonly usual: number;
  /** Larger values are lowered to this. */
  readonly maximum: number;
}

/** Page size of lists that do not state another (docs/design/api-access.md 1). */
export const defaultPage: PageLimits = { usual: 25, maximum: 100 };

/** Page size of the catalogue's lists that do not state another (docs/design/api-catalogue.md 1.1). */
export const cataloguePage: PageLimits = { usual: 25, maximum: 200 };

/** Returns a page's size. `asked` is never below 1, because the schema of `cursorQuery` rejects it. */
export function pageSize({ usual, maximum }: PageLimits, requested: number | undefined): number {
  return Math.min(requested ?? usual, maximum);
}

/** Query of a cursor list: `limit` (above the maximum becomes the maximum, below 1 is 400), `cursor` (docs/design/api-access.md 1). */
export const cursorQuery = ({ usual, maximum }: PageLimits) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: usual,
      description: `Page size. Values above ${maximum} are treated as ${maximum}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: '`nextCursor` of the previous page.' }),
  ),
});

/** Position of a page in a cursor list. */
export const Pagination = Type.Object(
  {
    total: Type.Integer({ description: 'Total number of matching rows.' }),
    limit: Type.Integer({ description: 'Page size used.' }),
    hasMore: Type.Boolean({ description: 'True if there is another page.' }),
    cursor: Type.Union([Type.String(), Type.Null()], { description: 'Same as `nextCursor`.' }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'Cursor of the next page, or null.' }),
  },
  { description: 'Position of this page.' },
);
export type Pagination = Type.Static<typeof Pagination>;

/** Envelope of a cursor list. `cursor` repeats `nextCursor` where the contract names it so. */
export const cursorPage = <T extends TSchema>(item: T) =>
  Type.Object(
    { data: Type.Array(item, { description: 'Rows of this page.' }), pagination: Pagination },
    { description: 'A page of a list with cursors.' },
  );

/** Query of an offset list: `limit` as in cursor lists, `offset` from 0 (docs/design/api-access.md 1). */
export const offsetQuery = (limits: PageLimits) => ({
  limit: cursorQuery(limits).limit,
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of rows to skip.' })),
});

/** Envelope of an offset list. Beyond the end `data` is empty and `total` true. */
export const offsetPage = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      data: Type.Array(item, { description: 'Rows of this page.' }),
      pagination: Type.Object(
        {
          total: Type.Integer({ description: 'Total number of matching rows.' }),
          limit: Type.Integer({ description: 'Page size used.' }),
          offset: Type.Integer({ description: 'Number of rows to skip.' }),
        },
        { description: 'Position of this page.' },
      ),
    },
    { description: 'A page of a list with offsets.' },
  );

/** Query of a plain array that has a maximum: `limit` alone. */
export const limitQuery = (limits: PageLimits) => ({
  limit: cursorQuery(limits).limit,
});
