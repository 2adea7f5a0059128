import { hash } from 'node:crypto';
import type { AuditLog } from '@arbiter/contract';

/** The members of objects with the same names in the same order: sorted, each with its head `"name":`. */
interface Order {
  readonly names: readonly string[];
  readonly heads: readonly string[];
}

/** Records of one kind have the same names, so their order is worked out once. Dropped whole when it is full. */
const orders = new Map<string, Order>();
const keptOrders = 1_000;

function orderOf(value: object): Order {
  const names = Object.keys(value);
  // No text in the database holds NUL, so two lists of names never make one key.
  const key = names.join('\0');
  const known = orders.get(key);
  if (known !== undefined) return known;
  // By UTF-16 code units, as RFC 8785 requires.
  names.sort();
  const order = { names, heads: names.map((name) => `${JSON.stringify(name)}:`) };
  if (orders.size >= keptOrders) orders.clear();
  if (key.length <= 10_000) orders.set(key, order);
  return order;
}

/** Text that JSON writes unchanged. Checking is cheaper than calling JSON.stringify. */
const plain = /^[ !#-[\]-~\u00a0-\ud7ff]*$/;

function canonical(value: unknown): string {
  if (typeof value === 'string') return plain.test(value) ? `"${value}"` : JSON.stringify(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (!Array.isArray(value)) return canonicalObject(value, null);
  let text = '[';
  for (let at = 0; at < value.length; at += 1) text += at === 0 ? canonical(value[at]) : `,${canonical(value[at])}`;
  return `${text}]`;
}

function canonicalObject(value: object, without: string | null): string {
  const { names, heads } = orderOf(value);
  let text = '';
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at]!;
    if (name === without) continue;
    text += `${text === '' ? '{' : ','}${heads[at]}${canonical(Reflect.get(value, name))}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/**
 * Returns the hex SHA-256 of a row's RFC 8785 form without integrityHash. Used only for verification: shares no code
 * with the writer, whose mistakes it must not repeat (docs/design/quality.md R14).
 */
export function hashOfRow(row: AuditLog): string {
  return hash('sha256', canonicalObject(row, 'integrityHash'), 'hex');
}
