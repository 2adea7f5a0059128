import { PinOff } from 'lucide-react';
import { useState } from 'react';
import { savedRecordName } from '../../forms/saved-record-name.ts';
import { savedRecordTexts as t } from '../../messages/saved-records.ts';
import { RecordIcon } from '../../records/record-icon.tsx';
import { recordKinds } from '../../records/record-kinds.ts';
import { isForPageOnly, type SavedRecord, unpin, useSavedRecords } from '../../records/saved-records.ts';
import { useNow } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Number of records of each list before "Show all". */
const shownFirst = 6;

/** Pinned and recent records, with their last known names. Empty until a record is opened. */
export function SavedRecordLists() {
  const { pins, recents } = useSavedRecords();
  if (pins.length + recents.length === 0) return null;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Records title={t.pins} records={pins} none={t.pinsNone} canUnpin />
      <Records title={t.recents} records={recents} none={t.recentsNone} />
    </div>
  );
}

interface RecordsProps {
  readonly title: string;
  readonly records: readonly SavedRecord[];
  readonly none: string;
  readonly canUnpin?: boolean;
}

function Records({ title, records, none, canUnpin = false }: RecordsProps) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? records : records.slice(0, shownFirst);
  return (
    <Section
      title={title}
      flush
      actions={
        records.length > shownFirst ? (
          <Button kind="quiet" size="small" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? t.fewer : t.all(records.length)}
          </Button>
        ) : null
      }
    >
      {records.length === 0 ? <p className="px-4 py-2.5 text-soft">{none}</p> : null}
      <ul className="divide-y divide-line">
        {shown.map((record) => (
          <li key={`${record.kind} ${record.id}`} className="flex items-center">
            <Line record={record} />
            {canUnpin ? <Unpin record={record} /> : null}
          </li>
        ))}
      </ul>
      {records.some(({ kind }) => isForPageOnly(kind)) ? (
        <p className="border-line border-t px-4 py-2 text-caption text-soft">{t.forPage}</p>
      ) : null}
    </Section>
  );
}

function Line({ record }: { readonly record: SavedRecord }) {
  const format = useFormat();
  const now = useNow();
  const { kind, id, at, isDeleted } = record;
  return (
    <Link
      look="plain"
      to={recordKinds[kind].record(id)}
      className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 px-4 py-2 hover:bg-hover"
    >
      <RecordIcon kind={kind} />
      <span className="flex min-w-0 grow basis-32 flex-wrap items-center gap-x-2">
        <span className="min-w-0 truncate font-medium" dir="auto">
          {savedRecordName(record)}
        </span>
        <span className="text-dense text-soft">{recordKinds[kind].titles.one}</span>
        {isDeleted ? <Badge tone="warn">{t.deleted}</Badge> : null}
      </span>
      <time
        className="text-dense whitespace-nowrap text-soft"
        dateTime={new Date(at).toISOString()}
        title={t.opened(format.instant(at))}
      >
        {format.ago(at, Math.max(now, at))}
      </time>
    </Link>
  );
}

function Unpin({ record }: { readonly record: SavedRecord }) {
  return (
    <Button
      kind="quiet"
      size="small"
      className="me-3"
      aria-label={t.unpinNamed(savedRecordName(record))}
      icon={<PinOff aria-hidden className="size-4" strokeWidth={1.75} />}
      onClick={() => unpin(record)}
    />
  );
}
