import type { DataSchema, DataSchemaCreate } from '@arbiter/contract/catalogue/schemas';
import { schemaRecordOperations, schemaTableOperations } from '@arbiter/contract/catalogue/schemas';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../../data/call.ts';
import { codeOf, type Failure, failureOf } from '../../../data/failure.ts';
import { tray } from '../../../data/live/tray.ts';
import { type BodyOf, useOutdate } from '../../../data/use-operation.ts';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { addresses } from '../../../route/addresses.ts';

/** Rows stored by an import; null: all rows, but the response was lost. */
export type LoadResult = Pick<BodyOf<typeof schemaTableOperations.insertRows>, 'inserted' | 'updated' | 'skipped'>;

export interface LoadRequest {
  readonly file: File;
  /** Rows of the file. */
  readonly rows: number;
  /** The schema to create for them, or the stored one that takes them. */
  readonly target: DataSchemaCreate | { readonly id: string };
  readonly name: string;
  readonly onDuplicate: 'skip' | 'update';
}

export type LoadState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'creating' | 'sending' | 'stopping' }
  | { readonly phase: 'storing'; readonly rows: number }
  | { readonly phase: 'stopped' }
  /** The response was lost: all rows are stored, or none. */
  | { readonly phase: 'lost' }
  | { readonly phase: 'failed'; readonly failure: Failure }
  | { readonly phase: 'done'; readonly schemaId: string; readonly result: LoadResult | null };

const idle: LoadState = { phase: 'idle' };
const isNew = (target: LoadRequest['target']): target is DataSchemaCreate => !('id' in target);

/** Whether an import is running. */
export const isUnderWay = ({ phase }: LoadState): boolean =>
  phase === 'creating' || phase === 'sending' || phase === 'storing' || phase === 'stopping';

interface Run {
  readonly id: string;
  readonly stop: AbortController;
}

/** A schema that was created for a file whose rows aren't stored. */
async function deleteUnfilled(id: string): Promise<void> {
  try {
    await call(schemaRecordOperations.deleteById, { params: { id } });
  } catch (error) {
    if (codeOf(failureOf(error)) !== 'not_found') throw error;
  }
}

const storedRows = async (id: string): Promise<number> =>
  (await call(schemaTableOperations.listRows, { params: { id }, query: { limit: 1 } })).total;

/** Reads how many rows an event says are stored; null while the file is being received. */
function rowsIn(event: unknown): number | null {
  const { phase, rows } = Object(event);
  return phase === 'storing' && typeof rows === 'number' ? rows : null;
}

/**
 * Loads a file: creates the schema, sends the file and stores its rows, all or nothing. A refused or stopped import deletes the
 * schema it created. It continues on other pages; the jobs tray shows it and can stop it.
 */
export function useLoad(onDone: (schemaId: string) => void) {
  const [state, setState] = useState<LoadState>(idle);
  const outdate = useOutdate();
  const run = useRef<Run | null>(null);
  const unfilled = useRef<string | null>(null);
  const earlier = useRef<StoredBefore | null>(null);
  useLeaveWarning(isUnderWay(state));

  const stop = useCallback(() => {
    setState({ phase: 'stopping' });
    run.current?.stop.abort();
  }, []);

  const load = useCallback(
    async (request: LoadRequest) => {
      const own: Run = { id: crypto.randomUUID(), stop: new AbortController() };
      run.current = own;
      const next = await loadFile(request, own, { unfilled, earlier, stop, show: setState });
      setState(next);
      outdate(['schemas', 'tenant', 'segments', 'customers', 'auditLogs']);
      if (next.phase === 'done') onDone(next.schemaId);
    },
    [outdate, stop, onDone],
  );

  /** After a lost response: checks whether the rows are stored, and loads them if not. */
  const check = useCallback(
    async (request: LoadRequest) => {
      const { id, rows } = earlier.current ?? { id: unfilled.current, rows: 0 };
      try {
        if (id !== null && (await storedRows(id)) > rows) {
          unfilled.current = null;
          setState({ phase: 'done', schemaId: id, result: null });
          onDone(id);
          outdate(['schemas', 'tenant', 'customers']);
          return;
        }
        await load(request);
      } catch (error) {
        setState({ phase: 'failed', failure: failureOf(error) });
      }
    },
    [outdate, load, onDone],
  );

  return { state, load, check, stop };
}

