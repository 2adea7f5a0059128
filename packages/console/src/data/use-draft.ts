import { useCallback, useState } from 'react';
import { recall, remember } from './storage.ts';

/**
 * What was changed in a form and not saved yet. It is kept in this browser until it is saved, discarded or the person signs
 * out, so that nobody must be asked before they leave. `read` takes what was kept, or undefined; it may be of another version.
 */
export function useDraft<Changes extends object>(
  form: string,
  read: (kept: unknown) => Changes,
): readonly [Changes, (changes: Changes) => void] {
  const [changes, setChanges] = useState(() => read(recall(`draft:${form}`)));
  const put = useCallback(
    (next: Changes) => {
      setChanges(next);
      remember(`draft:${form}`, Object.keys(next).length === 0 ? undefined : next);
    },
    [form],
  );
  return [changes, put];
}
