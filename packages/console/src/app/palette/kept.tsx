import { isSame, type Kept, type KeptRecord } from '../../data/kept-records.ts';
import { nameOfKept, RecordIcon } from '../../forms/record-icon.tsx';
import { recordKindTitles, keptTexts as t } from '../../messages/kept-records.ts';
import { screenOfRecord } from '../../route/record-address.ts';
import { type Entry, fitting, type Group } from './entries.ts';

/** How many of each stand there before anything is typed: pages and acts must stay in sight. */
const mostShown = 5;

function entryOf(record: KeptRecord): Entry {
  const { kind, id, gone } = record;
  const open = screenOfRecord(kind, id);
  const kindTitle = recordKindTitles[kind];
  return {
    id: `kept ${open}`,
    title: nameOfKept(record),
    detail: gone ? `${kindTitle}, ${t.deleted}` : kindTitle,
    icon: <RecordIcon kind={kind} />,
    act: { open },
  };
}

/** Pinned and recent records that fit what is typed, each once; the first few while nothing is. */
export function keptGroups({ pins, recents }: Kept, text: string): readonly Group[] {
  const others = recents.filter((record) => !pins.some((pin) => isSame(pin, record)));
  return [
    { title: t.pins, entries: fitting(text, pins.map(entryOf)) },
    { title: t.recents, entries: fitting(text, others.map(entryOf)) },
  ].map(({ title, entries }) => ({ title, entries: entries.slice(0, mostShown) }));
}
