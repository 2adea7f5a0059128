import { operations, type Resource, resources } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { TSchema } from 'typebox';
import type { Members } from './json.ts';
import { kindRules } from './rules/index.ts';
import type { KindRules } from './rules/kind-rules.ts';

/** A kind of object that has files: a resource, or the settings of the tenant. */
export interface FileKind {
  /** Folder of its files: the last part of the resource's path, unless the resource names another. */
  readonly type: string;
  /** True: each parent has a folder of its own in it. */
  readonly isNested: boolean;
  readonly entityType: string;
  readonly noun: string;
  readonly resource: Resource;
  /** Property by which its records are named. */
  readonly naming: 'key' | 'name';
  /** Property with the id of the parent, below which names are unique; null: they are unique in the tenant. */
  readonly parent: string | null;
  /** Entity types of properties that hold an id, as the resource says it. */
  readonly references: ReadonlyMap<string, string>;
  /** Properties that its files may hold, with the schema that a body has for them; null for those of the rules. */
  readonly properties: ReadonlyMap<string, TSchema | null>;
  /** JSON properties that hold IDs. */
  readonly idsInside: readonly string[];
  readonly rules: KindRules;
}

/** Properties that `POST` takes, and those that `PUT` takes. */
export const createProperties = (resource: Resource): Readonly<Record<string, TSchema>> => {
  const found: unknown = Reflect.get(resource.create, 'properties');
  return typeof found === 'object' && found !== null ? { ...(found as Record<string, TSchema>) } : {};
};

/** Why the records of a resource have no files; null: they have. */
const leftOutBecause = (resource: Resource): string | null => resource.files?.leftOut ?? null;

function kindOf(resource: Resource): FileKind {
  const { files = {} } = resource;
  const rules: KindRules = kindRules[resource.entityType] ?? {};
  const hidden = new Set([...(files.without ?? []), ...(rules.hides ?? [])]);
  const writable = { ...resource.changes, ...createProperties(resource) };
  const properties = new Map<string, TSchema | null>(Object.entries(writable).filter(([name]) => !hidden.has(name)));
  for (const name of rules.adds ?? []) properties.set(name, null);
  return {
    type: files.folder ?? resource.path,
    isNested: files.folder !== undefined,
    entityType: resource.entityType,
    noun: resource.noun,
    resource,
    naming: 'key' in resource.unique ? 'key' : 'name',
    parent: files.parent ?? null,
    references: new Map(Object.entries(resource.references).map(([property, { to }]) => [property, to])),
    properties,
    idsInside: files.idsInside ?? [],
    rules,
  };
}

/** Every kind of object with files, in the order of the contract. */
export const kinds: readonly FileKind[] = Object.values<Resource>(resources)
  .filter((resource) => leftOutBecause(resource) === null)
  .map(kindOf);

const kindsByType = new Map(kinds.map((kind) => [kind.type, kind]));

/** Returns the kind whose files are in this folder. */
export const kindAt = (type: string): FileKind | null => kindsByType.get(type) ?? null;

/** The operation of a kind: `create` is `offers.create`. */
export const operationOf = (kind: FileKind, verb: 'list' | 'get' | 'create' | 'updateById' | 'deleteById') => {
  const id = `${kind.resource.name}.${verb}`;
  const found = Object.entries(operations).find(([name]) => name === id)?.[1];
  if (found === undefined) throw new Error(`the operation ${id} does not exist`);
  return found;
};

/** For files without a default: a value that the kind uses when a file says nothing, by property. */
export type Defaults = ReadonlyMap<string, Json>;

/** A file contains only what differs from the default. */
export function withoutDefaults(body: Members, defaults: Defaults, same: (a: Json, b: Json) => boolean): Members {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => {
      const usual = defaults.get(name);
      return usual === undefined || !same(value, usual);
    }),
  );
}
