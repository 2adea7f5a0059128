import type { ErrorEntry, OfferEligibility } from '@arbiter/contract';
import { compileCondition, conditionRemarks } from '@arbiter/engine';
import { asJson } from '../../../platform/json.ts';
import type { Remark } from '../../../platform/remark.ts';

/** Returns problems of the condition in `eligibility.conditions` (grammar: docs/design/api-catalogue.md 1.3). */
export function eligibilityProblems({ conditions }: OfferEligibility): ErrorEntry[] {
  if (conditions === undefined || conditions === null) return [];
  const compiled = compileCondition(conditions);
  if (compiled.ok) return [];
  return compiled.problems.map(({ path, message }) => ({ path: `/eligibility/conditions${path}`, message }));
}

/** Returns warnings for keys without effect. Expects an object without problems. */
export function eligibilityRemarks({ conditions }: OfferEligibility): Remark[] {
  return conditionRemarks(asJson(conditions), '/eligibility/conditions');
}

/** Returns the object with its conditions in canonical spelling. Expects an object without problems. */
export function storedEligibility(eligibility: OfferEligibility): OfferEligibility {
  const { conditions, ...rest } = eligibility;
  if (conditions === undefined || conditions === null) return rest;
  const compiled = compileCondition(conditions);
  return compiled.ok ? { ...rest, conditions: compiled.condition.stored } : eligibility;
}
