import { draftBodyOf, exampleId, type Operation } from '@arbiter/contract';
import type { TSchema } from 'typebox';
import { get, itemsOf, members, propertiesOf, requiredOf, withoutNull } from '../input/schema-parts.ts';

/** Property values that the examples of one resource share, taken from its request examples in the contract. */
export type KnownValues = Readonly<Record<string, unknown>>;

const maximumDepth = 6;

/**
 * Request and answer examples of the operations, built from the contract. A test checks each against its own schema.
 */
export interface Examples {
  /** Returns the body to send; undefined for operations without one. */
  readonly body: (operation: Operation) => unknown;
  /** Returns the value of a path parameter, query parameter or header. */
  readonly parameter: (operation: Operation, name: string, schema: TSchema) => unknown;
  /** Returns the answer body for this schema. */
  readonly answer: (operation: Operation, schema: TSchema) => unknown;
}

/** Reads the contract's request examples, once for all operations. */
export function createExamples(operations: readonly Operation[]): Examples {
  const records = new Map<string, Record<string, unknown>>();
  for (const operation of operations) {
    const [word, verb] = partsOf(operation);
    const example = exampleBodyOf(operation);
    const values = records.get(word) ?? { id: exampleId(word) };
    if (!isObject(example)) records.set(word, values);
    // The operation that creates the record describes it best.
    else records.set(word, verb === 'create' ? { ...values, ...example } : { ...example, ...values });
  }
  const answers = (operation: Operation): Making => ({ known: knownOf(operation), records, all: true });
  const knownOf = (operation: Operation): KnownValues => records.get(partsOf(operation)[0]) ?? {};
  return {
    body: (operation) =>
      operation.body === undefined
        ? undefined
        : (exampleBodyOf(operation) ?? bodyExample(operation.body, { known: knownOf(operation), records, all: false })),
    parameter: (operation, name, schema) => exampleOf(schema, name, answers(operation), 0),
    answer: (operation, schema) => exampleOf(schema, '', answers(operation), 0),
  };
}

/** Returns the contract's body example: that of its schema, or the record's draft. */
function exampleBodyOf(operation: Operation): unknown {
  if (operation.body === undefined) return undefined;
  return members(operation.body, 'examples')[0] ?? draftBodyOf(operation);
}

/** `offer` and `create` of `offers.create`. */
function partsOf({ id }: Operation): [word: string, verb: string] {
  const [resource = '', verb = ''] = id.split('.');
  return [singular(resource), verb];
}

function singular(resource: string): string {
  return resource.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
}

/** How many optional properties an update without its own example shows. */
const shownChanges = 2;

/** Returns the required properties, and for an update some that the resource's examples know. */
function bodyExample(schema: TSchema, making: Making): unknown {
  const { known } = making;
  const required = requiredOf(schema);
  const sample = exampleOf(schema, '', making, 0);
  if (!isObject(sample)) return sample;
  const changes = propertiesOf(schema).filter(
    ([name, property]) => !required.includes(name) && name !== 'id' && name in known && fits(property, known[name]),
  );
  return { ...sample, ...Object.fromEntries(changes.slice(0, shownChanges).map(([name]) => [name, known[name]])) };
}

interface Making {
  /** Known properties of the current object. */
  readonly known: KnownValues;
  /** One record per resource, by its word: `offer`. */
  readonly records: ReadonlyMap<string, KnownValues>;
  /** Include optional properties: answers are shown in full, requests with only what they need. */
  readonly all: boolean;
}

function exampleOf(schema: TSchema, name: string, making: Making, depth: number): unknown {
  const known = knownValue(name, making);
  if (known !== undefined && fits(schema, known)) return known;
  const { schema: inner, nullable } = withoutNull(schema);
  for (const each of [schema, inner]) {
    for (const found of [get(each, 'const'), members(each, 'examples')[0], get(each, 'default')]) {
      if (found !== undefined) return found;
    }
  }
  const type = get(inner, 'type');
  // Leave out an optional text we know nothing about, because most records don't have it.
  if (nullable && (isLaterTime(name) || (type === 'string' && !isNamed(inner, name)))) return null;
  const values = members(inner, 'enum');
  if (values.length > 0) return values[0];
  const union = members(inner, 'anyOf');
  if (union.length > 0) {
    // A value that can't be null is shown in full; a recursive schema stops at the second limit.
    const limit = nullable ? maximumDepth : 2 * maximumDepth;
    return depth < limit ? exampleOf(union[0]!, name, making, depth + 1) : null;
  }
  return exampleOfType(inner, name, making, depth);
}

