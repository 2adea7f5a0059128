import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { listPanelTexts as t } from '../messages/lists/list-panel.ts';
import { Button } from '../ui/button.tsx';
import { PanelPart } from './panel-part.tsx';
import type { LookChoices } from './use-list-look.ts';

/** Moves a column by one place; null if it can't move. The first column stays in place. */
function movedKey(keys: readonly string[], key: string, by: 1 | -1): readonly string[] | null {
  const from = keys.indexOf(key);
  const to = from + by;
  const other = keys[to];
  if (from < 1 || to < 1 || other === undefined) return null;
  return keys.map((each, at) => (at === from ? other : at === to ? key : each));
}

/** Shows, hides and moves columns. */
export function ColumnList({ look }: { readonly look: LookChoices }) {
  const { known, keys, choose, isChosen } = look;
  const list = useRef<HTMLUListElement>(null);
  const [moved, setMoved] = useState<{ readonly key: string; readonly part: MovePart } | null>(null);
  useLayoutEffect(() => {
    // A moved line lost the focus. Return it, so that the column can be moved on.
    if (moved === null) return;
    const line = list.current?.querySelector(`[data-column="${CSS.escape(moved.key)}"]`);
    // At either end there's only one button.
    const part = line?.querySelector<HTMLElement>(`[data-part="${moved.part}"]`);
    (part ?? line?.querySelector<HTMLElement>('[data-part="shown"]'))?.focus();
  }, [moved]);
  const hidden = known.filter(({ key }) => !keys.includes(key));
  const lines = [...keys.flatMap((key) => known.find((column) => column.key === key) ?? []), ...hidden];
  const move = (key: string, by: 1 | -1, part: MovePart) => {
    const next = movedKey(keys, key, by);
    if (next === null) return;
    choose((now) => movedKey(now, key, by) ?? now);
    setMoved({ key, part });
  };
  const toggle = (key: string) => {
    choose((now) => (now.includes(key) ? now.filter((each) => each !== key) : [...now, key]));
    setMoved({ key, part: 'shown' });
  };
  const movedAt = moved === null ? -1 : keys.indexOf(moved.key);
  return (
    <PanelPart
      title={t.columns}
      actions={
        <Button
          kind="quiet"
          size="small"
          disabledReason={isChosen ? null : t.isAsAtFirst}
          onClick={() => {
            setMoved(null);
            choose(() => null);
          }}
        >
          {t.asAtFirst}
        </Button>
      }
    >
      <ul ref={list} className="flex flex-col">
        {lines.map((column, at) => (
          <ColumnItem
            key={column.key}
            column={column}
            isShown={at < keys.length}
            canMoveUp={at > 1}
            canMoveDown={at < keys.length - 1}
            isFirst={at === 0}
            onToggle={() => toggle(column.key)}
            onMove={(by, part) => move(column.key, by, part)}
          />
        ))}
      </ul>
      <span role="status" className="hidden-text">
        {movedAt < 0
          ? ''
          : t.moved(known.find(({ key }) => key === moved?.key)?.header ?? '', movedAt + 1, keys.length)}
      </span>
    </PanelPart>
  );
}

type MovePart = 'shown' | 'up' | 'down';

interface ColumnItemProps {
  readonly column: LookChoices['known'][number];
  readonly isShown: boolean;
  /** The first column can't be hidden or moved. */
  readonly isFirst: boolean;
  readonly canMoveUp: boolean;
  readonly canMoveDown: boolean;
  readonly onToggle: () => void;
  /** `part`: the control to focus after the move. */
  readonly onMove: (by: 1 | -1, part: MovePart) => void;
}

function ColumnItem(props: ColumnItemProps) {
  const { key, header } = props.column;
  const { isShown, isFirst, canMoveUp, canMoveDown, onToggle, onMove } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    onMove(by, 'shown');
  };
  return (
    <li data-column={key} className="flex min-h-8 items-center justify-between gap-2">
      <label className="flex min-h-6 min-w-0 items-center gap-2">
        <input
          type="checkbox"
          data-part="shown"
          className="size-4 shrink-0"
          checked={isShown}
          disabled={isFirst}
          onKeyDown={onKeyDown}
          onChange={onToggle}
        />
        <span className="truncate">{header}</span>
        {isFirst ? <span className="text-caption text-faint">{t.stays}</span> : null}
      </label>
      {isShown && !isFirst ? (
        <span className="flex shrink-0">
          {canMoveUp ? (
            <Button
              kind="quiet"
              size="small"
              data-part="up"
              aria-label={t.up(header)}
              icon={<ArrowUp aria-hidden className="size-3.5" />}
              onClick={() => onMove(-1, 'up')}
            />
          ) : null}
          {canMoveDown ? (
            <Button
              kind="quiet"
              size="small"
              data-part="down"
              aria-label={t.down(header)}
              icon={<ArrowDown aria-hidden className="size-3.5" />}
              onClick={() => onMove(1, 'down')}
            />
          ) : (
            <span aria-hidden className="size-7" />
          )}
        </span>
      ) : null}
    </li>
  );
}
