import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useDraft } from '../../data/use-draft.ts';
import {
  type Conflict,
  mergeChanges,
  realChanges,
  stepsOf,
  type Values,
  valueAt,
  valuesOf,
  withValue,
} from './changes.ts';
import { useFieldErrors } from './use-field-errors.ts';

/** Unsaved changes, and the version of the record that they began with. */
interface Draft {
  readonly base?: Values;
  readonly version?: number;
  readonly changes?: Values;
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a stored draft, which may come from another version of the console. */
function readDraft(stored: unknown): Draft {
  if (!isValues(stored) || !isValues(stored.changes)) return {};
  const { base, version, changes } = stored;
  return {
    changes,
    ...(isValues(base) ? { base } : {}),
    ...(typeof version === 'number' ? { version } : {}),
  };
}

export interface RecordFormOptions {
  /** Identifies the form in this browser's storage: `offer new`, `offer <id>`. */
  readonly draft: string;
  /** Writable values of the stored record; for a new record, the values the form starts with. */
  readonly stored: Values;
  /** Version of the stored record; undefined for a new one. */
  readonly version: number | undefined;
  /** Why the last save failed. */
  readonly failure: Failure | null;
  /** JSON pointers of secrets, whose typed values the browser doesn't store. */
  readonly secrets?: readonly string[];
}

const none: readonly string[] = [];

/** Returns the draft with typed secrets replaced by their stored values: bullets, or nothing. */
export function withoutSecrets(draft: Draft, secrets: readonly string[]): Draft {
  const { changes, base = {} } = draft;
  if (changes === undefined || secrets.length === 0) return draft;
  const publicChanges = secrets.reduce((values, path) => {
    const steps = stepsOf(path);
    return valueAt(values, steps) === undefined ? values : withValue(values, steps, valueAt(base, steps));
  }, changes);
  const real = realChanges(base, publicChanges);
  return Object.keys(real).length === 0 ? {} : { ...draft, changes: real };
}

/** The state of a form: values, unsaved changes, errors at their fields, and conflicts with other people's changes. */
export interface RecordForm {
  /** Stored values with the unsaved changes. */
  readonly values: Values;
  readonly valueAt: (path: string) => unknown;
  readonly set: (path: string, value: unknown) => void;
  /** Sets several properties at once. */
  readonly patch: (values: Values) => void;
  /** Unsaved changes by property: what a save sends. */
  readonly changes: Values;
  /** What's wrong with a field, by JSON pointer. */
  readonly errors: ReadonlyMap<string, string>;
  /** Notes that what was typed can't be a value; undefined: it can. */
  readonly setInputError: (path: string, message: string | undefined) => void;
  /** True if a field holds text that can't be a value. */
  readonly hasInputErrors: boolean;
  /** Properties that someone else changed differently since the changes began. Nothing can be saved before they're settled. */
  readonly conflicts: readonly Conflict[];
  /** Settles conflicts: `mine` by property. */
  readonly settle: (mine: ReadonlySet<string>) => void;
  /** Properties that others changed and that were taken over, until the next save. */
  readonly rebased: readonly string[];
  /** True if the changes come from an earlier visit. */
  readonly isRestored: boolean;
  readonly discard: () => void;
}

/** Holds the state of a form. Unsaved changes survive reloads and sign-ins. */
export function useRecordForm(options: RecordFormOptions): RecordForm {
  const { draft: name, stored, version, failure, secrets = none } = options;
  const toStore = useCallback((draft: Draft) => withoutSecrets(draft, secrets), [secrets]);
  const [draft, put] = useDraft<Draft>(name, readDraft, toStore);
  const [isRestored, setRestored] = useState(() => Object.keys(draft.changes ?? {}).length > 0);
  const [rebased, setRebased] = useState<readonly string[]>([]);
  const { errors, hasInputErrors, setInputError, touch, reset } = useFieldErrors(failure);
  const own = draft.changes;
  const isOutdated = own !== undefined && draft.version !== version;
  const merge = useMemo(
    () => (isOutdated ? mergeChanges(draft.base ?? stored, own, stored) : null),
    [isOutdated, draft.base, own, stored],
  );
  const conflicts = merge?.conflicts ?? [];
  const store = useCallback(
    (changes: Values) => {
      const real = realChanges(stored, changes);
      const base = valuesOf(stored, Object.keys(stored));
      put(Object.keys(real).length === 0 ? {} : { changes: real, base, ...(version === undefined ? {} : { version }) });
    },
    [stored, version, put],
  );
  useEffect(() => {
    // Without conflicts, the changes move to the new version on their own.
    if (merge === null || merge.conflicts.length > 0) return;
    store(merge.changes);
    setRebased(merge.others);
  }, [merge, store]);
  const changes = useMemo(() => realChanges(stored, own ?? {}), [stored, own]);
  const values = useMemo(() => ({ ...stored, ...changes }), [stored, changes]);
  return {
    ...{ values, changes, errors, conflicts, rebased, isRestored, hasInputErrors, setInputError },
    valueAt: useCallback((path) => valueAt(values, stepsOf(path)), [values]),
    set: useCallback(
      (path, value) => {
        const [top = ''] = stepsOf(path);
        store({ ...changes, [top]: withValue(values, stepsOf(path), value)[top] });
        touch(path);
      },
      [changes, values, store, touch],
    ),
    patch: useCallback(
      (next) => {
        store({ ...changes, ...next });
        for (const name of Object.keys(next)) touch(`/${name}`);
      },
      [changes, store, touch],
    ),
    settle: useCallback(
      (mine) => {
        if (merge === null) return;
        const ownConflicts = merge.conflicts.filter((conflict) => mine.has(conflict.name));
        store({
          ...merge.changes,
          ...Object.fromEntries(ownConflicts.map((conflict) => [conflict.name, conflict.mine])),
        });
        setRebased(merge.others);
      },
      [merge, store],
    ),
    discard: useCallback(() => {
      put({});
      setRestored(false);
      setRebased([]);
      reset();
    }, [put, reset]),
  };
}