/**
 * Returns the record's value for this name. For `offerName` and `channelKey`, returns the value from the record of that
 * word.
 */
function knownValue(name: string, { known, records }: Making): unknown {
  if (name in known) return known[name];
  const [, word, property] = /^([a-z][A-Za-z]*)(Id|Name|Key)$/.exec(name) ?? [];
  return word === undefined || property === undefined ? undefined : records.get(word)?.[property.toLowerCase()];
}

function exampleOfType(schema: TSchema, name: string, making: Making, depth: number): unknown {
  switch (get(schema, 'type')) {
    case 'object':
      return objectOf(schema, name, making, depth);
    case 'array': {
      const items = itemsOf(schema);
      const isWanted = making.all ? depth < maximumDepth : Number(get(schema, 'minItems') ?? 0) > 0;
      // The rows of a list are records like the one in the resource's examples.
      const known = name === 'data' ? making.known : (making.records.get(singular(name)) ?? {});
      return items === undefined || !isWanted ? [] : [exampleOf(items, '', { ...making, known }, depth + 1)];
    }
    case 'integer':
    case 'number':
      return get(schema, 'minimum') ?? 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return textOf(schema, name);
    default:
      return {};
  }
}

function objectOf(schema: TSchema, name: string, making: Making, depth: number): Record<string, unknown> {
  const required = requiredOf(schema);
  const own = making.known[name];
  const record = making.records.get(name.replace(/Ref$/, '')) ?? {};
  const inside = { ...making, known: name === '' ? making.known : isObject(own) ? own : record };
  const isWhole = making.all && depth < maximumDepth;
  const shown = propertiesOf(schema).filter(([property]) => isWhole || required.includes(property));
  return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, key, inside, depth + 1)]));
}

/** Instants that most records don't have: `deletedAt`, `revokedAt`. */
function isLaterTime(name: string): boolean {
  return /^(deleted|revoked|archived|resolved|expires)At$/.test(name);
}

const instant = '2026-11-20T09:00:00.000Z';

const byFormat: Readonly<Record<string, string>> = {
  'date-time': instant,
  date: '2026-11-20',
  'customer-id': 'CM-000001',
  email: 'ada@example.com',
};

/** Sample texts by property name. */
const byName: Readonly<Record<string, string>> = {
  customerId: 'CM-000001',
  email: 'ada@example.com',
  url: 'https://example.com',
  timezone: 'Europe/Paris',
  locale: 'en-GB',
  currency: 'EUR',
  status: 'active',
  key: 'example',
  outcome: 'click',
  version: '0.1.0',
};
/** For values that only the server can know. */
const unknownText = '…';

function isNamed(schema: TSchema, name: string): boolean {
  return get(schema, 'format') !== undefined || textOf(schema, name) !== unknownText;
}

function textOf(schema: TSchema, name: string): string {
  if (get(schema, 'format') === 'uuid') return exampleId(wordOf(name));
  const found = byFormat[String(get(schema, 'format'))] ?? byName[name];
  if (found !== undefined) return found;
  if (/(^id|[a-z]Id)$/.test(name)) return exampleId(wordOf(name));
  return /[a-z]At$/.test(name) ? instant : unknownText;
}

/** `offer` for `offerId`. */
function wordOf(name: string): string {
  return name === '' || name === 'id' ? 'record' : name.replace(/Id$/, '');
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns true when a value known by name may be used here. The tests check the examples against the whole schema. */
function fits(schema: TSchema, value: unknown): boolean {
  const parts = members(schema, 'anyOf');
  if (parts.length > 0) return parts.some((part) => fits(part, value));
  if (get(schema, 'const') !== undefined) return get(schema, 'const') === value;
  const values = members(schema, 'enum');
  if (values.length > 0) return values.some((each: unknown) => each === value);
  switch (get(schema, 'type')) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value) && value.every((each) => fitsItem(schema, each));
    case 'object':
      return isObject(value) && requiredOf(schema).every((name) => name in value);
    case 'null':
      return value === null;
    case undefined:
      return true;
    case 'string':
      return typeof value === 'string' && (get(schema, 'format') !== 'uuid' || uuid.test(value));
    default:
      return typeof value === get(schema, 'type');
  }
}

function fitsItem(schema: TSchema, value: unknown): boolean {
  const items = itemsOf(schema);
  return items === undefined || fits(items, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
