import { useCallback, useMemo, useState } from 'react';
import type { Failure } from '../../data/failure.ts';

/** What's wrong with the fields of a form. */
export interface FieldErrors {
  /** By JSON pointer: texts that can't be values, then what the server refused. */
  readonly errors: ReadonlyMap<string, string>;
  readonly hasInputErrors: boolean;
  readonly setInputError: (path: string, message: string | undefined) => void;
  /** Notes that a field was edited: the server's error about it no longer applies. */
  readonly touch: (path: string) => void;
  readonly reset: () => void;
}

/** Which fields were edited since which failure. */
interface Edited {
  readonly since: Failure | null;
  readonly paths: ReadonlySet<string>;
}

/** Keeps the errors of a form. An error of the server stays until its field changes. */
export function useFieldErrors(failure: Failure | null): FieldErrors {
  const [inputErrors, setInputErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const [edited, setEdited] = useState<Edited>({ since: null, paths: new Set() });
  const errors = useMemo(() => {
    const found = new Map<string, string>(inputErrors);
    if (failure?.kind !== 'refused') return found;
    const paths = edited.since === failure ? [...edited.paths] : [];
    for (const { path, message } of failure.problem.errors) {
      const isEdited = paths.some((each) => path === each || path.startsWith(`${each}/`));
      if (!found.has(path) && !isEdited) found.set(path, message);
    }
    return found;
  }, [failure, inputErrors, edited]);
  return {
    errors,
    hasInputErrors: inputErrors.size > 0,
    setInputError: useCallback((path, message) => {
      setInputErrors((before) => {
        if (before.get(path) === message) return before;
        const next = new Map(before);
        if (message === undefined) next.delete(path);
        else next.set(path, message);
        return next;
      });
    }, []),
    touch: useCallback(
      (path) =>
        setEdited(({ since, paths }) => ({
          since: failure,
          paths: new Set([...(since === failure ? paths : []), path]),
        })),
      [failure],
    ),
    reset: useCallback(() => {
      setInputErrors(new Map());
      setEdited({ since: null, paths: new Set() });
    }, []),
  };
}
