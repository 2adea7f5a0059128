import type { Operation } from '@arbiter/contract';
import { nearestWord, told } from '@arbiter/engine';
import type { Remark } from '../../platform/remark.ts';
import { maximumRemarks } from '../answers/remarks.ts';
import { declaredProperties } from './coercion.ts';

/** Maximum list items to check. Schemas allow fewer where items are objects with known properties. */
const maxItems = 1_000;

/** What's known inside a value: an object's names, or a list's items. */
interface KnownParts {
  /** Null for a list, and for an object that validation already closes or that is open. */
  readonly names: ReadonlySet<string> | null;
  /** Names to suggest: those of the body, without the server's own. */
  readonly words: readonly string[];
  readonly inside: readonly (readonly [string, KnownParts])[];
  readonly item: KnownParts | null;
}

/**
 * Finds parts of a request that its operation doesn't know, at most ten. Null in the usual case: everything is known.
 */
export type FindUnknown = (url: string, body: unknown) => readonly Remark[] | null;

/**
 * Creates the check from the operation's schemas. Looks at any depth into objects that are closed by nature (they
 * declare properties and don't allow others), but not into free JSON. Query parameters count too: a list with an
 * unknown filter would return all rows.
 */
export function createFindUnknown({ body, record, query }: Operation): FindUnknown {
  const known = body === undefined ? null : takesNothing(body) ? nothingKnown : knownOf(body, record);
  const parameters = query === undefined ? [] : declaredProperties(query).map(([name]) => name);
  return (url, value) => {
    const isClean = known === null || isAllKnown(known, value);
    const question = url.indexOf('?');
    if (isClean && question === -1) return null;
    const found: Remark[] = [];
    if (question !== -1) findParameters(url.slice(question + 1), parameters, found);
    if (!isClean) findProperties(known, value, '', found);
    return found.length === 0 ? null : found;
  };
}

/** A body that must be empty: anything in it is unknown. */
const nothingKnown: KnownParts = { names: new Set(), words: [], inside: [], item: null };

function takesNothing(schema: unknown): boolean {
  const form = objectOf(schema);
  const properties = objectOf(form?.properties);
  return properties !== null && Object.keys(properties).length === 0 && form?.additionalProperties === undefined;
}

type JsonMembers = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): JsonMembers | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMembers) : null;
}

/** Returns the object schemas that a value may have, and those of its list items. */
function membersOf(schema: unknown): { readonly objects: readonly JsonMembers[]; readonly items: readonly unknown[] } {
  const form = objectOf(schema);
  if (form === null) return { objects: [], items: [] };
  const unions = [form.anyOf, form.oneOf, form.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const inner = unions.map(membersOf);
  return {
    objects: [...(objectOf(form.properties) === null ? [] : [form]), ...inner.flatMap(({ objects }) => objects)],
    items: [...(form.items === undefined ? [] : [form.items]), ...inner.flatMap(({ items }) => items)],
  };
}

/** Null: there's nothing to check. `record`: the schema of the same value in answers. */
function knownOf(schema: unknown, record: unknown): KnownParts | null {
  const { objects, items } = membersOf(schema);
  const answered = membersOf(record);
  if (objects.length === 0) {
    const item = items.length === 1 ? knownOf(items[0], answered.items[0]) : null;
    return item === null ? null : { names: null, words: [], inside: [], item };
  }
  const properties = objects.flatMap((object) => Object.entries(objectOf(object.properties) ?? {}));
  const ofRecord = new Map(answered.objects.flatMap((object) => Object.entries(objectOf(object.properties) ?? {})));
  const inside = properties.flatMap(([name, property]) => {
    const known = knownOf(property, ofRecord.get(name));
    return known === null ? [] : [[name, known] as const];
  });
  // Declared closed: validation rejects others. Declared open: others have a meaning.
  const isByNature = objects.every(({ additionalProperties }) => additionalProperties === undefined);
  const words = properties.map(([name]) => name);
  if (!isByNature || words.length === 0) return inside.length === 0 ? null : { names: null, words, inside, item: null };
  return { names: new Set([...words, ...ofRecord.keys()]), words, inside, item: null };
}

/** The check that every request pays for. It allocates nothing. */
function isAllKnown({ names, inside, item }: KnownParts, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (item !== null) {
    if (!Array.isArray(value)) return true;
    const most = Math.min(value.length, maxItems);
    for (let at = 0; at < most; at += 1) if (!isAllKnown(item, value[at])) return false;
    return true;
  }
  if (Array.isArray(value)) return true;
  const members = value as JsonMembers;
  if (names !== null) for (const name in members) if (!names.has(name)) return false;
  for (let at = 0; at < inside.length; at += 1) {
    const [name, known] = inside[at]!;
    const member = members[name];
    if (member !== undefined && !isAllKnown(known, member)) return false;
  }
  return true;
}

function findProperties(known: KnownParts | null, value: unknown, path: string, found: Remark[]): void {
  if (known === null || typeof value !== 'object' || value === null) return;
  if (known.item !== null) {
    if (!Array.isArray(value)) return;
    for (let at = 0; at < value.length && at < maxItems && found.length < maximumRemarks; at += 1) {
      findProperties(known.item, value[at], `${path}/${at}`, found);
    }
    return;
  }
  const members = objectOf(value);
  if (members === null) return;
  for (const name in members) {
    if (found.length === maximumRemarks) return;
    if (known.names === null || known.names.has(name)) continue;
    const step = told(name).replaceAll('~', '~0').replaceAll('/', '~1');
    found.push({ path: `${path}/${step}`, nearest: nearestWord(name, known.words), reason: null });
  }
  for (const [name, inside] of known.inside) {
    if (found.length < maximumRemarks) findProperties(inside, members[name], `${path}/${name}`, found);
  }
}

function findParameters(text: string, known: readonly string[], found: Remark[]): void {
  const seen = new Set<string>(known);
  for (const pair of text.split('&')) {
    const name = decoded(pair.split('=', 1)[0] ?? '');
    if (name === '' || seen.has(name)) continue;
    if (found.length === maximumRemarks) return;
    seen.add(name);
    found.push({ path: `query.${told(name)}`, nearest: nearestWord(name, known), reason: null });
  }
}

/** A name with broken percent encoding stays as sent. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
