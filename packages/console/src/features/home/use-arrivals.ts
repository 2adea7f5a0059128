import { useEffect, useState } from 'react';
import { onEvents } from '../../data/live/events.ts';

/** Decisions made while the page is open. */
export interface Arrivals {
  readonly decisions: number;
  /** How many of them returned an offer. */
  readonly withOffer: number;
}

/** Counts decisions as the event stream reports them. */
export function useArrivals(): Arrivals {
  const [arrivals, setArrivals] = useState<Arrivals>({ decisions: 0, withOffer: 0 });
  useEffect(
    () =>
      onEvents((events) => {
        const decisionEvents = events.filter(({ type }) => type === 'decision.made.v1');
        if (decisionEvents.length === 0) return;
        const withOffer = decisionEvents.filter(({ payload }) => Number(payload.offersReturned) > 0).length;
        setArrivals((before) => ({
          decisions: before.decisions + decisionEvents.length,
          withOffer: before.withOffer + withOffer,
        }));
      }),
    [],
  );
  return arrivals;
}
