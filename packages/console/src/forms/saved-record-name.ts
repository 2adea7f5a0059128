import type { SavedRecord } from '../records/saved-records.ts';
import { middleCut } from '../ui/format.ts';

/** Returns the label of a saved record: its last known name, a customer's ID, or a shortened ID. */
export function savedRecordName({ kind, id, name }: Pick<SavedRecord, 'kind' | 'id' | 'name'>): string {
  if (name !== null) return name;
  return kind === 'customer' ? id : middleCut(id);
}
