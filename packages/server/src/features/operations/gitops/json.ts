import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@arbiter/engine';
import { isObject } from '../../../platform/json.ts';
import { pointerStep } from '../../../platform/read-yaml.ts';

/** The members of a JSON object. */
export type Members = { readonly [name: string]: Json };

export const membersOf = (value: Json | undefined): Members => (isObject(value) ? value : {});

/** Equal as JSON; 0 and -0 are one number to the database. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => isDeepStrictEqual(plain(a), plain(b));

const plain = (value: Json | undefined): Json | undefined =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Json);

/** Returns a copy in which `change` has replaced values, from the outside inwards; undefined keeps a value. */
export function mapJson(value: Json, change: (value: Json, pointer: string) => Json | undefined, pointer = ''): Json {
  const changed = change(value, pointer);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((item: Json, at) => mapJson(item, change, `${pointer}/${at}`));
  if (!isObject(value)) return value;
  return membersFrom(
    Object.entries(value).map(([name, item]) => [name, mapJson(item, change, `${pointer}/${pointerStep(name)}`)]),
  );
}

/** An object of these members, whatever their names (`__proto__` too). */
const membersFrom = (entries: readonly (readonly [string, Json])[]): Members => Object.fromEntries(entries);

/** Returns the value at a JSON Pointer, or undefined. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Json | undefined>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) return /^\d+$/.test(name) ? at[Number(name)] : undefined;
    return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, value);
}

/** Leaves by their dotted path. Empty lists and objects are leaves. */
function leavesOf(value: Json | undefined, path = '', found = new Map<string, Json>()): Map<string, Json> {
  if (value === undefined) return found;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) found.set(path, value);
  for (const [name, inner] of entries) leavesOf(inner, path === '' ? name : `${path}.${name}`, found);
  return found;
}

/** One value that differs. */
export interface FieldChange {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** The leaves that differ, by path. */
export function fieldChanges(before: Members | null, after: Members | null): FieldChange[] {
  const old = before === null ? new Map<string, Json>() : leavesOf(before);
  const fresh = after === null ? new Map<string, Json>() : leavesOf(after);
  old.delete('');
  fresh.delete('');
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return paths.flatMap((path) => {
    const [was, is] = [old.get(path), fresh.get(path)];
    if (was !== undefined && is !== undefined && sameJson(was, is)) return [];
    return [{ path, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }];
  });
}
