import { isDeepStrictEqual } from 'node:util';
import { type ScimAttribute, scimMaxValues } from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';
import { type Attributes, isPrimary, isServerOwned, placeOf, readValue } from './scim.attributes.ts';
import { type ItemTest, type PatchTarget, parsePath, passes } from './scim.path.ts';
import { scimProblem } from './scim-error.ts';

type PatchItem = Readonly<Record<string, unknown>>;
type Op = 'add' | 'replace' | 'remove';

const maxOperations = 100;
const ops: readonly string[] = ['add', 'replace', 'remove'];

const isOp = (text: string): text is Op => ops.includes(text);

/** A member by a name in any letter case (RFC 7643 section 2.1). */
function memberOf(object: PatchItem, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  return Object.entries(object).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/**
 * Returns a user's attributes after a PATCH's operations, in order (RFC 7644 section 3.5.2). `unknown` gets the paths
 * of unknown names. Throws 400 with the standard's word, and then nothing has changed.
 */
export function applyPatch(user: Attributes, body: PatchItem, unknown: string[]): Attributes {
  const operations = memberOf(body, 'Operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw scimProblem('invalidSyntax', 'Operations must be a list of at least one change.');
  }
  if (operations.length > maxOperations) {
    throw scimProblem('invalidValue', `A PATCH can have at most ${maxOperations} operations.`);
  }
  let now = user;
  for (const [index, operation] of operations.entries())
    now = applyOne(now, operation, `/Operations/${index}`, unknown);
  return now;
}

function applyOne(user: Attributes, operation: unknown, at: string, unknown: string[]): Attributes {
  if (!isObject(operation)) throw scimProblem('invalidSyntax', `${at} must be an object.`);
  const op = memberOf(operation, 'op');
  const word = typeof op === 'string' ? op.toLowerCase() : '';
  if (!isOp(word)) throw scimProblem('invalidSyntax', `${at}/op must be add, replace or remove.`);
  const path = memberOf(operation, 'path') ?? null;
  const value = memberOf(operation, 'value');
  if (path !== null) {
    if (typeof path !== 'string') throw scimProblem('invalidPath', `${at}/path must be a string.`);
    return applyTo(user, word, parsePath(path), value, `${at}/value`, unknown);
  }
  if (word === 'remove') throw scimProblem('noTarget', `${at} is a remove without a path.`);
  if (!isObject(value)) throw scimProblem('invalidValue', `${at}/value must be an object if there is no path.`);
  let now = user;
  for (const [name, member] of Object.entries(value)) {
    const place = placeOf(name);
    if (place !== undefined)
      now = applyTo(now, word, { ...place, tests: null }, member, `${at}/value/${name}`, unknown);
    else if (name.includes('[')) now = applyTo(now, word, parsePath(name), member, `${at}/value/${name}`, unknown);
    else if (!isServerOwned(name)) unknown.push(`${at}/value/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return now;
}

function applyTo(
  user: Attributes,
  op: Op,
  target: PatchTarget,
  value: unknown,
  at: string,
  unknown: string[],
): Attributes {
  const { attribute } = target;
  if (attribute.mutability === 'writeOnly') return user;
  const before = user[attribute.name] ?? null;
  const read = (of: ScimAttribute) => readValue(of, bare(of, value), at, unknown);
  const after =
    attribute.multiValued === true
      ? changedList(itemsOf(before), op, target, value, read, at)
      : changedValue(before, op, target, read);
  if (Array.isArray(after) && after.length > scimMaxValues) {
    throw scimProblem('invalidValue', `${attribute.name} can have at most ${scimMaxValues} values.`);
  }
  return { ...user, [attribute.name]: after };
}

const itemsOf = (value: unknown): readonly PatchItem[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** `[{ "value": "x" }]` for a single text, as older provisioning of Entra ID writes it. */
function bare(attribute: ScimAttribute, value: unknown): unknown {
  if (attribute.multiValued === true || !Array.isArray(value) || value.length !== 1) return value;
  const [only] = value;
  return attribute.type !== 'complex' && isObject(only) ? only.value : only;
}

/** An attribute with one value, or a part of it. Sub-attributes that are not named stay. */
function changedValue(
  before: unknown,
  op: Op,
  { attribute, sub, deeper }: PatchTarget,
  read: (of: ScimAttribute) => unknown,
): unknown {
  if (sub === null) {
    if (op === 'remove') return null;
    const value = read(attribute);
    return attribute.type === 'complex' && isObject(value) ? merged(before, value) : value;
  }
  const part = isObject(before) ? (before[sub.name] ?? null) : null;
  const value = changedValue(part, op, { attribute: sub, sub: deeper, deeper: null, tests: null }, read);
  return merged(before, { [sub.name]: value });
}

/** The object with these members instead of its own; null members are taken out, and an object without any is null. */
function merged(before: unknown, members: PatchItem): PatchItem | null {
  const all = { ...(isObject(before) ? before : {}), ...members };
  const presentMembers = Object.entries(all).filter(([, member]) => member !== null);
  return presentMembers.length === 0 ? null : Object.fromEntries(presentMembers);
}

function changedList(
  items: readonly PatchItem[],
  op: Op,
  { attribute, tests, sub }: PatchTarget,
  value: unknown,
  read: (of: ScimAttribute) => unknown,
  at: string,
): readonly PatchItem[] | null {
  const isChosen = (item: PatchItem): boolean => tests === null || passes(item, tests);
  if (op === 'remove') {
    if (sub !== null) return listed(items.map((item) => (isChosen(item) ? merged(item, { [sub.name]: null }) : item)));
    // Without a filter a value says which ones; without either it is all of them.
    const named = tests === null && value !== undefined && value !== null ? itemsOf(read(attribute)) : null;
    return listed(items.filter((item) => !(named === null ? isChosen(item) : named.some((one) => isSame(one, item)))));
  }
  if (sub === null && tests === null) {
    const sent = itemsOf(read(attribute));
    if (op === 'replace') return listed(sent);
    return listed(withPrimary([...items.filter((item) => !sent.some((one) => isSame(one, item))), ...sent], sent));
  }
  const one: ScimAttribute = sub ?? single(attribute);
  const sent = read(one);
  const change: PatchItem = sub === null ? (isObject(sent) ? sent : {}) : { [sub.name]: sent };
  const chosen = items.filter(isChosen);
  if (chosen.length === 0) {
    const newValue = merged(newItem(tests, at), change);
    return newValue === null ? listed(items) : listed(withPrimary([...items, newValue], [newValue]));
  }
  const changed = new Map(chosen.map((item) => [item, merged(item, change)]));
  const next = items.map((item) => (changed.has(item) ? changed.get(item)! : item));
  return listed(
    withPrimary(
      next.filter((item) => item !== null),
      [...changed.values()].filter((item) => item !== null),
    ),
  );
}

/** The attribute of one value of a list. */
function single({ multiValued: _, ...attribute }: ScimAttribute): ScimAttribute {
  return attribute;
}

/**
 * Creates a value that passes the filter, if the filter defines one: Entra ID sets addresses of a kind that doesn't
 * exist yet.
 */
function newItem(tests: readonly ItemTest[] | null, at: string): PatchItem {
  const result: Record<string, unknown> = {};
  for (const { attribute, operator, value } of tests ?? []) {
    if (operator !== 'eq') throw scimProblem('noTarget', `${at}: no value matches the filter.`);
    result[attribute.name] = value;
  }
  return result;
}

const listed = (items: readonly (PatchItem | null)[]): readonly PatchItem[] | null => {
  const remainingItems = items.filter((item) => item !== null);
  return remainingItems.length === 0 ? null : remainingItems;
};

/** Only one value is primary: the newest that says so (RFC 7644 section 3.5.2). */
function withPrimary(items: readonly PatchItem[], newest: readonly PatchItem[]): readonly PatchItem[] {
  const primary = newest.findLast(isPrimary);
  if (primary === undefined) return items;
  return items.map((item) => (item !== primary && isPrimary(item) ? { ...item, primary: false } : item));
}

/** The same value of the same kind, preferred or not. */
function isSame(one: PatchItem, other: PatchItem): boolean {
  const withoutPrimary = ({ primary: _, ...rest }: PatchItem): PatchItem => rest;
  const [left, right] = [withoutPrimary(one), withoutPrimary(other)];
  // Who names a value alone means it whatever its kind.
  if (Object.keys(left).length === 1 && typeof left.value === 'string') return left.value === right.value;
  return isDeepStrictEqual(left, right);
}
