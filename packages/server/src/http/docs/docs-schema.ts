import type { TSchema } from 'typebox';
import { escapeHtml, prose } from '../answers/page.ts';
import { get, itemsOf, members, propertiesOf, requiredOf, withoutNull } from '../input/schema-parts.ts';

const maximumDepth = 6;

/**
 * Returns a schema's HTML: a table of an object's properties with nested ones collapsed, or a sentence for anything
 * else.
 */
export type RenderSchema = (schema: TSchema) => string;

/** `shapes`: the referenced schemas, by name. */
export function createSchemaTable(shapes: Readonly<Record<string, TSchema>>): RenderSchema {
  return (schema) => schemaTable(schema, shapes, 0);
}

function schemaTable(schema: TSchema, shapes: Readonly<Record<string, TSchema>>, depth: number): string {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return `<p class="type">${typeOf(schema)}</p>${nested(schema, shapes, depth)}`;
  const required = requiredOf(schema);
  const rows = properties.map(([name, property]) => {
    const isRequired = required.includes(name);
    const shape = shapes[shapeOf(property) ?? ''];
    const description = get(property, 'description') ?? (shape && get(shape, 'description'));
    return (
      `<tr><td><code>${escapeHtml(name)}</code>${isRequired ? '<span class="req">required</span>' : ''}</td>` +
      `<td class="type">${typeOf(property)}</td>` +
      `<td>${typeof description === 'string' ? prose(description) : ''}${rulesOf(property)}${nested(property, shapes, depth)}</td></tr>`
    );
  });
  return `<table>${rows.join('')}</table>`;
}

function nested(schema: TSchema, shapes: Readonly<Record<string, TSchema>>, depth: number): string {
  if (depth >= maximumDepth) return '';
  const { schema: inner } = withoutNull(schema);
  const item = get(inner, 'type') === 'array' ? itemsOf(inner) : inner;
  if (item === undefined) return '';
  const { schema: shape } = withoutNull(item);
  const parts = [...members(shape, 'anyOf'), ...(members(shape, 'anyOf').length === 0 ? [shape] : [])];
  return parts
    .filter((part) => propertiesOf(part).length > 0)
    .map((part) => {
      const title = labelOf(part) ?? (item === inner ? 'properties' : 'each item');
      return `<details class="nested"><summary>${escapeHtml(title)}</summary>${schemaTable(part, shapes, depth + 1)}</details>`;
    })
    .join('');
}

/** Names a union's member by its constants: `type: filter`. */
function labelOf(schema: TSchema): string | null {
  const constants = propertiesOf(schema).filter(([, property]) => get(property, 'const') !== undefined);
  if (constants.length === 0) return null;
  return constants.map(([name, property]) => `${name}: ${String(get(property, 'const'))}`).join(', ');
}

/** Returns HTML. A shape that several operations share links to its description. */
function typeOf(schema: TSchema): string {
  const { schema: inner, nullable } = withoutNull(schema);
  return nullable ? `${plainType(inner)} or null` : plainType(inner);
}

/** Returns the id of a shared shape's description in the page. */
export function shapeId(name: string): string {
  return `shape-${name}`;
}

/** Returns `Offer` for a schema that references it. */
function shapeOf(schema: TSchema): string | null {
  const reference = get(schema, '$ref');
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : null;
}

function plainType(schema: TSchema): string {
  const shape = shapeOf(schema);
  if (shape !== null) return `<a href="#${shapeId(escapeHtml(shape))}">${escapeHtml(shape)}</a>`;
  const union = members(schema, 'anyOf');
  if (union.length > 0) return [...new Set(union.map(plainType))].filter((type) => type !== 'null').join(' or ');
  const constant = get(schema, 'const');
  if (constant !== undefined) return escapeHtml(JSON.stringify(constant));
  const type = get(schema, 'type');
  if (type === 'array') return `array of ${plainType(itemsOf(schema) ?? {})}`;
  const format = get(schema, 'format');
  if (typeof format === 'string') return escapeHtml(format);
  return typeof type === 'string' ? escapeHtml(type) : 'any value';
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
