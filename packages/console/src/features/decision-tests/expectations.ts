import { emptyText } from '@arbiter/contract/explanation/texts';
import type { DecisionTestExpect } from '@arbiter/contract/judging/decision-test-parts';
import { expectationTexts as t } from '../../messages/judging/decision-tests.ts';

/** An expectation as a sentence, with its place in the test: results name differences by place. */
export interface Expectation {
  readonly path: string;
  readonly text: string;
}

const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns what a test expects, one sentence for each expectation. `percent` writes a share. */
export function expectationsOf(expect: DecisionTestExpect, percent: (share: number) => string): readonly Expectation[] {
  const { includes = [], excludes = [], order = [], first, count, emptyReason, probability = {} } = expect;
  const one = (path: string, value: string | undefined): readonly Expectation[] =>
    value === undefined ? [] : [{ path, text: value }];
  return [
    ...one('/expect/first', first === undefined ? undefined : t.first(first)),
    ...includes.map((offer, at) => ({ path: `/expect/includes/${at}`, text: t.includes(offer) })),
    ...order.map((offer, at) => {
      const before = order[at - 1];
      const path = `/expect/order/${at}`;
      return { path, text: before === undefined ? t.orderStart(offer) : t.order(offer, before) };
    }),
    ...excludes.map(({ offer, by }, at) => ({ path: `/expect/excludes/${at}`, text: t.excludes(offer, by) })),
    ...one('/expect/count', count === undefined ? undefined : t.count(count)),
    ...one('/expect/emptyReason', emptyReason === undefined ? undefined : t.empty(emptyText(emptyReason).title)),
    ...Object.entries(probability).map(([offer, [low = 0, high = 1]]) => ({
      path: `/expect/probability/${step(offer)}`,
      text: t.probability(offer, percent(low), percent(high)),
    })),
  ];
}
