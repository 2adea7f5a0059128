import { useCallback, useState } from 'react';
import { recall, remember } from './storage.ts';

/**
 * Unsaved form changes. They stay in this browser until saved, discarded or signed out, so leaving the page needs no
 * confirmation. `read` parses the stored value or undefined; it may come from another version.
 */
export function useDraft<Changes extends object>(
  form: string,
  read: (stored: unknown) => Changes,
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
