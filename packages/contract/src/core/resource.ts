import type { TObject, TProperties, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { RateLimit, ResponseSpec, Role } from './operation.ts';
import type { PageLimits } from './pages.ts';

/** How lists of records are sorted. */
export interface RecordOrder {
  /** For the documentation: `ordinal, then name`. */
  readonly text: string;
  /** Properties of the record that are columns and never null. */
  readonly keys: readonly { readonly property: string; readonly direction: 'asc' | 'desc' }[];
  /** The id breaks ties; ids rise with time, so without keys this is the order of creation. */
  readonly ids: 'asc' | 'desc';
}

export const newestFirst = { text: 'newest first', keys: [], ids: 'desc' } as const satisfies RecordOrder;

/** Priority, highest first, then newest (docs/design/api-catalogue.md 1.1). */
export const byPriority = {
  text: 'priority, highest first, then newest',
  keys: [{ property: 'priority', direction: 'desc' }],
  ids: 'desc',
} as const satisfies RecordOrder;

/** A property that holds the id of another record. */
export interface Reference {
  /** `entityType` of the record it names. */
  readonly to: string;
  /**
   * What happens on deleting the referenced record: `refuse` is 409 `in_use` while a live record refers to it;
   * `cascade`: the deleting feature also deletes the referring records; `keep`: nothing, because it's never deleted for
   * good.
   */
  readonly onDelete: 'refuse' | 'cascade' | 'keep';
}

/** How a resource's records appear in files (docs/design/api-settled.md 21 to 30). Everything has a default. */
export interface ResourceFiles {
  /** Why its records aren't configuration and have no files. */
  readonly leftOut?: string;
  /** Property with the id of the record below which names are unique, where they are not unique in the tenant. */
  readonly parent?: string;
  /** Folder of the files, if it isn't the resource's path; each parent has a folder of its own in it. */
  readonly folder?: string;
  /** Writable properties that files leave out: aliases, and what the runtime counts (dotted paths). */
  readonly without?: readonly string[];
  /** What the API stores for a missing value, if it isn't the column's default. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** JSON properties that contain record ids, under names such as `offerId` and `channelIds`. */
  readonly idsInside?: readonly string[];
}

/** What a draft body needs from its caller, the test or the documentation. */
export interface DraftWords {
  /** A word of the caller's own, for texts. */
  readonly marker: string;
  /** A new name that holds this word. */
  readonly name: (word: string) => string;
  /** A new key that begins with this word: lowercase letters, digits, hyphens. */
  readonly key: (word: string) => string;
  /** ID of a record with this `entityType` that exists. */
  readonly id: (entityType: string) => string;
}

/** Returns a body that creates a record, with every property that the product accepts today. */
export type Draft<Body> = (words: DraftWords) => Body;

/** The words of the documentation. */
export const documentWords: DraftWords = {
  marker: 'the example',
  name: (word) => word,
  key: (word) => word,
  id: () => '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00',
};

/**
 * A kind of record, described once. Its seven operations, how the server stores, lists and checks it, and what keeps
 * other records from being deleted are derived from this value (docs/architecture.md). Its table is `path`
 * with underscores.
 */
export interface Resource {
  /** `entityType` of its audit rows; other resources refer to it by this word. camelCase, unique. */
  readonly entityType: string;
  /** Prefix of the operation ids: `subCategories`. */
  readonly name: string;
  /** Last part of the path: `sub-categories`. */
  readonly path: string;
  readonly tag: string;
  /** Singular and plural for texts: `sub-category`, `sub-categories`. */
  readonly noun: string;
  readonly nouns: string;
  readonly writeRole: Role;
  /** Role that deletes, if it isn't `writeRole`. */
  readonly deleteRole?: Role;
  /** True when deletion sets `deletedAt`. */
  readonly softDelete: boolean;
  /** True: deletion sets the status `archived`; the record keeps its version and its name and stays in lists. */
  readonly archives?: true;
  /** True: `GET /{id}` has `includeDeleted` and then also answers a soft-deleted record. */
  readonly readsDeleted?: boolean;
  /**
   * True: its version history has its own routes, declared separately from the resource (docs/design/api-settled.md
   * 50).
   */
  readonly ownVersions?: true;
  readonly record: TObject;
  readonly create: TSchema;
  /** Serves the tests of every operation and the examples of the documentation; a test refuses a resource without it. */
  readonly draft?: Draft<object>;
  /** Optional properties of PUT; `id` and `rowVersion` are added. */
  readonly changes: TProperties;
  /**
   * Properties that can't change after creation: PUT accepts the current value, so that clients can send back what they
   * read, and rejects any other.
   */
  readonly fixed?: TProperties;
  readonly page: PageLimits;
  readonly order: RecordOrder;
  /** Properties that `search` looks at. */
  readonly search: readonly string[];
  /** Place of its records in the answers of `GET /api/v1/search`, in steps of 10. Without one, searches leave them out. */
  readonly searchOrder?: number;
  /** Query properties of the list that must equal the record's property of the same name. */
  readonly filters: TProperties;
  /** More query properties of the list. The feature defines them. */
  readonly queries: TProperties;
  /** Properties that no two records share, with the code of the 409. The server's constraints are named after them. */
  readonly unique: Readonly<Record<string, Extract<ErrorCode, 'duplicate_name' | 'duplicate_key'>>>;
  readonly references: Readonly<Record<string, Reference>>;
  /** Success answers of both forms of DELETE. */
  readonly removal: Readonly<Record<number, ResponseSpec>>;
  /** Codes beyond those that follow from `unique` and `references`. */
  readonly errors?: {
    readonly create?: readonly ErrorCode[];
    readonly update?: readonly ErrorCode[];
    readonly delete?: readonly ErrorCode[];
  };
  readonly rateLimits?: readonly RateLimit[];
  readonly files?: ResourceFiles;
}

/** Declares a resource; keeps literal types, so that rows, handlers and operations are typed from it. */
export function resource<const R extends Resource>(value: R): R {
  return value;
}

/** Answer of a DELETE without content. */
export const deleted = { 204: { description: 'Deleted.', schema: null } } as const;

/** Returns a noun with its indefinite article: `an offer`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
