import type { ErrorEntry, OfferEligibility } from '@arbiter/contract';
import { compileCondition, conditionRemarks } from '@arbiter/engine';
import { asJson } from '../../../platform/json.ts';
import type { Remark } from '../../../platform/remark.ts';

/** Problems of the condition in `eligibility.conditions` (grammar of docs/design/api-catalogue.md 1.3). */
export function eligibilityProblems({ conditions }: OfferEligibility): ErrorEntry[] {
  if (conditions === undefined || conditions === null) return [];
  const compiled = compileCondition(conditions);
  if (compiled.ok) return [];
  return compiled.problems.map(({ path, message }) => ({ path: `/eligibility/conditions${path}`, message }));
}

/** Keys of the condition that mean nothing. For an object without problems. */
export function eligibilityRemarks({ conditions }: OfferEligibility): Remark[] {
  return conditionRemarks(asJson(conditions), '/eligibility/conditions');
}

/** The object with its conditions in the first spelling; only for one without problems. */
export function storedEligibility(eligibility: OfferEligibility): OfferEligibility {
  const { conditions, ...rest } = eligibility;
  if (conditions === undefined || conditions === null) return rest;
  const compiled = compileCondition(conditions);
  return compiled.ok ? { ...rest, conditions: compiled.condition.stored } : eligibility;
}
