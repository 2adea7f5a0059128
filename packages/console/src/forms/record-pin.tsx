import { Pin } from 'lucide-react';
import { useEffect } from 'react';
import { isForPageOnly, isSame, mostPins, noteGone, noteOpened, pin, unpin, useKept } from '../data/kept-records.ts';
import { keptTexts as t } from '../messages/kept-records.ts';
import type { RecordKind } from '../route/record-address.ts';
import { useKeys } from '../route/use-keys.ts';
import { Button } from '../ui/button.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { toast } from '../ui/toast.tsx';
import { nameOfKept } from './record-icon.tsx';

export interface RecordPinProps {
  readonly kind: RecordKind;
  readonly id: string;
  /** Its name; null for what is known by its id: decisions and customers. */
  readonly name: string | null;
}

/**
 * The button in the head of a record that pins it, and its key. Where it stands the record is open, so it counts among the
 * recent ones, and a pin learns its name.
 */
export function RecordPin({ kind, id, name }: RecordPinProps) {
  const { pins } = useKept();
  const isPinned = pins.some((each) => isSame(each, { kind, id }));
  const full = !isPinned && pins.length >= mostPins ? t.full(mostPins) : null;
  useEffect(() => noteOpened({ kind, id, name }, Date.now()), [kind, id, name]);
  const toggle = () => {
    if (isPinned) {
      unpin({ kind, id });
      toast({ text: t.unpinned });
    } else if (pin({ kind, id, name }, Date.now()) === 'full') {
      toast({ text: t.full(mostPins) });
    } else {
      toast({ text: isForPageOnly(kind) ? t.pinnedForPage : t.pinned });
    }
  };
  useKeys([{ keys: 'p', title: t.pinKey, run: toggle }]);
  return (
    <Button
      kind="quiet"
      size="small"
      aria-label={t.pin}
      aria-pressed={isPinned}
      aria-keyshortcuts="p"
      tooltip={isPinned ? t.unpinTip : t.pinTip}
      typed={isPinned ? t.unpinOf(kind) : t.pinOf(kind)}
      disabledReason={full}
      icon={
        <Pin aria-hidden className={`size-4 ${isPinned ? 'fill-current text-accent-ink' : ''}`} strokeWidth={1.75} />
      }
      onClick={toggle}
    />
  );
}

/** In place of a record that is not there any more: its pin says which one it was, and can be taken out. */
export function GonePin({ kind, id }: Omit<RecordPinProps, 'name'>) {
  const { pins } = useKept();
  useEffect(() => noteGone({ kind, id }), [kind, id]);
  const known = pins.find((each) => isSame(each, { kind, id }));
  if (known === undefined) return null;
  return (
    <ProblemPanel
      tone="warn"
      title={t.goneTitle}
      actions={
        <Button
          size="small"
          onClick={() => {
            unpin({ kind, id });
            toast({ text: t.unpinned });
          }}
        >
          {t.goneUnpin}
        </Button>
      }
    >
      <p>{t.gone(kind, nameOfKept(known))}</p>
    </ProblemPanel>
  );
}
