import { coffeeRewards } from './coffee-rewards/index.ts';
import type { Pack } from './pack.ts';

export type {
  Pack,
  PackCategory,
  PackContactPolicy,
  PackCreative,
  PackFlow,
  PackOffer,
  PackQualificationRule,
  PackRow,
  PackSchema,
} from './pack.ts';

/** Every pack of this release. */
export const packs: readonly Pack[] = [coffeeRewards];

/** The pack with this dataset key, or null. */
export function findPack(key: string): Pack | null {
  return packs.find((pack) => pack.key === key) ?? null;
}
