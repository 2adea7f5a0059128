import {
  type ScimAttribute,
  scimCommonAttributes,
  scimEnterpriseAttributes,
  scimEnterpriseSchema,
  scimMaxValues,
  scimUserAttributes,
  scimUserSchema,
  scimUsualLength,
} from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';
import { scimProblem } from './scim-error.ts';

/** Values of attributes by their canonical names; those of the enterprise extension under its URN. */
export type Attributes = Readonly<Record<string, unknown>>;

/** The extension as one attribute, named by its URN in a resource. */
const extension: ScimAttribute = {
  name: scimEnterpriseSchema,
  type: 'complex',
  description: 'Attributes of the enterprise extension.',
  subAttributes: scimEnterpriseAttributes,
};

/** What a user's body may contain. */
const writable: readonly ScimAttribute[] = [
  ...scimUserAttributes,
  ...scimCommonAttributes.filter(({ mutability }) => mutability !== 'readOnly'),
  extension,
];

/** Server-only attributes. Sent back as read, they change nothing. */
const serverOwned = new Set(['id', 'meta', 'schemas', 'groups']);

export const isServerOwned = (name: string): boolean => serverOwned.has(name.toLowerCase());

/** Names are compared without regard to letter case (RFC 7643 section 2.1). */
export function findAttribute(among: readonly ScimAttribute[], name: string): ScimAttribute | undefined {
  const wanted = name.toLowerCase();
  return among.find((attribute) => attribute.name.toLowerCase() === wanted);
}

/** The position of an attribute: itself, or a sub-attribute of it. */
export interface AttributePlace {
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | null;
}

/**
 * What a name such as `userName`, `name.givenName` or `urn:…:User:department` stands for; undefined for one that is not known.
 * An attribute of the extension is a sub-attribute of it, and one deeper inside (`manager.value`) a chain of names.
 */
export function placeOf(name: string): (AttributePlace & { readonly deeper: ScimAttribute | null }) | undefined {
  const lower = name.toLowerCase();
  const urn = scimEnterpriseSchema.toLowerCase();
  if (lower === urn) return { attribute: extension, sub: null, deeper: null };
  if (lower.startsWith(`${urn}:`)) {
    const [first = '', second, ...more] = name.slice(urn.length + 1).split('.');
    const sub = findAttribute(scimEnterpriseAttributes, first);
    if (sub === undefined || more.length > 0) return undefined;
    if (second === undefined) return { attribute: extension, sub, deeper: null };
    const deeper = findAttribute(sub.subAttributes ?? [], second);
    return deeper === undefined ? undefined : { attribute: extension, sub, deeper };
  }
  const core = `${scimUserSchema.toLowerCase()}:`;
  const [first = '', second, ...more] = (lower.startsWith(core) ? name.slice(core.length) : name).split('.');
  const attribute = findAttribute(writable, first);
  if (attribute === undefined || more.length > 0) return undefined;
  if (second === undefined) return { attribute, sub: null, deeper: null };
  const sub = findAttribute(attribute.subAttributes ?? [], second);
  return sub === undefined ? undefined : { attribute, sub, deeper: null };
}

/** Returns a user's attributes as sent: null for cleared ones. `unknown`: paths of unknown parts, which are dropped. */
export interface SentUser {
  readonly attributes: Attributes;
  readonly unknown: readonly string[];
}

/** Reads the body of POST and PUT. Throws 400 `invalidValue`. */
export function readSentUser(body: Readonly<Record<string, unknown>>): SentUser {
  const unknown: string[] = [];
  return { attributes: readMembers(writable, body, '', unknown), unknown };
}

function readMembers(
  among: readonly ScimAttribute[],
  sent: Readonly<Record<string, unknown>>,
  path: string,
  unknown: string[],
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const attribute = findAttribute(among, name);
    if (attribute === undefined) {
      if (path !== '' || !isServerOwned(name))
        unknown.push(`${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    } else if (attribute.mutability !== 'writeOnly') {
      read[attribute.name] = readValue(attribute, value, `${path}/${attribute.name}`, unknown);
    }
  }
  return read;
}

/** Returns one attribute as stored; null when the value is empty (RFC 7643 section 2.5). Throws 400 `invalidValue`. */
export function readValue(attribute: ScimAttribute, value: unknown, path: string, unknown: string[]): unknown {
  if (value === null || value === undefined) return null;
  if (attribute.multiValued !== true) return readOne(attribute, value, path, unknown);
  const sent = Array.isArray(value) ? value : [value];
  if (sent.length > scimMaxValues)
    throw scimProblem('invalidValue', `${path} must have at most ${scimMaxValues} values.`);
  const items = sent
    .map((item, index) => readOne(attribute, item, `${path}/${index}`, unknown))
    .filter((item) => item !== null);
  if (items.filter(isPrimary).length > 1)
    throw scimProblem('invalidValue', `${path} must have at most one primary value.`);
  return items.length === 0 ? null : items;
}

export const isPrimary = (item: unknown): boolean => isObject(item) && item.primary === true;

function readOne(attribute: ScimAttribute, value: unknown, path: string, unknown: string[]): unknown {
  if (value === null) return null;
  if (attribute.type === 'complex') {
    if (isObject(value)) {
      const members = readMembers(attribute.subAttributes ?? [], value, path, unknown);
      const presentMembers = Object.entries(members).filter(([, member]) => member !== null);
      return presentMembers.length === 0 ? null : Object.fromEntries(presentMembers);
    }
    // `manager: "<id>"` and `roles: ["admin"]`, as Entra ID writes them.
    const main = findAttribute(attribute.subAttributes ?? [], 'value');
    if (main !== undefined && typeof value === 'string') return { [main.name]: readOne(main, value, path, unknown) };
    throw scimProblem('invalidValue', `${path} must be an object.`);
  }
  if (attribute.type === 'boolean') {
    const truth = readTruth(value);
    if (truth === null) throw scimProblem('invalidValue', `${path} must be true or false.`);
    return truth;
  }
  if (typeof value !== 'string') throw scimProblem('invalidValue', `${path} must be a string.`);
  const { maxLength = scimUsualLength } = attribute;
  if ([...value].length > maxLength) {
    throw scimProblem('invalidValue', `${path} must be at most ${maxLength} characters.`);
  }
  return value;
}

/** A boolean, or the text of one in any letter case; null for anything else. */
export function readTruth(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const text = value.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}
