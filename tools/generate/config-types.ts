import { pascal } from '../../packages/contract/src/shared-schemas.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The config of one type: its keys as JSON Schemas, and those that are required. */
export interface Shape {
  readonly fields: Schema;
  readonly required: readonly string[];
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const schemaOf = (value: unknown): Schema => (isObject(value) ? value : {});
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const nameOf = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));
const listOf = (item: string): string => `readonly ${/^\w+$/.test(item) ? item : `(${item})`}[]`;

/** Returns the TypeScript type of a JSON Schema, as far as the shapes of configs use them. */
function typeOf(schema: Schema): string {
  const { type, enum: words, anyOf, items, properties, additionalProperties, required } = schema;
  if (Array.isArray(words)) return union(words.map((word) => JSON.stringify(word)));
  if (Array.isArray(anyOf)) return union(anyOf.map((part) => typeOf(schemaOf(part))));
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'array') return listOf(items === undefined ? 'unknown' : typeOf(schemaOf(items)));
  if (type !== 'object') return 'unknown';
  if (isObject(properties)) return `{${keysOf(properties, Array.isArray(required) ? required : []).join('')}\n  }`;
  return `Readonly<Record<string, ${isObject(additionalProperties) ? typeOf(additionalProperties) : 'unknown'}>>`;
}

/** Returns a line per key. Null stands for the default, so optional keys accept it. */
function keysOf(fields: Schema, required: readonly unknown[]): string[] {
  return Object.entries(fields).map(([key, field]) => {
    const [schema, isRequired] = [schemaOf(field), required.includes(key)];
    const text = typeof schema.description === 'string' ? `/** ${schema.description} */\n  ` : '';
    const type = typeOf(schema);
    const whole = isRequired || type === 'unknown' ? type : `${type} | null`;
    return `\n  ${text}readonly ${nameOf(key)}${isRequired ? '' : '?'}: ${whole};`;
  });
}

const open = '\n  /** Unknown keys are stored but have no effect. */\n  readonly [key: string]: unknown;';

/** Returns the types of a family of configs: one per type of record, the map by type, and all keys in one. */
export function familyTypes(shapes: Readonly<Record<string, Shape>>, title: string, of: string): string {
  const entries = Object.entries(shapes);
  const one = entries.map(
    ([type, { fields, required }]) =>
      `/** Settings of the ${of} \`${type}\`. */\nexport interface ${pascal(type)}${title} {${keysOf(fields, required).join('')}${open}\n}\n`,
  );
  const map = entries.map(([type]) => `\n  readonly ${nameOf(type)}: ${pascal(type)}${title};`);
  return `${one.join('\n')}
/** Settings by ${of}. */
export interface ${title}s {${map.join('')}\n}

/** Settings of any ${of}: every key that some type has. */
export interface Any${title} {${anyKeys(entries.map(([, shape]) => shape)).join('')}${open}\n}
`;
}

/** Returns the words of a union of words, so that equal ones join; any other type as it is. */
const wordsOf = (type: string): string[] => (/^"[^{]*$/.test(type) ? type.split(' | ') : [type]);

/** Returns every key of these shapes once. A key that types define differently has the union of their types. */
function anyKeys(shapes: readonly Shape[]): string[] {
  const types = new Map<string, string[]>();
  for (const { fields } of shapes) {
    for (const [key, field] of Object.entries(fields)) {
      types.set(key, [...(types.get(key) ?? []), typeOf(schemaOf(field))]);
    }
  }
  return [...types].map(([key, all]) => {
    const type = all.includes('unknown') ? 'unknown' : `${union(all.flatMap(wordsOf))} | null`;
    return `\n  readonly ${nameOf(key)}?: ${type};`;
  });
}
