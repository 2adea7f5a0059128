import { coffeeRewards } from './coffee-rewards/index.ts';
import type { Pack } from './pack.ts';
import { retailBank } from './retail-bank/index.ts';
import { telcoCare } from './telco-care/index.ts';

export type {
  Pack,
  PackCategory,
  PackContactPolicy,
  PackCreative,
  PackCsv,
  PackFlow,
  PackInteraction,
  PackOffer,
  PackQualificationRule,
  PackRow,
  PackSchema,
  PackSegment,
  PackTruth,
  ReferenceKind,
} from './pack.ts';
export { readReference, referenceKinds } from './pack.ts';

/** Every pack of this release. */
export const packs: readonly Pack[] = [coffeeRewards, retailBank, telcoCare];

/** Returns the pack with this dataset key, or null. */
export function findPack(key: string): Pack | null {
  return packs.find((pack) => pack.key === key) ?? null;
}
