import { isObject } from '../../../../platform/json.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { SourceRow } from '../reader.ts';

/** How an API continues a list (docs/design/api-catalogue.md 20). */
export interface Pagination {
  readonly type: 'none' | 'page' | 'offset' | 'cursor' | 'link';
  readonly pageParam: string;
  readonly startPage: number;
  readonly sizeParam: string | undefined;
  readonly pageSize: number | undefined;
  readonly offsetParam: string;
  readonly cursorParam: string;
  readonly cursorPath: string;
}

const types: readonly string[] = ['none', 'page', 'offset', 'cursor', 'link'] satisfies Pagination['type'][];
const isType = (value: unknown): value is Pagination['type'] => typeof value === 'string' && types.includes(value);

/** Reads the setting. Throws SourceError `missing_config` if it isn't one. */
export function paginationOf(value: unknown): Pagination {
  const given = value ?? {};
  if (!isObject(given)) throw new SourceError('missing_config');
  const { type = 'none' } = given;
  if (!isType(type)) throw new SourceError('missing_config');
  const text = (key: string, byDefault: string) => (typeof given[key] === 'string' ? given[key] : byDefault);
  const number = (key: string) => (Number.isInteger(given[key]) ? Number(given[key]) : undefined);
  return {
    type,
    pageParam: text('pageParam', 'page'),
    startPage: number('startPage') ?? 1,
    sizeParam: text('sizeParam', '') || undefined,
    pageSize: number('pageSize'),
    offsetParam: text('offsetParam', 'offset'),
    cursorParam: text('cursorParam', 'cursor'),
    cursorPath: text('cursorPath', 'next_cursor'),
  };
}

/** Returns the value at a dotted path, or undefined. */
export function valueAt(body: unknown, path: string): unknown {
  if (path === '') return body;
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, body);
}

/** Returns the address of the next page in a `Link` header (RFC 8288); null at the last. */
export function nextLink(header: string | undefined, current: string): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?([^";]*\s)?next(\s[^";]*)?"?\s*(;|,|$)/i.test(parameters) && URL.canParse(target, current)) {
      return new URL(target, current).href;
    }
  }
  return null;
}

const deepest = 10;

/** Whether no value is an object. An own `__proto__` column isn't flat, so that it's dropped. */
function isFlat(row: SourceRow): boolean {
  for (const name in row) if (isObject(row[name]) || name === '__proto__') return false;
  return true;
}

/** Returns a row whose nested objects became `a_b` columns. */
export function flatRow(value: unknown): SourceRow {
  if (!isObject(value)) return { value };
  if (isFlat(value)) return value;
  const row: Record<string, unknown> = {};
  const add = (object: Readonly<Record<string, unknown>>, prefix: string, depth: number): void => {
    for (const [key, each] of Object.entries(object)) {
      if (isObject(each) && depth < deepest) add(each, `${prefix}${key}_`, depth + 1);
      else if (`${prefix}${key}` !== '__proto__') row[`${prefix}${key}`] = each;
    }
  };
  add(value, '', 1);
  return row;
}

/** Returns the rows of an answer. Throws SourceError `unexpected_response` if there is no list at the path. */
export function rowsAt(body: unknown, path: string): SourceRow[] {
  const list = valueAt(body, path);
  if (Array.isArray(list)) return list.map(flatRow);
  if (path === '' && isObject(list)) return [flatRow(list)];
  throw new SourceError('unexpected_response');
}
