import { reportSourceOperations } from '@arbiter/contract/operations/report-sources';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';

/** What an offer did in the last 7 days. */
export interface OfferFigures {
  /** Null: unknown. */
  readonly impressions: number | null;
  /** 0 to 1; null without impressions. */
  readonly conversion: number | null;
}

/** Rows of the report. */
const most = 500;
const unknown: OfferFigures = { impressions: null, conversion: null };
const never: OfferFigures = { impressions: 0, conversion: null };

/** Returns the figures of an offer by its id. The report has the offers with most impressions. */
export function useOfferFigures(): (id: string) => OfferFigures {
  const answer = useOperation(reportSourceOperations.data, {
    query: { type: 'offer_performance', days: 7, limit: most },
  });
  const rows = answer.data?.rows;
  return useMemo(() => {
    const known = new Map(
      (rows ?? []).map(({ offerId, impressions, cvr }) => [
        String(offerId),
        {
          impressions: Number(impressions),
          conversion: Number(impressions) === 0 || typeof cvr !== 'number' ? null : cvr,
        },
      ]),
    );
    const others = rows === undefined || rows.length >= most ? unknown : never;
    return (id) => known.get(id) ?? others;
  }, [rows]);
}
