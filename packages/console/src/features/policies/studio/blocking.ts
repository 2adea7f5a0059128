import type { JudgedOffer } from '@arbiter/contract/deciding/customer-tools';

/** A policy that blocks offers for a customer now. */
export interface BlockingPolicy {
  readonly id: string;
  readonly name: string;
  /** How many offers it blocks. */
  readonly offers: number;
  /** The offer to ask about: if possible, one that nothing else holds back. */
  readonly offer: { readonly id: string; readonly name: string };
}

export type BlockedOffer = Pick<
  JudgedOffer,
  'offerId' | 'offerName' | 'qualificationPassed' | 'scheduleBlocked' | 'creativeCount'
> & { readonly policies: readonly Pick<JudgedOffer['policies'][number], 'policyId' | 'policyName'>[] };

const otherBlocks = ({ qualificationPassed, scheduleBlocked, creativeCount, policies }: BlockedOffer): number =>
  (qualificationPassed ? 0 : 1) + (scheduleBlocked ? 1 : 0) + (creativeCount === 0 ? 1 : 0) + policies.length - 1;

/** Returns the policies that block offers, most offers first. */
export function blockingOf({ offers }: { readonly offers: readonly BlockedOffer[] }): readonly BlockingPolicy[] {
  const found = new Map<string, BlockingPolicy>();
  for (const judged of offers.toSorted((one, other) => otherBlocks(one) - otherBlocks(other))) {
    for (const { policyId: id, policyName: name } of judged.policies) {
      const known = found.get(id) ?? { id, name, offers: 0, offer: { id: judged.offerId, name: judged.offerName } };
      found.set(id, { ...known, offers: known.offers + 1 });
    }
  }
  return [...found.values()].toSorted((one, other) => other.offers - one.offers);
}
