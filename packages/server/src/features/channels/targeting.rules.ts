import type { ErrorEntry } from '@arbiter/contract';
import { compileCondition, type Json } from '@arbiter/engine';

const namespaces: ReadonlySet<string> = new Set(['request', 'attributes', 'customer']);

/** A placement's targeting in the stored spelling of conditions, or what is wrong with it (api-catalogue.md 5.2). */
export function readTargeting(
  targeting: unknown,
  path: string,
): { readonly stored: Json | null } | { readonly errors: readonly ErrorEntry[] } {
  if (targeting === undefined || targeting === null) return { stored: null };
  const compiled = compileCondition(targeting, { namespaces });
  if (compiled.ok) return { stored: JSON.parse(JSON.stringify(compiled.condition.stored)) };
  return { errors: compiled.problems.map((problem) => ({ path: `${path}${problem.path}`, message: problem.message })) };
}
