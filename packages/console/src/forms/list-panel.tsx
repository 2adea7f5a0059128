import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { chooseDensity, useTableLooks } from '../data/saved/table-looks.ts';
import { listPanelTexts as t } from '../messages/lists/list-panel.ts';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { Button } from '../ui/button.tsx';
import { PopoverBy } from '../ui/overlays/popover.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { SavedViews } from './saved-views.tsx';
import type { LookChoices } from './use-list-look.ts';

export interface ListPanelProps {
  readonly look: LookChoices;
  /** What the rows are, in the plural. */
  readonly title: string;
  /** What opened it. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

/** What somebody may choose of a list: its columns and their order, the height of rows, its saved views. */
export function ListPanel({ look, title, button, onClose }: ListPanelProps) {
  return (
    <PopoverBy label={listToolTexts.viewOf(title)} button={button} onClose={onClose}>
      <div className="flex flex-col gap-4 text-dense">
        {look.known.length > 1 ? <Columns look={look} /> : null}
        <Part title={t.density}>
          <div>
            <DensityChoice usual={look.usualDensity} />
          </div>
        </Part>
        {look.view === null ? null : (
          <Part title={t.views}>
            <SavedViews list={look.list} view={look.view} />
          </Part>
        )}
      </div>
    </PopoverBy>
  );
}

interface PartProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

function Part({ title, actions, children }: PartProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between gap-2">
        <h2 className="text-dense font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

function DensityChoice({ usual }: { readonly usual: LookChoices['usualDensity'] }) {
  return (
    <Segmented
      label={t.density}
      value={useTableLooks().density ?? usual}
      onChange={chooseDensity}
      options={[
        { key: 'compact', label: t.densities.compact },
        { key: 'comfortable', label: t.densities.comfortable },
      ]}
    />
  );
}

/** A column moved by one place; the first stays where it is. */
function movedKey(keys: readonly string[], key: string, by: 1 | -1): readonly string[] | null {
  const from = keys.indexOf(key);
  const to = from + by;
  const other = keys[to];
  if (from < 1 || to < 1 || other === undefined) return null;
  return keys.map((each, at) => (at === from ? other : at === to ? key : each));
}

function Columns({ look }: { readonly look: LookChoices }) {
  const { known, keys, choose, isChosen } = look;
  const list = useRef<HTMLUListElement>(null);
  const [moved, setMoved] = useState<{ readonly key: string; readonly part: string } | null>(null);
  useLayoutEffect(() => {
    // A line that the browser has put elsewhere has lost the focus: it gets it back, to be moved on.
    if (moved === null) return;
    const line = list.current?.querySelector(`[data-column="${CSS.escape(moved.key)}"]`);
    // At either end there is no further button.
    const part = line?.querySelector<HTMLElement>(`[data-part="${moved.part}"]`);
    (part ?? line?.querySelector<HTMLElement>('[data-part="shown"]'))?.focus();
  }, [moved]);
  const hidden = known.filter(({ key }) => !keys.includes(key));
  const lines = [...keys.flatMap((key) => known.find((column) => column.key === key) ?? []), ...hidden];
  const move = (key: string, by: 1 | -1, part: string) => {
    const next = movedKey(keys, key, by);
    if (next === null) return;
    choose((now) => movedKey(now, key, by) ?? now);
    setMoved({ key, part });
  };
  const onKeyDown = (event: KeyboardEvent, key: string) => {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    move(key, by, 'shown');
  };
  const movedAt = moved === null ? -1 : keys.indexOf(moved.key);
  return (
    <Part
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
        {lines.map(({ key, header }, at) => {
          const isFirst = at === 0;
          const isShown = at < keys.length;
          return (
            <li key={key} data-column={key} className="flex min-h-8 items-center justify-between gap-2">
              <label className="flex min-h-6 min-w-0 items-center gap-2">
                <input
                  type="checkbox"
                  data-part="shown"
                  className="size-4 shrink-0"
                  checked={isShown}
                  disabled={isFirst}
                  onKeyDown={(event) => onKeyDown(event, key)}
                  onChange={() => {
                    choose((now) => (now.includes(key) ? now.filter((each) => each !== key) : [...now, key]));
                    setMoved({ key, part: 'shown' });
                  }}
                />
                <span className="truncate">{header}</span>
                {isFirst ? <span className="text-caption text-faint">{t.stays}</span> : null}
              </label>
              {isShown && !isFirst ? (
                <span className="flex shrink-0">
                  {at === 1 ? null : (
                    <Button
                      kind="quiet"
                      size="small"
                      data-part="up"
                      aria-label={t.up(header)}
                      icon={<ArrowUp aria-hidden className="size-3.5" />}
                      onClick={() => move(key, -1, 'up')}
                    />
                  )}
                  {at === keys.length - 1 ? (
                    <span aria-hidden className="size-7" />
                  ) : (
                    <Button
                      kind="quiet"
                      size="small"
                      data-part="down"
                      aria-label={t.down(header)}
                      icon={<ArrowDown aria-hidden className="size-3.5" />}
                      onClick={() => move(key, 1, 'down')}
                    />
                  )}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
      <span role="status" className="hidden-text">
        {movedAt < 0
          ? ''
          : t.moved(known.find(({ key }) => key === moved?.key)?.header ?? '', movedAt + 1, keys.length)}
      </span>
    </Part>
  );
}
