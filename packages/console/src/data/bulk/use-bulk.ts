import type { Operation } from '@arbiter/contract/core/operation';
import type { CallInput } from '@arbiter/sdk/caller';
import { useCallback, useRef, useState } from 'react';
import { call } from '../call.ts';
import type { Failure } from '../failure.ts';
import { waitBefore } from '../pace.ts';
import { useRefresh } from '../use-operation.ts';
import { type BulkRun, startBulk } from './bulk-run.ts';

export interface Bulk<O extends Operation> {
  /**
   * Sends the inputs in order. Resolves with a failure for each, or null. Inputs not sent because of a stop fail as
   * `abandoned`.
   */
  readonly run: (inputs: readonly CallInput<O>[]) => Promise<readonly (Failure | null)[]>;
  /** Sends no further calls. Those in flight still end. */
  readonly stop: () => void;
  /** Null while nothing runs. */
  readonly progress: { readonly done: number; readonly total: number } | null;
}

/** Repeats a write for several inputs, as `startBulk` does. */
export function useBulk<const O extends Operation>(operation: O): Bulk<O> {
  const refresh = useRefresh();
  const current = useRef<BulkRun | null>(null);
  const [progress, setProgress] = useState<Bulk<O>['progress']>(null);
  const run = useCallback(
    async (inputs: readonly CallInput<O>[]) => {
      const ended = Promise.withResolvers<void>();
      const started = startBulk({
        rows: inputs.map((_, at) => ({ id: String(at), name: '' })),
        act: async (id) => {
          await call(operation, inputs[Number(id)]!);
          return 'done';
        },
        waitMs: () => waitBefore(operation),
        sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
        onEnd: ended.resolve,
      });
      current.current = started;
      const show = () =>
        setProgress({ done: started.rows().filter(({ state }) => hasEnded.has(state)).length, total: inputs.length });
      started.subscribe(show);
      show();
      await ended.promise;
      setProgress(null);
      refresh(operation);
      return started
        .rows()
        .map(({ state, failure }): Failure | null => (state === 'stopped' ? { kind: 'abandoned' } : failure));
    },
    [refresh, operation],
  );
  return { run, stop: useCallback(() => current.current?.stop(), []), progress };
}

const hasEnded: ReadonlySet<string> = new Set(['done', 'failed', 'stopped']);
