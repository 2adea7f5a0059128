import type { ErrorEntry } from '@arbiter/contract';
import { compileCondition, conditionRemarks, type Json } from '@arbiter/engine';
import { asJson } from '../../../platform/json.ts';
import type { Remark } from '../../../platform/remark.ts';

const namespaces: ReadonlySet<string> = new Set(['request', 'attributes', 'customer']);

/** Returns a placement's targeting in its stored form, or its problems (docs/design/api-catalogue.md 5.2). */
export function readTargeting(
  targeting: unknown,
  path: string,
): { readonly stored: Json | null; readonly remarks: readonly Remark[] } | { readonly errors: readonly ErrorEntry[] } {
  if (targeting === undefined || targeting === null) return { stored: null, remarks: [] };
  const compiled = compileCondition(targeting, { namespaces });
  if (compiled.ok) {
    const stored = JSON.parse(JSON.stringify(compiled.condition.stored));
    return { stored, remarks: conditionRemarks(asJson(targeting), path) };
  }
  return { errors: compiled.problems.map((problem) => ({ path: `${path}${problem.path}`, message: problem.message })) };
}
