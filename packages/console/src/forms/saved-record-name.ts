import type { SavedRecord } from '../records/saved-records.ts';
import { middleCut } from '../ui/format.ts';

/** What a kept record is called: its name as it was last seen; a customer by their id, a decision by a part of its. */
export function savedRecordName({ kind, id, name }: Pick<SavedRecord, 'kind' | 'id' | 'name'>): string {
  if (name !== null) return name;
  return kind === 'customer' ? id : middleCut(id);
}
