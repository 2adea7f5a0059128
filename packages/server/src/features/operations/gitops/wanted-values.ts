import type { Json } from '@arbiter/engine';
import { isUuid } from '../../../platform/ids.ts';
import { type Members, mapJson, membersOf, sameJson } from './json.ts';
import { isSecret, refFrom, type WantedObject } from './judge.ts';
import type { FileKind } from './kinds.ts';
import { refKey } from './layout.ts';
import { entityAt, mapReferences } from './references.ts';
import type { FileProblem, WantedBody } from './rules/kind-rules.ts';
import type { Session } from './session.ts';
import type { Directory, TenantObject } from './tenant-files.ts';

/** Returns what the API accepts for a file's content. */
export interface WantedValues extends WantedBody {
  /** Properties that name records which are not there yet. */
  readonly early: ReadonlySet<string>;
  readonly problems: readonly (FileProblem & { readonly code?: string })[];
}

/** The records that a body names, as keys of `Directory.ids`. */
export function neededBy(kind: FileKind, body: Members): string[] {
  const keys: string[] = [];
  mapReferences(kind, body, (place, value) => {
    const ref = refFrom(value);
    if (ref !== null) keys.push(refKey(entityAt(place, ref), ref));
    return value;
  });
  return keys;
}

const topOf = (pointer: string): string => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');

/** Puts ids in place of names, and fills in secrets: those that the caller gave, else those that are stored. */
export function valuesOf(
  session: Pick<Session, 'defaults' | 'emails'>,
  wanted: WantedObject,
  current: TenantObject | null,
  { ids }: Directory,
  given: Readonly<Record<string, string>>,
): WantedValues {
  const { kind, body } = wanted;
  const early = new Set<string>();
  const problems: (FileProblem & { readonly code?: string })[] = [];
  const defaults = session.defaults.get(kind.type) ?? new Map<string, Json>();
  const resolved = mapReferences(kind, body, (place, value) => {
    const ref = refFrom(value);
    if (ref === null) return value;
    const id = ids.get(refKey(entityAt(place, ref), ref));
    // Where names are accepted they stay, so that the stored value matches the file.
    if (place.takesNames && !(place.resolvesKeys === true && id !== undefined)) return value;
    if (id !== undefined) return id;
    if (ref.length > 1 || !isUuid(ref[0])) early.add(topOf(place.pointer));
    return value;
  });
  const filled = mapJson(resolved, (value, pointer) => {
    if (!isSecret(value)) return undefined;
    const name = wanted.secrets.get(pointer) ?? String(value.$secret);
    const secret = Object.hasOwn(given, name) ? given[name] : storedMask(wanted, current, pointer);
    if (secret === undefined) problems.push({ pointer, message: `requires the secret ${name}` });
    return secret ?? '';
  });
  const read = kind.rules.toValues?.(membersOf(filled), session) ?? { values: membersOf(filled) };
  if ('problem' in read) problems.push(read.problem);
  return { body, values: 'values' in read ? read.values : membersOf(filled), defaults, early, problems };
}

/** Returns what the API shows in place of a stored value that stays; undefined: there is none. */
function storedMask({ kind, body }: WantedObject, current: TenantObject | null, pointer: string): string | undefined {
  if (current === null) return undefined;
  const { maskOf } = kind.rules;
  return maskOf === undefined ? current.masked.get(pointer) : maskOf(pointer, body, current.body, current.masked);
}

/** Returns the properties in which a record differs from its file. */
export function changedNames(session: Session, wanted: WantedObject, current: TenantObject): string[] {
  const { kind, body } = wanted;
  const { rules } = kind;
  const defaults = session.defaults.get(kind.type) ?? new Map<string, Json>();
  const left = new Set([...(rules.keeps ?? []), ...(rules.always ?? [])]);
  const names = [...new Set([...Object.keys(body), ...Object.keys(current.body)])].sort();
  return names.filter((name) => {
    const [is, was] = [body[name], current.body[name]];
    if (is !== undefined) return was === undefined || !sameJson(is, was);
    // When the file says nothing, a server-chosen value stays; otherwise the default applies.
    if (left.has(name)) return false;
    return defaults.has(name) || (rules.adds ?? []).includes(name);
  });
}
