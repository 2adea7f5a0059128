import Type, { type TSchema } from 'typebox';

/** How many rows a page of a list has. */
export interface PageLimits {
  /** When the caller does not say. */
  readonly usual: number;
  /** A larger wish becomes this. */
  readonly maximum: number;
}

/** Page size of lists that do not state another (docs/design/api-access.md 1). */
export const usualPage: PageLimits = { usual: 25, maximum: 100 };

/** Page size of the catalogue's lists that do not state another (docs/design/api-catalogue.md 1.1). */
export const cataloguePage: PageLimits = { usual: 25, maximum: 200 };

/** The size that a page will have. `asked` below 1 never comes here: the schema of `cursorQuery` refuses it. */
export function pageSize({ usual, maximum }: PageLimits, asked: number | undefined): number {
  return Math.min(asked ?? usual, maximum);
}

/** Query of a cursor list: `limit` (above the maximum becomes the maximum, below 1 is 400), `cursor` (docs/design/api-access.md 1). */
export const cursorQuery = ({ usual, maximum }: PageLimits) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: usual,
      description: `Rows per page; above ${maximum} it becomes ${maximum}.`,
    }),
  ),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'Cursor of the previous page.' })),
});

/** Where a page of a cursor list stands. */
export const Pagination = Type.Object(
  {
    total: Type.Integer({ description: 'Rows that match the filters.' }),
    limit: Type.Integer({ description: 'The page size that was used.' }),
    hasMore: Type.Boolean({ description: 'True when another page follows.' }),
    cursor: Type.Union([Type.String(), Type.Null()], { description: 'Same as nextCursor.' }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'Cursor of the next page, or null.' }),
  },
  { description: 'Where this page stands.' },
);
export type Pagination = Type.Static<typeof Pagination>;

/** Envelope of a cursor list. `cursor` repeats `nextCursor` where the contract names it so. */
export const cursorPage = <T extends TSchema>(item: T) =>
  Type.Object(
    { data: Type.Array(item, { description: 'The rows of this page.' }), pagination: Pagination },
    { description: 'A page of a cursor list.' },
  );

/** Query of an offset list: `limit` as in cursor lists, `offset` from 0 (docs/design/api-access.md 1). */
export const offsetQuery = (limits: PageLimits) => ({
  limit: cursorQuery(limits).limit,
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Rows left out in front.' })),
});

/** Envelope of an offset list. Beyond the end `data` is empty and `total` true. */
export const offsetPage = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      data: Type.Array(item, { description: 'The rows of this page.' }),
      pagination: Type.Object(
        {
          total: Type.Integer({ description: 'Rows that match the filters.' }),
          limit: Type.Integer({ description: 'The page size that was used.' }),
          offset: Type.Integer({ description: 'Rows left out in front.' }),
        },
        { description: 'Where this page stands.' },
      ),
    },
    { description: 'A page of an offset list.' },
  );

/** Query of a plain array that has a maximum: `limit` alone. */
export const limitQuery = (limits: PageLimits) => ({
  limit: cursorQuery(limits).limit,
});
