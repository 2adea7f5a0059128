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

/** Differences between both results: offers gained, lost or moved. */
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
