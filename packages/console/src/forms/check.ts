import type { ErrorEntry } from '@arbiter/contract/core/errors';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { findingText } from '../messages/forms.ts';

/** What the schema says about every place before something more exact: shown only where nothing else is. */
const vague = new Set(['type', 'anyOf', 'oneOf', 'const', 'not']);

/**
 * Holds a body against its schema, as the server will: a finding for each place, in words. The check is interpreted, so that
 * the page's policy need not allow code that is made at run time.
 */
export function checkBody(schema: TSchema, body: unknown): readonly ErrorEntry[] {
  const found = new Map<string, { readonly vague: boolean; readonly message: string }>();
  for (const { keyword, instancePath, params, message } of Value.Errors(schema, body)) {
    for (const path of pathsOf(instancePath, params)) {
      const known = found.get(path);
      const next = { vague: vague.has(keyword), message: findingText(keyword, params, message) };
      if (known === undefined || (known.vague && !next.vague)) found.set(path, next);
    }
  }
  return [...found].map(([path, { message }]) => ({ path, message }));
}

/** What is missing is told of the object around it; it belongs to the field that is empty. */
function pathsOf(at: string, params: object): readonly string[] {
  const missing: unknown = Reflect.get(params, 'requiredProperties');
  return Array.isArray(missing) ? missing.map((name) => `${at}/${name}`) : [at];
}
