import type { TSchema } from 'typebox';
import { escapeHtml, prose } from './page.ts';

const maximumDepth = 6;

function get(schema: TSchema, key: string): unknown {
  return Reflect.get(schema, key);
}

function members(schema: TSchema, key: string): TSchema[] {
  const found = get(schema, key);
  return Array.isArray(found) ? found : [];
}

function propertiesOf(schema: TSchema): [string, TSchema][] {
  const found = get(schema, 'properties');
  return typeof found === 'object' && found !== null ? Object.entries(found) : [];
}

/** The schema without `null`, when it is a union with it. */
function withoutNull(schema: TSchema): { readonly schema: TSchema; readonly nullable: boolean } {
  const union = members(schema, 'anyOf');
  const rest = union.filter((each) => get(each, 'type') !== 'null');
  return rest.length === 1 && union.length === 2
    ? { schema: rest[0]!, nullable: true }
    : { schema, nullable: rest.length < union.length };
}

/** A table of an object's properties, nested ones folded; a sentence for anything else. */
export function schemaTable(schema: TSchema, depth = 0): string {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return `<p class="type">${escapeHtml(typeOf(schema))}</p>${nested(schema, depth)}`;
  const required = get(schema, 'required');
  const rows = properties.map(([name, property]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const description = get(property, 'description');
    return (
      `<tr><td><code>${escapeHtml(name)}</code>${isRequired ? '<span class="req">required</span>' : ''}</td>` +
      `<td class="type">${escapeHtml(typeOf(property))}</td>` +
      `<td>${typeof description === 'string' ? prose(description) : ''}${rulesOf(property)}${nested(property, depth)}</td></tr>`
    );
  });
  return `<table>${rows.join('')}</table>`;
}

function nested(schema: TSchema, depth: number): string {
  if (depth >= maximumDepth) return '';
  const { schema: inner } = withoutNull(schema);
  const item = get(inner, 'type') === 'array' ? (get(inner, 'items') as TSchema | undefined) : inner;
  if (item === undefined) return '';
  const { schema: shape } = withoutNull(item);
  const parts = [...members(shape, 'anyOf'), ...(members(shape, 'anyOf').length === 0 ? [shape] : [])];
  return parts
    .filter((part) => propertiesOf(part).length > 0)
    .map((part) => {
      const title = labelOf(part) ?? (item === inner ? 'properties' : 'each item');
      return `<details class="nested"><summary>${escapeHtml(title)}</summary>${schemaTable(part, depth + 1)}</details>`;
    })
    .join('');
}

/** A union's member is named by its constants: `type: filter`. */
function labelOf(schema: TSchema): string | null {
  const constants = propertiesOf(schema).filter(([, property]) => get(property, 'const') !== undefined);
  if (constants.length === 0) return null;
  return constants.map(([name, property]) => `${name}: ${String(get(property, 'const'))}`).join(', ');
}

function typeOf(schema: TSchema): string {
  const { schema: inner, nullable } = withoutNull(schema);
  return nullable ? `${plainType(inner)} or null` : plainType(inner);
}

function plainType(schema: TSchema): string {
  const union = members(schema, 'anyOf');
  if (union.length > 0) return [...new Set(union.map(plainType))].filter((type) => type !== 'null').join(' or ');
  const constant = get(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant);
  const type = get(schema, 'type');
  if (type === 'array') return `array of ${plainType((get(schema, 'items') ?? {}) as TSchema)}`;
  const format = get(schema, 'format');
  if (typeof format === 'string') return format;
  return typeof type === 'string' ? type : 'any value';
}

function rulesOf(schema: TSchema): string {
  const { schema: inner } = withoutNull(schema);
  const rules: string[] = [];
  const values = get(inner, 'enum');
  if (Array.isArray(values)) rules.push(values.map((value) => `\`${value}\``).join(', '));
  const low = get(inner, 'minimum');
  const high = get(inner, 'maximum');
  if (low !== undefined && high !== undefined) rules.push(`${low} to ${high}`);
  else if (low !== undefined) rules.push(`at least ${low}`);
  else if (high !== undefined) rules.push(`at most ${high}`);
  if (typeof get(inner, 'maxLength') === 'number') rules.push(`at most ${get(inner, 'maxLength')} characters`);
  if (typeof get(inner, 'maxItems') === 'number') rules.push(`at most ${get(inner, 'maxItems')} items`);
  const fallback = get(schema, 'default') ?? get(inner, 'default');
  if (fallback !== undefined) rules.push(`default \`${JSON.stringify(fallback)}\``);
  return rules.length === 0 ? '' : ` <span class="type">${prose(rules.join('; '))}</span>`;
}

/** A value of the schema's form, with the required properties only: something to start from. */
export function exampleOf(schema: TSchema, depth = 0): unknown {
  const { schema: inner } = withoutNull(schema);
  for (const key of ['const', 'example', 'default'] as const) if (get(inner, key) !== undefined) return get(inner, key);
  const examples = members(inner, 'examples');
  if (examples.length > 0) return examples[0];
  const values = members(inner, 'enum');
  if (values.length > 0) return values[0];
  const union = members(inner, 'anyOf');
  if (union.length > 0 && depth < maximumDepth) return exampleOf(union[0]!, depth + 1);
  return exampleOfType(inner, depth);
}

function exampleOfType(schema: TSchema, depth: number): unknown {
  switch (get(schema, 'type')) {
    case 'object': {
      const required = get(schema, 'required');
      const names = Array.isArray(required) ? required : [];
      const shown = propertiesOf(schema).filter(([name]) => names.includes(name));
      return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, depth + 1)]));
    }
    case 'array': {
      const items = get(schema, 'items') as TSchema | undefined;
      const atLeast = Number(get(schema, 'minItems') ?? 0);
      return items === undefined || atLeast === 0 || depth >= maximumDepth ? [] : [exampleOf(items, depth + 1)];
    }
    case 'integer':
    case 'number':
      return get(schema, 'minimum') ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return exampleText(schema);
    default:
      return {};
  }
}

function exampleText(schema: TSchema): string {
  switch (get(schema, 'format')) {
    case 'uuid':
      return '01997f3e-5c1a-7a52-9b0e-2f6f3f1f9d10';
    case 'date-time':
      return '2026-11-20T09:00:00Z';
    case 'date':
      return '2026-11-20';
    case 'customer-id':
      return 'customer-1';
    default:
      return 'text';
  }
}
