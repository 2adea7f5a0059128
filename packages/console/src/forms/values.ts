import type { ErrorEntry } from '@arbiter/contract/core/errors';
import { formTexts } from '../messages/forms.ts';
import type { FormField } from './fields.ts';

/** What the inputs of a form hold, by pointer. Numbers and JSON are texts here, as somebody types them. */
export type FormValues = Readonly<Record<string, string | boolean | readonly string[]>>;

type Body = Readonly<Record<string, unknown>>;

/** What the inputs show of a body; a property that is absent or null is an empty input. */
export function valuesOf(fields: readonly FormField[], body: Body): Record<string, string | boolean | string[]> {
  return Object.fromEntries(fields.map((field) => [field.pointer, shown(field, readAt(body, field.pointer))]));
}

function shown({ input, required, nullable }: FormField, value: unknown): string | boolean | string[] {
  switch (input.kind) {
    case 'yes-no':
      // Where it may be left out there are three answers, and a box has two.
      if (required && !nullable) return value === true;
      return typeof value === 'boolean' ? String(value) : '';
    case 'choices':
      return Array.isArray(value) ? value.map(String) : [];
    case 'lines':
      return Array.isArray(value) ? value.map(String).join('\n') : '';
    case 'json':
      return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
    default:
      return value === undefined || value === null ? '' : String(value);
  }
}

export interface ReadForm {
  readonly body: Body;
  /** Inputs that hold no value of their kind. */
  readonly findings: readonly ErrorEntry[];
}

/**
 * The body that the inputs say. An empty input is left out; where the body at the beginning had a value there, it becomes
 * null, or the empty text or list, so that clearing it is a change. What has no field stays as it was.
 */
export function bodyOf(fields: readonly FormField[], values: FormValues, before: Body): ReadForm {
  const findings: ErrorEntry[] = [];
  const body: Record<string, unknown> = structuredClone({ ...before });
  for (const field of fields) {
    const value = readInput(field, values[field.pointer] ?? '');
    if (value instanceof Unreadable) findings.push({ path: field.pointer, message: value.message });
    else writeAt(body, field.pointer, value ?? emptied(field, readAt(before, field.pointer)));
  }
  return { body, findings };
}

class Unreadable {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function readInput({ input }: FormField, value: string | boolean | readonly string[]): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return value.length === 0 ? undefined : value;
  if (value === '') return undefined;
  switch (input.kind) {
    case 'yes-no':
      return value === 'true';
    case 'number': {
      const number = Number(value.trim().replace(',', '.'));
      if (value.trim() === '' || !Number.isFinite(number)) return new Unreadable(formTexts.notANumber);
      return input.whole && !Number.isInteger(number) ? new Unreadable(formTexts.notWhole) : number;
    }
    case 'lines':
      return value.split('\n').filter((line) => line.trim() !== '');
    case 'json':
      try {
        return JSON.parse(value);
      } catch {
        return new Unreadable(formTexts.notJson);
      }
    default:
      return value;
  }
}

/** What an empty input means for a property that had this value. */
function emptied({ input, nullable }: FormField, before: unknown): unknown {
  if (before === undefined) return undefined;
  if (nullable || before === null) return null;
  if (Array.isArray(before)) return [];
  return input.kind === 'text' ? '' : undefined;
}

const parts = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at a pointer; undefined where there is none. */
export function readAt(body: unknown, pointer: string): unknown {
  let at = body;
  for (const part of parts(pointer)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

function writeAt(body: Record<string, unknown>, pointer: string, value: unknown): void {
  const names = parts(pointer);
  const last = names.pop() ?? '';
  let at = body;
  for (const name of names) {
    const next = at[name];
    const inner = typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : {};
    at[name] = inner;
    at = inner;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
}
