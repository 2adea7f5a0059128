import type { Json } from '@arbiter/engine';
import type { TSchema } from 'typebox';
import { AppError } from '../../../platform/app-error.ts';
import { isObject } from '../../../platform/json.ts';
import { mapInTurns, takeTurns } from '../../../platform/turns.ts';
import { secretMask } from '../../identity/audit/index.ts';
import { type Members, mapJson, membersOf, sameJson } from './json.ts';
import { type FileKind, kinds, operationOf, withoutDefaults } from './kinds.ts';
import { headerLine, pathOf, type Ref, refKey, settingsPath, shownRef, toldRef } from './layout.ts';
import { mapReferences } from './references.ts';
import type { CurrentRecord, FileProblem } from './rules/kind-rules.ts';
import type { Session } from './session.ts';
import { readSettingsBody } from './settings-file.ts';
import { writeYaml } from './write-yaml.ts';

/** A record with what its file holds. */
export interface TenantObject extends CurrentRecord {
  readonly kind: FileKind;
  readonly path: string;
  /** Values that the API shows as bullets, by JSON Pointer into the file. */
  readonly masked: ReadonlyMap<string, string>;
}

/** Maps ids to references and back. Contains neither deleted records nor those without files. */
export interface Directory {
  readonly refs: Map<string, { readonly entityType: string; readonly ref: Ref }>;
  readonly ids: Map<string, string>;
}

/** The configuration of a tenant at one moment. */
export interface TenantFiles {
  readonly objects: ReadonlyMap<string, TenantObject>;
  readonly directory: Directory;
  /** Returns the settings that differ from their defaults. */
  readonly settings: Members;
  /** IDs whose record no longer exists, by file. */
  readonly warnings: readonly (FileProblem & { readonly path: string })[];
}

/** Reads all records through their list operations. */
async function readRecords(session: Session, kind: FileKind): Promise<Members[]> {
  const list = operationOf(kind, 'list');
  const records: Members[] = [];
  let cursor: Json | undefined;
  do {
    const query = { limit: kind.resource.page.maximum, ...(typeof cursor === 'string' ? { cursor } : {}) };
    const { data, pagination } = membersOf(await session.call(list.id, { query }));
    for (const record of Array.isArray(data) ? data : []) records.push(membersOf(record));
    cursor = membersOf(pagination).nextCursor;
  } while (typeof cursor === 'string');
  return records.filter((record) => kind.rules.isConfiguration?.(record) ?? true);
}

/** The reference of a record, by its parent's. Null: the parent is not there. */
function refOf(kind: FileKind, record: Members, directory: Directory): Ref | null {
  if (kind.rules.calls !== undefined) {
    return kind.rules.calls.ofRecord(record, (id) => directory.refs.get(String(id))?.ref ?? null);
  }
  const name = String(record[kind.naming]);
  if (kind.parent === null) return [name];
  const parent = directory.refs.get(String(record[kind.parent]));
  return parent === undefined ? null : [parent.ref[0], ...parent.ref.slice(1), name];
}

/** The whole configuration. Throws 409 `duplicate_name` when two records would have one file. */
export async function readTenant(session: Session): Promise<TenantFiles> {
  const found: { readonly kind: FileKind; readonly records: readonly Members[] }[] = [];
  for (const kind of kinds) found.push({ kind, records: await readRecords(session, kind) });
  const directory: Directory = { refs: new Map(), ids: new Map() };
  // Those first by which others are called.
  const depth = ({ parent, rules }: FileKind): number => (rules.calls !== undefined ? 2 : parent !== null ? 1 : 0);
  for (const { kind, records } of [...found].sort((a, b) => depth(a.kind) - depth(b.kind))) {
    for (const record of records) note(directory, kind, record);
  }
  const objects = new Map<string, TenantObject>();
  const warnings: (FileProblem & { readonly path: string })[] = [];
  const turns = takeTurns();
  for (const { kind, records } of found) {
    for (const listed of records) {
      const pause = turns();
      if (pause !== undefined) await pause;
      const object = await objectOf(session, kind, listed, directory, (path, problem) =>
        warnings.push({ path, ...problem }),
      );
      if (object === null) continue;
      const other = objects.get(object.path);
      if (other !== undefined) throw sameFile(object, other);
      objects.set(object.path, object);
    }
  }
  return { objects, directory, settings: await readSettingsBody(session, directory), warnings };
}

function sameFile(one: TenantObject, other: TenantObject): AppError {
  return new AppError('duplicate_name', {
    detail: `The ${one.kind.noun}s ${toldRef(one.ref)} and ${toldRef(other.ref)} would be written to the same file, ${one.path}.`,
  });
}

/** Enters a record into the directory. */
function note(directory: Directory, kind: FileKind, record: Members): void {
  const ref = refOf(kind, record, directory);
  if (ref === null) return;
  directory.refs.set(String(record.id), { entityType: kind.entityType, ref });
  directory.ids.set(refKey(kind.entityType, ref), String(record.id));
}

/** Reads one record again, after it was written. */
export async function readObject(
  session: Session,
  kind: FileKind,
  id: string,
  directory: Directory,
): Promise<TenantObject | null> {
  const record = membersOf(await session.call(operationOf(kind, 'get').id, { params: { id } }));
  note(directory, kind, record);
  return formed(session, kind, record, directory, () => undefined);
}

