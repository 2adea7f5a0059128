import type { ScimAttribute } from '@arbiter/contract';
import { findAttribute, isServerOwned, placeOf, readTruth } from './scim.attributes.ts';
import { parseFilter } from './scim.filter.ts';
import { scimProblem } from './scim-error.ts';

/** One comparison of a value filter, with the sub-attribute that it is about. */
export interface ItemTest {
  readonly attribute: ScimAttribute;
  readonly operator: 'eq' | 'sw' | 'co';
  readonly value: string | boolean;
}

/** What a path of a PATCH names. */
export interface PatchTarget {
  readonly attribute: ScimAttribute;
  /** Which values of a list; null without a filter. */
  readonly tests: readonly ItemTest[] | null;
  /** A part of the attribute, or null for all of it. */
  readonly sub: ScimAttribute | null;
  /** A part of that part: `manager.value` of the extension. */
  readonly deeper: ScimAttribute | null;
}

const filtered = /^([^[\]]+)\[(.+)\](?:\.([^[\].]+))?$/s;

const unknownPath = (path: string) => scimProblem('invalidPath', `The path ${path.slice(0, 100)} is not an attribute.`);

/**
 * Reads the path of an operation: `active`, `name.givenName`, `emails[type eq "work"].value`, with or without the URN of the
 * schema. Throws 400 `invalidPath`, and `mutability` for what only the server sets.
 */
export function parsePath(path: string): PatchTarget {
  const text = path.trim();
  const [, list, filter, subName] = filtered.exec(text) ?? [];
  if (list === undefined || filter === undefined) {
    const place = placeOf(text);
    if (place !== undefined) return { ...place, tests: null };
    const [first = ''] = text.split(/[.[]/);
    if (isServerOwned(first)) throw scimProblem('mutability', `${first} is set by the server.`);
    throw unknownPath(text);
  }
  const place = placeOf(list);
  if (place === undefined || place.sub !== null || place.attribute.multiValued !== true) throw unknownPath(text);
  const { attribute } = place;
  const sub = subName === undefined ? null : findAttribute(attribute.subAttributes ?? [], subName);
  if (sub === undefined) throw unknownPath(text);
  return { attribute, tests: testsOf(attribute, filter), sub, deeper: null };
}

function testsOf(list: ScimAttribute, filter: string): readonly ItemTest[] {
  return parseFilter(filter).map(({ attribute: name, operator, value }) => {
    const attribute = findAttribute(list.subAttributes ?? [], name);
    if (attribute === undefined) throw scimProblem('invalidFilter', `${list.name} has no ${name.slice(0, 100)}.`);
    if (attribute.type !== 'boolean') {
      if (typeof value === 'boolean') throw scimProblem('invalidFilter', `${name} must be a string.`);
      return { attribute, operator, value };
    }
    const truth = readTruth(value);
    if (truth === null || operator !== 'eq')
      throw scimProblem('invalidFilter', `${name} must be compared with true or false, using eq.`);
    return { attribute, operator, value: truth };
  });
}

const compare = {
  eq: (left: string, right: string) => left === right,
  sw: (left: string, right: string) => left.startsWith(right),
  co: (left: string, right: string) => left.includes(right),
};

/** True for a value of a list that passes all tests; texts are compared without regard to letter case. */
export function passes(item: Readonly<Record<string, unknown>>, tests: readonly ItemTest[]): boolean {
  return tests.every(({ attribute, operator, value }) => {
    const own = item[attribute.name];
    // A value that says nothing of being preferred is not.
    if (typeof value === 'boolean') return (own ?? false) === value;
    return typeof own === 'string' && compare[operator](own.toLowerCase(), value.toLowerCase());
  });
}
