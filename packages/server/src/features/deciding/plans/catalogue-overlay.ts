import { needsOfferCategories, type SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { policyMark } from '../../catalogue/contact-policies/index.ts';
import { snapshotCreativesOf } from '../../catalogue/creatives/index.ts';
import { snapshotOffersNamed } from '../../catalogue/offers/index.ts';
import { type CatalogueContent, outcomePoliciesOf } from './catalogue-content.ts';
import { type CatalogueRows, readRows, type WantedRows } from './catalogue-rows.ts';
import { readContentItems } from './content-items.ts';
import type { CatalogueOverlay, InTransaction } from './tenant-catalogue.ts';

export const isEmptyOverlay = ({ offerIds, policies }: CatalogueOverlay): boolean =>
  offerIds.length === 0 && policies.length === 0;

/** Returns the content with the policies of an overlay. */
export function withPolicies<Content extends Pick<CatalogueContent, 'policies'>>(
  content: Content,
  { policies }: CatalogueOverlay,
): Content {
  if (policies.length === 0) return content;
  const replaced = new Set(policies.map(({ id }) => id));
  const others = content.policies.filter(({ id }) => !replaced.has(id));
  return { ...content, policies: [...others, ...policies.flatMap(({ policy }) => policy ?? [])].sort(byId) };
}

/** Identifies what each policy that writes suppressions does, as `TenantCatalogue.policyMarks`. */
export const policyMarksOf = (policies: readonly SnapshotPolicy[]): ReadonlyMap<string, string> =>
  new Map(outcomePoliciesOf(policies).map((policy) => [policy.id, policyMark(policy)]));

/** Returns offers and creatives with the overlay applied. Reads only what the content lacks. */
export async function rowsWith(
  content: CatalogueContent,
  statuses: WantedRows['statuses'],
  { offerIds }: CatalogueOverlay,
  inTransaction: InTransaction,
): Promise<CatalogueRows> {
  const { wanted, rows, policies } = content;
  const otherOffers = wanted.otherOffers || needsOfferCategories(policies);
  const hasAll = otherOffers === wanted.otherOffers && statuses.every((status) => wanted.statuses.includes(status));
  if (hasAll && offerIds.length === 0) return rows;
  return inTransaction(async (tx) => {
    const base = hasAll ? rows : await readRows(tx, { ...wanted, statuses, otherOffers }, null);
    return offerIds.length === 0 ? base : withActive(tx, base, offerIds);
  });
}

/** Returns the rows with these offers and their creatives active. */
async function withActive(tx: Tx, base: CatalogueRows, offerIds: readonly string[]): Promise<CatalogueRows> {
  const { wanted } = base;
  const ids = new Set(offerIds);
  const named = await snapshotOffersNamed(tx, offerIds, { budgets: wanted.budgets });
  const creatives = [
    ...base.creatives.filter(({ offerId }) => !ids.has(offerId)),
    ...(await snapshotCreativesOf(tx, offerIds)),
  ].sort(byId);
  const offers = [
    ...base.offers.filter(({ id }) => !ids.has(id)),
    ...named.map((offer) => ({ ...offer, status: 'active' as const })),
  ].sort(byId);
  return {
    ...base,
    offers,
    creatives,
    contentItems: wanted.contentItems ? await readContentItems(tx, creatives, base.contentItems) : base.contentItems,
    otherOffers: base.otherOffers?.filter(({ id }) => !ids.has(id)),
  };
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
