import type { TSchema } from 'typebox';
import type { Path } from './requests.ts';

/** A field inside a body, as the schema or the example shows it. */
export interface Place {
  readonly path: Path;
  readonly kind: 'string' | 'number' | 'open';
}

const member = (schema: unknown, name: string): unknown =>
  typeof schema === 'object' && schema !== null ? Reflect.get(schema, name) : undefined;

/** Returns every string, number and open object that a schema declares. The first item of an array stands for all. */
export function declaredPlaces(schema: TSchema | undefined, path: Path = []): Place[] {
  const found: Place[] = [];
  const walk = (node: unknown, at: Path): void => {
    for (const union of ['anyOf', 'oneOf', 'allOf']) {
      const members = member(node, union);
      if (Array.isArray(members)) for (const each of members) walk(each, at);
    }
    const type = member(node, 'type');
    if (type === 'string') found.push({ path: at, kind: 'string' });
    if (type === 'integer' || type === 'number') found.push({ path: at, kind: 'number' });
    if (type === 'array') walk(member(node, 'items'), [...at, 0]);
    if (type !== 'object') return;
    const properties = Object.entries((member(node, 'properties') ?? {}) as Record<string, unknown>);
    if (properties.length === 0 && at.length > path.length) found.push({ path: at, kind: 'open' });
    for (const [name, property] of properties) walk(property, [...at, name]);
  };
  walk(schema, path);
  return unique(found);
}

/** Returns every string and number in a value. */
export function placesOf(value: unknown, path: Path = []): Place[] {
  if (typeof value === 'string') return [{ path, kind: 'string' }];
  if (typeof value === 'number') return [{ path, kind: 'number' }];
  if (Array.isArray(value)) return value.flatMap((item, index) => placesOf(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...path, name]));
}

export function unique(places: readonly Place[]): Place[] {
  return [...new Map(places.map((place) => [`${place.kind} ${place.path.join('/')}`, place])).values()];
}
