import type { Category, ErrorEntry, OfferCreate, SubCategory } from '@arbiter/contract';
import type { SnapshotOffer } from '@arbiter/engine';
import { columnDefaults } from '../../../db/column-defaults.ts';
import { createSharedValues, withDefaults } from '../catalogue-records/index.ts';
import { governanceAfter, governanceOf, governanceProblems } from './offers.rules.ts';
import { categoryProblems, columnsOf, shapeProblems } from './offers.service.ts';
import { budgetKeys, toSnapshot } from './offers.store.ts';

/** An offer that isn't stored, as decisions would read it. */
export interface OfferPreview {
  readonly offer: SnapshotOffer;
  readonly hasStock: boolean;
}

/** JSON that says nothing counts as none. */
const textOf = (value: object | null): string | null =>
  value === null || Object.keys(value).length === 0 ? null : JSON.stringify(value);

/** Returns what decisions would read of an offer created with this body. `budgets: false`: budgets are off. */
export function previewOffer(id: string, body: OfferCreate, budgets: boolean): OfferPreview {
  const row = withDefaults(columnDefaults.offers, columnsOf(body));
  const budget: Readonly<Record<string, unknown>> = { ...row.budget };
  const { totalStock = null }: { readonly totalStock?: unknown } = { ...row.inventory };
  const offer = toSnapshot(
    {
      ...row,
      id,
      name: body.name,
      mandatoryExpiresAt: row.mandatoryExpiresAt?.getTime() ?? null,
      schedule: textOf(row.schedule),
      frequencyCaps: textOf(row.frequencyCaps),
      eligibility: textOf(row.eligibility),
      tracksStock: totalStock !== null,
      budget: budgetKeys.some((key) => (budget[key] ?? null) !== null) ? JSON.stringify(budget) : null,
      metadata: JSON.stringify(row.metadata),
      tags: JSON.stringify(row.tags),
    },
    createSharedValues(),
    budgets,
  );
  return { offer, hasStock: totalStock !== 0 };
}

/** What an offer's body is judged by. */
export interface OfferSurroundings {
  /** Time zone of the tenant. */
  readonly zone: string;
  readonly category: Pick<Category, 'id' | 'customFields'> | null;
  readonly subCategory: Pick<SubCategory, 'categoryId' | 'customFields'> | null;
}

/**
 * Returns why an offer can't be created with this body, as far as that doesn't depend on who is an admin and what time it is: the
 * first kind of problem, as the operation does.
 */
export function previewProblems(body: OfferCreate, around: OfferSurroundings): readonly ErrorEntry[] {
  const { zone, category, subCategory } = around;
  const judges = [
    () => shapeProblems(body, zone),
    // A mandate that has expired is no reason to refuse files that were applied before.
    () => governanceProblems(governanceAfter(governanceOf(null), body), Number.NEGATIVE_INFINITY),
    () =>
      categoryProblems({ category, subCategory, metadata: body.metadata ?? {}, isActive: body.status === 'active' }),
  ];
  for (const judge of judges) {
    const problems = judge();
    if (problems.length > 0) return problems;
  }
  return [];
}
