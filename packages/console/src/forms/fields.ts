import type { TSchema } from 'typebox';

/** A field of a form, as the schema of a body describes it. */
export interface FormField {
  /** JSON pointer into the body: `/schedule/startAt`. Findings of the API name the same place. */
  readonly pointer: string;
  readonly label: string;
  readonly help: string | null;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly input: FieldInput;
}

export type FieldInput =
  | { readonly kind: 'text'; readonly long: boolean; readonly maxLength: number | null; readonly type: TextType }
  | { readonly kind: 'number'; readonly whole: boolean; readonly min: number | null; readonly max: number | null }
  | { readonly kind: 'yes-no' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  /** Texts, one a line. */
  | { readonly kind: 'lines' }
  /** What no other input can show: written as JSON. */
  | { readonly kind: 'json' };

export type TextType = 'text' | 'email' | 'password' | 'instant' | 'id';

/** Texts that may be longer than this get several lines. */
const longFrom = 256;

interface Keywords {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

export const keywordsOf = (schema: TSchema): Keywords => schema as Keywords;

/** The fields of a body, in the order of its schema; objects inside it give their own fields. */
export function fieldsOf(schema: TSchema, at = ''): readonly FormField[] {
  const { properties = {}, required = [] } = keywordsOf(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const known = keywordsOf(property);
    // An object that must be there and says what it holds is a group of fields.
    const closed = Object.keys(known.properties ?? {}).length > 0 && known.additionalProperties !== true;
    if (known.type === 'object' && closed && required.includes(name)) {
      return fieldsOf(property, pointer);
    }
    const { inner, nullable } = withoutNull(property);
    const field: FormField = {
      pointer,
      label: humanised(name),
      help: known.description ?? null,
      required: required.includes(name),
      nullable,
      input: inputOf(inner),
    };
    return [field];
  });
}

/** `string or null` is a string that may be empty. */
function withoutNull(schema: TSchema): { readonly inner: TSchema; readonly nullable: boolean } {
  const { anyOf } = keywordsOf(schema);
  const others = anyOf?.filter((each) => keywordsOf(each).type !== 'null') ?? [];
  const [inner] = others;
  if (anyOf === undefined || others.length === anyOf.length) return { inner: schema, nullable: false };
  return { inner: others.length === 1 && inner !== undefined ? inner : schema, nullable: true };
}

function inputOf(schema: TSchema): FieldInput {
  const { type, items, format, minimum = null, maximum = null, maxLength = null, enum: options } = keywordsOf(schema);
  if (options?.every((each) => typeof each === 'string')) return { kind: 'choice', options };
  if (type === 'boolean') return { kind: 'yes-no' };
  if (type === 'integer' || type === 'number')
    return { kind: 'number', whole: type === 'integer', min: minimum, max: maximum };
  if (type === 'string') {
    const long = (maxLength ?? longFrom + 1) > longFrom && format === undefined;
    return { kind: 'text', long: long && maxLength !== null, maxLength, type: textTypes[format ?? ''] ?? 'text' };
  }
  if (type === 'array' && items !== undefined) {
    const item = keywordsOf(items);
    if (item.enum?.every((each) => typeof each === 'string')) return { kind: 'choices', options: item.enum };
    if (item.type === 'string') return { kind: 'lines' };
  }
  return { kind: 'json' };
}

const textTypes: Readonly<Record<string, TextType>> = {
  email: 'email',
  password: 'password',
  'new-password': 'password',
  'date-time': 'instant',
  uuid: 'id',
  'customer-id': 'id',
};

/** `businessValue` -> `Business value`. */
export function humanised(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
    .replace(/\bid\b/, 'id')
    .replace(/ ids?$/, (end) => (end === ' ids' ? 's' : ''));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The field that a finding is about: the one at its place, or the one around it. Null: it is about the whole. */
export function fieldAt(fields: readonly FormField[], path: string): FormField | null {
  const around = fields.filter(({ pointer }) => path === pointer || path.startsWith(`${pointer}/`));
  return around.sort((a, b) => b.pointer.length - a.pointer.length)[0] ?? null;
}
