import { savedRecordName } from '../../forms/saved-record-name.ts';
import { savedRecordTexts as t } from '../../messages/saved-records.ts';
import { RecordIcon } from '../../records/record-icon.tsx';
import { recordKinds } from '../../records/record-kinds.ts';
import { isSame, type SavedRecord, type SavedRecords } from '../../records/saved-records.ts';
import { type Entry, fitting, type Group } from './entries.ts';

/** Number of each before the user types: pages and actions must stay visible. */
const maxShown = 5;

function entryOf(record: SavedRecord): Entry {
  const { kind, id, isDeleted } = record;
  const open = recordKinds[kind].record(id);
  const kindTitle = recordKinds[kind].titles.one;
  return {
    id: `saved ${open}`,
    title: savedRecordName(record),
    detail: isDeleted ? `${kindTitle}, ${t.deleted}` : kindTitle,
    icon: <RecordIcon kind={kind} />,
    act: { open },
  };
}

/** Returns pinned and recent records that match the query, each once; without a query, the first few. */
export function savedRecordGroups({ pins, recents }: SavedRecords, text: string): readonly Group[] {
  const others = recents.filter((record) => !pins.some((pin) => isSame(pin, record)));
  return [
    { title: t.pins, entries: fitting(text, pins.map(entryOf)) },
    { title: t.recents, entries: fitting(text, others.map(entryOf)) },
  ].map(({ title, entries }) => ({ title, entries: entries.slice(0, maxShown) }));
}