/** The stored schema that takes the rows, and how many rows it had before. */
interface StoredBefore {
  readonly id: string;
  readonly rows: number;
}

interface LoadTools {
  readonly unfilled: Unfilled;
  readonly earlier: { current: StoredBefore | null };
  readonly stop: () => void;
  readonly show: (state: LoadState) => void;
}

/** Creates the schema if it's new, and stores the rows. Returns how it ended. */
async function loadFile(request: LoadRequest, own: Run, tools: LoadTools): Promise<LoadState> {
  const { unfilled, earlier, stop, show } = tools;
  const { file, rows, target, name, onDuplicate } = request;
  const { signal } = own.stop;
  const report = reporter(own.id, name);
  const advance = (next: LoadState, share?: number) => {
    if (signal.aborted) return;
    show(next);
    report({ state: 'running', ...(share === undefined ? {} : { progress: share }) }, stop);
  };
  const onProgress = (event: unknown) => {
    const stored = rowsIn(event);
    if (stored !== null) advance({ phase: 'storing', rows: stored }, rows === 0 ? undefined : stored / rows);
  };
  try {
    advance({ phase: isNew(target) ? 'creating' : 'sending' });
    earlier.current = isNew(target) ? null : { id: target.id, rows: await storedRows(target.id) };
    const id = await schemaFor(target, unfilled);
    advance({ phase: 'sending' });
    // Browsers report other types for CSV files, or none.
    const body = new File([file], file.name, { type: 'text/csv' });
    const input = { params: { id }, query: { onDuplicate }, body, onProgress, signal };
    const result = await call(schemaTableOperations.insertRows, input);
    unfilled.current = null;
    report({ state: 'done', note: t.inserted(String(result.inserted), result.inserted) }, undefined, id);
    return { phase: 'done', schemaId: id, result };
  } catch (error) {
    const before = earlier.current;
    // The rows may have been stored just before the stop arrived. Without an answer, nothing is known to be stored.
    if (signal.aborted && before !== null && (await storedRows(before.id).catch(() => 0)) > before.rows) {
      report({ state: 'done' }, undefined, before.id);
      return { phase: 'done', schemaId: before.id, result: null };
    }
    report({ state: signal.aborted ? 'cancelled' : 'failed' });
    return afterFailure(failureOf(error), signal.aborted, unfilled);
  }
}

/** Shows the import in the jobs tray. */
function reporter(id: string, name: string) {
  return (
    standing: { readonly state: 'running' | 'done' | 'failed' | 'cancelled'; progress?: number; note?: string },
    cancel?: () => void,
    schemaId?: string,
  ) =>
    tray().report(
      {
        ...{ id, kind: 'csvImport', title: t.job(name), ...standing },
        open: schemaId === undefined ? addresses.importRows() : addresses.schema(schemaId, { tab: 'rows' }),
      },
      cancel,
    );
}

interface Unfilled {
  current: string | null;
}

/** Returns the stored schema or a new one. Replaces the one of an earlier attempt, because the plan may have changed. */
async function schemaFor(target: LoadRequest['target'], unfilled: Unfilled): Promise<DataSchema['id']> {
  if (!isNew(target)) return target.id;
  if (unfilled.current !== null) {
    await deleteUnfilled(unfilled.current);
    unfilled.current = null;
  }
  const { id } = await call(schemaRecordOperations.create, { body: target });
  unfilled.current = id;
  return id;
}

/** Cleans up and returns what to show. Without a response, deletes nothing: the rows may be stored. */
async function afterFailure(failure: Failure, isStopped: boolean, unfilled: Unfilled): Promise<LoadState> {
  const isLost =
    !isStopped && (failure.kind === 'unreachable' || failure.kind === 'timeout' || failure.kind === 'foreign');
  if (isLost) return { phase: 'lost' };
  const id = unfilled.current;
  try {
    if (id !== null) await deleteUnfilled(id);
    unfilled.current = null;
  } catch {
    // The next attempt deletes it.
  }
  return isStopped ? { phase: 'stopped' } : { phase: 'failed', failure };
}

/** Asks before the page closes, which would stop the import. */
function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    globalThis.addEventListener('beforeunload', warn);
    return () => globalThis.removeEventListener('beforeunload', warn);
  }, [isActive]);
}
