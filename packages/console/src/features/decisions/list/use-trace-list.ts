import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { useMemo, useState } from 'react';
import { type BodyOf, type ListAnswer, useOperation } from '../../../data/use-operation.ts';
import { asksTraces, type DecisionSearch, traceQuery, tracesPerPage } from './filters.ts';

type TraceRow = BodyOf<typeof decisionOperations.listTraces>['traces'][number];

/**
 * Returns traces as a growing list. The operation pages by offset, so the first n rows are requested again to stay consistent.
 */
export function useTraceList(search: DecisionSearch, enabled: boolean, everyMs: number | false): ListAnswer<TraceRow> {
  const [limit, setLimit] = useState(tracesPerPage);
  const query = useMemo(() => ({ ...traceQuery(search, 0), limit }), [search, limit]);
  const answer = useOperation(
    decisionOperations.listTraces,
    { query },
    { enabled: enabled && asksTraces(search), everyMs },
  );
  const rows = answer.data?.traces ?? [];
  const total = answer.data?.total ?? null;
  const complete = total !== null && rows.length >= Math.min(total, maxTraces);
  return {
    rows,
    total,
    complete,
    failure: answer.failure,
    loading: answer.loading,
    // Rows stay consistent while more load, so dim them only after a failed refresh.
    old: answer.old && answer.failure !== null,
    restarted: false,
    waitsUntil: null,
    outdated: false,
    loadingMore: answer.old && answer.failure === null,
    asOf: answer.asOf,
    refresh: answer.refresh,
    loadMore: () => setLimit(Math.min(maxTraces, limit + tracesPerPage)),
  };
}

/** Maximum page size of the operation. */
const maxTraces = 200;