async function objectOf(
  session: Session,
  kind: FileKind,
  listed: Members,
  directory: Directory,
  warn: (path: string, problem: FileProblem) => void,
): Promise<TenantObject | null> {
  const record =
    kind.rules.whole === true
      ? membersOf(await session.call(operationOf(kind, 'get').id, { params: { id: String(listed.id) } }))
      : listed;
  return formed(session, kind, record, directory, warn);
}

function formed(
  session: Session,
  kind: FileKind,
  record: Members,
  directory: Directory,
  warn: (path: string, problem: FileProblem) => void,
): TenantObject | null {
  const ref = refOf(kind, record, directory);
  if (ref === null) return null;
  const path = pathOf(kind, ref);
  const picked = pickProperties(kind, record);
  const own = kind.rules.toFile?.(picked, record, session) ?? picked;
  const named = mapReferences(kind, own, (place, value) => {
    if (typeof value !== 'string') return value;
    const target = directory.refs.get(value.toLowerCase());
    const meant = [place.entityType, place.belowParent];
    if (target !== undefined && meant.includes(target.entityType)) return shownRef(target.ref);
    if (!place.takesNames)
      warn(path, { pointer: place.pointer, message: `${JSON.stringify(value)} does not refer to an existing record` });
    return value;
  });
  const masked = new Map<string, string>();
  const short = withoutDefaults(named, session.defaults.get(kind.type) ?? new Map(), sameJson);
  const body = withSecrets(short, kind.type, ref, masked);
  return { kind, ref, path, id: String(record.id), record, body, masked };
}

/** Name of the secret at a place of a file (docs/design/api-settled.md 28). */
export const secretName = (type: string, ref: Ref, pointer: string): string => `${type}/${ref.join('/')}${pointer}`;

function withSecrets(body: Members, type: string, ref: Ref, masked: Map<string, string>): Members {
  return membersOf(
    mapJson(body, (value, pointer) => {
      if (typeof value !== 'string' || !value.includes(secretMask)) return undefined;
      masked.set(pointer, value);
      return { $secret: secretName(type, ref, pointer) };
    }),
  );
}

/** The properties of a record that its file may hold, each without what the server adds inside. */
function pickProperties(kind: FileKind, record: Members): Members {
  const entries = [...kind.properties].flatMap(([name, schema]): [string, Json][] => {
    const value = record[name];
    return value === undefined ? [] : [[name, schema === null ? value : picked(value, schema)]];
  });
  return Object.fromEntries(without(entries, kind.resource.files?.without ?? []));
}

/** Leaves out dotted paths. */
function without(entries: [string, Json][], paths: readonly string[]): [string, Json][] {
  return entries.map(([name, value]) => {
    const inner = paths.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
    if (inner.length === 0 || !isObject(value)) return [name, value];
    const otherEntries = Object.entries(value).filter(([key]) => !inner.includes(key));
    return [name, Object.fromEntries(without(otherEntries, inner))];
  });
}

/** Keeps only the properties that the body's schema declares, if it does, and null only where it's needed. */
export function picked(value: Json, schema: TSchema): Json {
  if (Array.isArray(value)) {
    const items = partOf(schema, 'items');
    return items === null ? value : value.map((item: Json) => picked(item, items));
  }
  if (!isObject(value)) return value;
  const closed = closedObject(schema);
  if (closed === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const property = closed.properties[name];
    if (property === undefined) return [];
    return inner === null && !closed.required.includes(name) ? [] : [[name, picked(inner, property)]];
  });
  return Object.fromEntries(entries);
}

function members(schema: TSchema): readonly TSchema[] {
  const unions: unknown = Reflect.get(schema, 'anyOf');
  return Array.isArray(unions) ? unions.flatMap((one: TSchema) => members(one)) : [schema];
}

function partOf(schema: TSchema, part: string): TSchema | null {
  const found = members(schema).flatMap((one): TSchema[] => {
    const inner: unknown = Reflect.get(one, part);
    return typeof inner === 'object' && inner !== null ? [inner as TSchema] : [];
  });
  return found.length === 1 ? found[0]! : null;
}

interface ClosedObject {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required: readonly string[];
}

/** The one object schema that declares its properties; null for free JSON, and where several could be meant. */
function closedObject(schema: TSchema): ClosedObject | null {
  const found = members(schema).filter((one) => {
    const properties: unknown = Reflect.get(one, 'properties');
    const isOpen = Reflect.get(one, 'additionalProperties') === true;
    return !isOpen && typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0;
  });
  const [one] = found;
  if (one === undefined || found.length > 1) return null;
  const required: unknown = Reflect.get(one, 'required');
  return {
    properties: Reflect.get(one, 'properties') as Record<string, TSchema>,
    required: Array.isArray(required) ? required.map(String) : [],
  };
}

/** The files, by path. */
export async function filesOf({ objects, settings }: TenantFiles): Promise<{ path: string; content: string }[]> {
  const files = await mapInTurns([...objects.values()], ({ path, body }) => ({ path, content: textOf(body) }));
  if (Object.keys(settings).length > 0) files.push({ path: settingsPath, content: textOf(settings) });
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const textOf = (body: Members): string => `${headerLine}\n${writeYaml(body)}`;
