import { Pin } from 'lucide-react';
import { useEffect } from 'react';
import { savedRecordTexts as t } from '../messages/saved-records.ts';
import { type RecordKind, recordKinds } from '../records/record-kinds.ts';
import {
  addRecent,
  isForPageOnly,
  isSame,
  markDeleted,
  maxPins,
  pin,
  unpin,
  useSavedRecords,
} from '../records/saved-records.ts';
import { useKeys } from '../route/use-keys.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { savedRecordName } from './saved-record-name.ts';

export interface RecordPinProps {
  readonly kind: RecordKind;
  readonly id: string;
  /** Its name; null for decisions and customers, which are known by ID. */
  readonly name: string | null;
}

/**
 * The pin button in a record's header, and its key. It also adds the record to the recent ones, and updates the name
 * of its pin.
 */
export function RecordPin({ kind, id, name }: RecordPinProps) {
  const { pins } = useSavedRecords();
  const title = recordKinds[kind].titles.one;
  const isPinned = pins.some((each) => isSame(each, { kind, id }));
  const full = !isPinned && pins.length >= maxPins ? t.full(maxPins) : null;
  useEffect(() => addRecent({ kind, id, name }, Date.now()), [kind, id, name]);
  const toggle = () => {
    if (isPinned) {
      unpin({ kind, id });
      toast({ text: t.unpinned });
      return;
    }
    const became = pin({ kind, id, name }, Date.now());
    const done = isForPageOnly(kind) ? t.pinnedForPage : t.pinned;
    toast({ text: { pinned: done, full: t.full(maxPins), 'not-stored': t.notPinned }[became] });
  };
  useKeys([{ keys: 'p', title: t.pinKey, run: toggle }]);
  return (
    <Button
      kind="quiet"
      size="small"
      className="-mx-1"
      aria-label={t.pin}
      aria-pressed={isPinned}
      aria-keyshortcuts="p"
      tooltip={isPinned ? t.unpinTip : t.pinTip}
      typed={isPinned ? t.unpinOf(title) : t.pinOf(title)}
      disabledReason={full}
      icon={
        <Pin aria-hidden className={`size-4 ${isPinned ? 'fill-current text-accent-ink' : ''}`} strokeWidth={1.75} />
      }
      onClick={toggle}
    />
  );
}

/** Shown for a deleted record that is pinned: its last name, and a button to unpin it. */
export function DeletedPin({ kind, id }: Omit<RecordPinProps, 'name'>) {
  const { pins } = useSavedRecords();
  useEffect(() => markDeleted({ kind, id }), [kind, id]);
  const known = pins.find((each) => isSame(each, { kind, id }));
  if (known === undefined) return null;
  return (
    <ProblemPanel
      tone="warn"
      title={t.deletedTitle}
      actions={
        <Button
          size="small"
          onClick={() => {
            unpin({ kind, id });
            toast({ text: t.unpinned });
          }}
        >
          {t.deletedUnpin}
        </Button>
      }
    >
      <p>{t.deletedText(recordKinds[kind].titles.one, savedRecordName(known))}</p>
    </ProblemPanel>
  );
}
