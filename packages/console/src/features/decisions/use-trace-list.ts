import { decisionOperations } from '@arbiter/contract/decisions';
import { useMemo, useState } from 'react';
import { type BodyOf, type ListAnswer, useOperation } from '../../data/use-operation.ts';
import { asksTraces, type DecisionSearch, traceQuery, tracesPerPage } from './filters.ts';

type TraceRow = BodyOf<typeof decisionOperations.listTraces>['traces'][number];

/**
 * Traces by filters, in the form of a list that grows. The operation pages by offset; asking for the first n rows again keeps
 * them in step while new ones come.
 */
export function useTraceList(search: DecisionSearch, enabled: boolean, everyMs: number | false): ListAnswer<TraceRow> {
  const [asked, setAsked] = useState(tracesPerPage);
  const query = useMemo(() => ({ ...traceQuery(search, 0), limit: asked }), [search, asked]);
  const answer = useOperation(
    decisionOperations.listTraces,
    { query },
    { enabled: enabled && asksTraces(search), everyMs },
  );
  const rows = answer.data?.traces ?? [];
  const total = answer.data?.total ?? null;
  const complete = total !== null && rows.length >= Math.min(total, mostTraces);
  return {
    rows,
    total,
    complete,
    failure: answer.failure,
    loading: answer.loading,
    // Rows stay in step while more of them are asked for, so they are dimmed only when they could not be renewed.
    old: answer.old && answer.failure !== null,
    restarted: false,
    waitsUntil: null,
    outdated: false,
    loadingMore: answer.old && answer.failure === null,
    asOf: answer.asOf,
    refresh: answer.refresh,
    loadMore: () => setAsked(Math.min(mostTraces, asked + tracesPerPage)),
  };
}

/** The operation answers no more at once. */
const mostTraces = 200;
