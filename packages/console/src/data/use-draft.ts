import { useCallback, useState } from 'react';
import { recall, remember } from './storage.ts';

const same = <Changes extends object>(changes: Changes): object => changes;

/**
 * Unsaved form changes. They stay in this browser until saved, discarded or signed out, so leaving the page needs no
 * confirmation. `read` parses the stored value or undefined; it may come from another version. `toStore` removes secrets before
 * the draft is stored.
 */
export function useDraft<Changes extends object>(
  form: string,
  read: (stored: unknown) => Changes,
  toStore: (changes: Changes) => object = same,
): readonly [Changes, (changes: Changes) => void] {
  const [changes, setChanges] = useState(() => read(recall(`draft:${form}`)));
  const put = useCallback(
    (next: Changes) => {
      setChanges(next);
      const stored = toStore(next);
      remember(`draft:${form}`, Object.keys(stored).length === 0 ? undefined : stored);
    },
    [form, toStore],
  );
  return [changes, put];
}
