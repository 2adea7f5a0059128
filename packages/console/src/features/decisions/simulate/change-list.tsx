import type { SimulatedAnswer } from '@arbiter/contract/deciding/simulations';
import { explainAnswer } from '@arbiter/contract/explanation/explain';
import { useMemo } from 'react';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import { compareOffers } from '../compare/differences.ts';
import { OfferChanges } from '../compare/offer-changes.tsx';

export interface ChangeListProps {
  readonly own: SimulatedAnswer;
  readonly other: SimulatedAnswer;
}

/** Differences between both results: offers gained, lost or moved. */
export function ChangeList({ own, other }: ChangeListProps) {
  const rows = useMemo(
    () =>
      compareOffers(explainAnswer(other), explainAnswer(own)).filter(
        ({ change }) => change === 'gained' || change === 'lost' || change === 'moved',
      ),
    [own, other],
  );
  if (rows.length === 0) return <p className="text-soft">{t.changedNone}</p>;
  return <OfferChanges rows={rows} />;
}
