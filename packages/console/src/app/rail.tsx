import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { railGroupTitles, shellTexts } from '../messages/shell.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';
import { Tooltip } from '../ui/overlays/tooltip.tsx';
import type { RailEntry, RailSection } from './rail-sections.ts';

export interface RailProps {
  readonly sections: readonly RailSection[];
  readonly current: RailEntry | null;
  readonly narrow: boolean;
  readonly onNarrow: (narrow: boolean) => void;
  /** Called when the user selects a page, even the current one. */
  readonly onChosen?: (() => void) | undefined;
}

/** The pages by group, with the current one marked. */
export function Rail({ sections, current, narrow, onNarrow, onChosen }: RailProps) {
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies(current): the mark moves with it
  useEffect(() => {
    // Newer browsers return a promise, which isn't a cleanup.
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div className="flex h-full flex-col">
      <nav ref={list} aria-label={shellTexts.navigation} className="flex-1 overflow-y-auto overflow-x-hidden p-2">
        {sections.map(({ group, entries }) => (
          <section key={group} className={cx('mb-1', narrow && 'border-line border-b pb-1 last:border-0')}>
            {railGroupTitles[group] === '' ? null : (
              <h2 className={narrow ? 'hidden-text' : 'px-2 pt-1.5 pb-0.5 font-medium text-caption text-faint'}>
                {railGroupTitles[group]}
              </h2>
            )}
            <ul className="flex flex-col gap-0.5">
              {entries.map((entry) => (
                <li key={entry.screen.path}>
                  <RailLink entry={entry} current={entry === current} narrow={narrow} onChosen={onChosen} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="border-line border-t p-2 max-md:hidden">
        <Button
          kind="quiet"
          aria-label={narrow ? shellTexts.expand : shellTexts.collapse}
          icon={
            narrow ? (
              <PanelLeftOpen aria-hidden className="size-4" />
            ) : (
              <PanelLeftClose aria-hidden className="size-4" />
            )
          }
          onClick={() => onNarrow(!narrow)}
        />
      </div>
    </div>
  );
}

function RailLink({
  entry: { screen, place },
  current,
  narrow,
  onChosen,
}: {
  entry: RailEntry;
  current: boolean;
  narrow: boolean;
  onChosen: RailProps['onChosen'];
}) {
  const Icon = place.icon;
  const link = (
    <Link
      aria-current={current ? 'page' : undefined}
      aria-label={narrow ? screen.title : undefined}
      className={cx(
        'flex h-8 items-center gap-2 rounded-control px-2',
        current ? 'bg-accent-soft font-medium text-accent-ink' : 'text-soft hover:bg-hover hover:text-ink',
      )}
      look="plain"
      to={screen.path}
      onClick={onChosen}
    >
      <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
      {narrow ? null : <span className="truncate">{screen.title}</span>}
    </Link>
  );
  return narrow ? (
    <Tooltip text={screen.title} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}
