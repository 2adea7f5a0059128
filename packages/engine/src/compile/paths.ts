import type { FormulaScope } from '../plan/formula.ts';
import type { Json } from '../plan/snapshot.ts';

/** Value at a path such as `['customer', 'age']`; own properties only; null when missing or not finite. */
export function readPath(scope: FormulaScope, path: readonly string[]): Json {
  const first = path[0];
  let value: unknown = first === undefined ? null : rootOf(scope, first);
  for (let at = 1; at < path.length; at++) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, path[at]!)) return null;
    value = (value as Record<string, unknown>)[path[at]!];
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (value === undefined) return null;
  return value as Json;
}

/** Splits `customer.age`; a bare name belongs to the customer (docs/design/api-catalogue.md 1.3). */
export function splitPath(text: string): readonly string[] {
  const parts = text.split('.');
  return parts.length === 1 ? ['customer', text] : parts;
}

function rootOf(scope: FormulaScope, name: string): unknown {
  switch (name) {
    case 'customer':
      return scope.customer;
    case 'attributes':
      return scope.attributes;
    case 'request':
      return scope.request;
    case 'offer':
      return scope.offer;
    case 'creative':
      return scope.creative;
    case 'channel':
      return scope.channel;
    case 'placement':
      return scope.placement;
    default:
      return null;
  }
}
