import type { Operation } from '@arbiter/contract/core/operation';
import type { Resource } from '@arbiter/contract/core/resource';
import { humanKey } from '../../messages/human-key.ts';

/** How a property is edited. */
export type FieldKind =
  | 'text'
  | 'longText'
  | 'integer'
  | 'number'
  | 'flag'
  | 'choice'
  | 'choices'
  | 'texts'
  | 'instant'
  | 'reference'
  | 'references'
  /** Written, but never read back: bullets stand for the stored value. */
  | 'secret'
  | 'group'
  /** A list of objects. */
  | 'rows'
  /** Texts or numbers by a key of one's own. */
  | 'map'
  /** Values of any type by a key of one's own: the columns of a customer. */
  | 'values'
  | 'json';

/** A property of a request body, as a form shows it. */
export interface FieldSpec {
  readonly name: string;
  /** JSON pointer from the body, which `errors[].path` also uses. */
  readonly path: string;
  readonly kind: FieldKind;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly least?: number;
  readonly most?: number;
  /** Of a text: characters. Of a list: entries. */
  readonly longest?: number;
  /** Of a map: its values are numbers. */
  readonly isNumeric?: boolean;
  /** Of a choice. */
  readonly options?: readonly string[];
  /** Of a choice: what an empty one stands for. */
  readonly usual?: string;
  /** Entity type of the record that a reference names. */
  readonly to?: string;
  /** Of a group, and of a row: the path of a row's field has a dash for the row's position. */
  readonly fields?: readonly FieldSpec[];
}

/** Texts from this length on get several lines. */
const longTextFrom = 501;

/** The parts of a JSON schema that forms read. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** The schema of a value that may be null: the value's own, and that it may be null. */
function unwrapped(schema: Schema): { readonly own: Schema; readonly isNullable: boolean } {
  const parts = schema.anyOf ?? [];
  const others = parts.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (others.length !== 1 || only === undefined || parts.length === 1) return { own: schema, isNullable: false };
  return { own: only, isNullable: true };
}

const hasProperties = ({ type, properties = {} }: Schema): boolean =>
  type === 'object' && Object.keys(properties).length > 0;

/** The schema of the values of an object with keys of one's own. */
const valuesOfMap = ({ patternProperties = {}, additionalProperties }: Schema): Schema | undefined =>
  Object.values(patternProperties)[0] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);

function kindOf(own: Schema, to: string | undefined): FieldKind {
  if (own.enum !== undefined) return 'choice';
  if (own.type === 'boolean') return 'flag';
  if (own.type === 'integer' || own.type === 'number') return own.type;
  if (own.type === 'string') {
    if (to !== undefined) return 'reference';
    if (own.format === 'date-time') return 'instant';
    return (own.maxLength ?? 0) >= longTextFrom ? 'longText' : 'text';
  }
  if (own.type === 'array' && own.items !== undefined) {
    if (own.items.enum !== undefined) return 'choices';
    if (own.items.type === 'string') return to === undefined ? 'texts' : 'references';
    if (hasProperties(own.items)) return 'rows';
  }
  if (hasProperties(own)) return 'group';
  if (valuesOfMap(own) !== undefined) return 'map';
  return 'json';
}

export interface SpecOptions {
  /** Entity types of references inside of groups, by JSON pointer: `/eligibility/requiredSegments`. */
  readonly references?: Readonly<Record<string, string>>;
  /** Labels by JSON pointer. Others come from the property's name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Help by JSON pointer. Other fields show the description of the contract; an empty text shows none. */
  readonly help?: Readonly<Record<string, string>>;
  /** Kinds by JSON pointer, where the contract doesn't tell: secrets. */
  readonly kinds?: Readonly<Record<string, FieldKind>>;
  /** JSON pointers of secrets that aren't of the kind `secret`: headers. */
  readonly secrets?: readonly string[];
  /** Properties that a record can't be without; default: those that the body requires. */
  readonly required?: readonly string[];
}

