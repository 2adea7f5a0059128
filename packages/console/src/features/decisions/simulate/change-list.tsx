import { useMemo } from 'react';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import { compareOffers } from '../differences.ts';
import { explainSimulated } from '../explained.ts';
import { OfferChanges } from '../offer-changes.tsx';
import { objectOf } from '../reading.ts';

export interface ChangeListProps {
  readonly own: unknown;
  readonly other: unknown;
}

/** What the question changes against what stands beside it: offers that come, go or move. */
export function ChangeList({ own, other }: ChangeListProps) {
  const rows = useMemo(
    () =>
      compareOffers(explainSimulated(objectOf(other)), explainSimulated(objectOf(own))).filter(
        ({ change }) => change === 'gained' || change === 'lost' || change === 'moved',
      ),
    [own, other],
  );
  if (rows.length === 0) return <p className="text-soft">{t.changedNone}</p>;
  return <OfferChanges rows={rows} />;
}
