import type { Json } from '@arbiter/engine';

/** True for a JSON object: neither null nor a list. */
export function isObject(value: Json | undefined): value is { readonly [key: string]: Json };
export function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Types an object of a request body or jsonb column for the engine. Bodies are parsed and checked JSON (finite numbers,
 * no forbidden keys), so the cast is safe.
 */
export function asJsonObject(value: Readonly<Record<string, unknown>>): { readonly [key: string]: Json } {
  return value as { readonly [key: string]: Json };
}

/** The same for any value of a body. */
export function asJson(value: unknown): Json {
  return value as Json;
}

/** The same JSON, of which nothing may be changed. */
export type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;