/** JSON pointers of the fields that hold secrets. */
export const secretsIn = ({ kinds = {}, secrets = [] }: SpecOptions = {}): readonly string[] => [
  ...Object.keys(kinds).filter((path) => kinds[path] === 'secret'),
  ...secrets,
];

const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };

/** A description that only repeats the label helps nobody. */
function helpOf(label: string, description: string): string {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9 ]/g, '')
      .trim();
  return words(description) === words(label) || !description.includes(' ') ? '' : description.replaceAll('`', '');
}

function specOf(
  name: string,
  schema: Schema,
  at: { readonly parent: string; readonly isRequired: boolean },
  options: SpecOptions,
): FieldSpec {
  const path = `${at.parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const { own, isNullable } = unwrapped(schema);
  const to = options.references?.[path];
  const kind = options.kinds?.[path] ?? kindOf(own, to);
  const label = options.labels?.[path] ?? humanKey(name);
  const choices = own.enum ?? own.items?.enum;
  return {
    ...{ name, path, kind, isNullable, isRequired: at.isRequired },
    label,
    help: options.help?.[path] ?? helpOf(label, schema.description ?? own.description ?? ''),
    ...optional('least', own.minimum),
    ...optional('most', own.maximum),
    ...optional('longest', own.maxLength ?? own.maxItems),
    ...optional('options', choices),
    ...(kind === 'choice' && typeof own.default === 'string' ? { usual: own.default } : {}),
    ...optional('to', to),
    ...(kind === 'group' ? { fields: fieldsIn(own, path, options) } : {}),
    ...(kind === 'rows' && own.items !== undefined ? { fields: fieldsIn(own.items, `${path}/-`, options) } : {}),
    ...(kind === 'map' && valuesOfMap(own)?.type !== 'string' ? { isNumeric: true } : {}),
  };
}

function fieldsIn(schema: Schema, parent: string, options: SpecOptions): readonly FieldSpec[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, each]) =>
    specOf(name, each, { parent, isRequired: required.has(name) }, options),
  );
}

/** The keys of a config, whose shape depends on the type of its record. */
export const configFieldsOf = (
  shape: { readonly fields: unknown; readonly required: readonly string[] },
  parent: string,
  options: SpecOptions = {},
): readonly FieldSpec[] =>
  fieldsIn({ properties: shape.fields as Schema['properties'] & object, required: shape.required }, parent, options);

/** The field of a row, at the row's position. */
export const atRow = (field: FieldSpec, list: string, position: number): FieldSpec => ({
  ...field,
  path: field.path.replace(`${list}/-`, `${list}/${position}`),
  ...(field.fields === undefined ? {} : { fields: field.fields.map((each) => atRow(each, list, position)) }),
});

/** Properties that a body requires. */
export const requiredIn = (operation: Pick<Operation, 'body'>): readonly string[] =>
  ((operation.body ?? {}) as Schema).required ?? [];

/** Properties of bodies that address the record instead of describing it. */
const addressing = new Set(['id', 'rowVersion', 'expectedVersion']);

/** References of a record's properties, by JSON pointer. */
const referencesOf = (resource: Resource | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(resource?.references ?? {}).map(([name, { to }]) => [`/${name}`, to]));

/**
 * Returns the fields of an operation's body, in the order of the contract. Nothing is listed more than once: labels, help, limits and
 * choices come from the operation.
 */
export function fieldsOf(
  operation: Pick<Operation, 'body'>,
  resource: Resource | undefined,
  options: SpecOptions = {},
): readonly FieldSpec[] {
  const references = { ...referencesOf(resource), ...options.references };
  const { required } = options;
  return fieldsIn((operation.body ?? {}) as Schema, '', { ...options, references })
    .filter(({ name }) => !addressing.has(name))
    .map((field) => (required === undefined ? field : { ...field, isRequired: required.includes(field.name) }));
}
