import { Search } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { paletteTexts } from '../../messages/palette.ts';
import { useSavedRecords } from '../../records/saved-records.ts';
import type { Command } from '../../route/feature.ts';
import { writtenKeys } from '../../route/keys.ts';
import { cx } from '../../ui/cx.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { features, screens } from '../manifest.ts';
import { isMac } from '../platform.ts';
import { bestFirst, type Entry, fitting, foundEntries, type Group, ownEntries, searchesFor } from './entries.ts';
import { pageActs } from './page-acts.ts';
import { recordSearches } from './record-searches.ts';
import { savedRecordGroups } from './saved-records.tsx';
import { takeTyped } from './typed-ahead.ts';

/** Debounce of searches, in milliseconds. */
const restMs = 120;

export interface PaletteProps {
  readonly commands: readonly Command[];
  readonly onClose: () => void;
  readonly go: (address: string) => void;
}

/** Command palette: opens pages, actions and records. */
export function Palette({ commands, onClose, go }: PaletteProps) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  // The dialog keeps focus that is already inside; otherwise, it would go to the first button.
  const arrive = useCallback((input: HTMLInputElement | null) => {
    if (input === null) return;
    input.focus();
    const ahead = takeTyped();
    setText((now) => ahead + now);
  }, []);
  const { groups, found } = useGroups(text, commands);
  const lines = groups.flatMap(({ entries }) => entries);
  const listId = useId();
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    if ('open' in entry.act) go(entry.act.open);
    else void entry.act.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((at) => (lines.length === 0 ? 0 : (at + step + lines.length) % lines.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choose(lines[active]);
    }
  };
  return (
    <Dialog
      open
      place="top"
      onOpenChange={(open) => open || onClose()}
      title={paletteTexts.title}
      description={paletteTexts.hint}
    >
      <div className="flex flex-col gap-2 pb-2">
        <span className="relative flex items-center">
          <Search aria-hidden className="pointer-events-none absolute start-2.5 size-4 text-faint" />
          <input
            ref={arrive}
            role="combobox"
            aria-label={paletteTexts.label}
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={lines[active] ? `${listId}-${active}` : undefined}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            className="h-10 w-full rounded-control border border-line-strong bg-surface ps-8 pe-2.5 text-body"
            placeholder={paletteTexts.label}
            value={text}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
            }}
          />
        </span>
        <Lines {...{ groups, active, listId, choose }} />
        <p role="status" className="text-caption text-soft">
          {found.busy
            ? paletteTexts.searching
            : lines.length === 0
              ? paletteTexts.none(text)
              : paletteTexts.found(lines.length)}
          {found.failed.map((kind) => ` · ${paletteTexts.failed(kind)}`)}
        </p>
      </div>
    </Dialog>
  );
}

/** Returns what matches the query: saved records, pages, actions of this page and of all pages, and found records. */
function useGroups(text: string, commands: readonly Command[]) {
  const found = useFound(text);
  const own = useMemo(() => ownEntries(screens, commands), [commands]);
  // The page below doesn't change while the palette is open.
  const [here] = useState(() => ownEntries([], pageActs(document.getElementById('page'))).acts);
  const saved = savedRecordGroups(useSavedRecords(), text);
  const opened = new Set(saved.flatMap(({ entries }) => entries.map(({ id }) => id)));
  const groups = [
    ...bestFirst(text, [
      ...saved,
      { title: paletteTexts.pages, entries: fitting(text, own.pages) },
      { title: paletteTexts.here, entries: fitting(text, here) },
      { title: paletteTexts.acts, entries: fitting(text, own.acts) },
    ]),
    // Pending results must not move the line that Enter opens.
    ...found.groups.map(({ title, entries }) => ({
      title,
      entries: entries.filter(({ act }) => !('open' in act) || !opened.has(`saved ${act.open}`)),
    })),
  ].filter(({ entries }) => entries.length > 0);
  return { groups, found };
}

interface EntryLinesProps {
  readonly groups: readonly Group[];
  readonly active: number;
  readonly listId: string;
  readonly choose: (entry: Entry) => void;
}

function Lines({ groups, active, listId, choose }: EntryLinesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[id="${listId}-${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active, listId]);
  let index = -1;
  return (
    <div
      ref={list}
      id={listId}
      role="listbox"
      aria-label={paletteTexts.title}
      className="max-h-[50dvh] overflow-y-auto"
    >
      {groups.map(({ title, entries }) => (
        // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group of options outside a select.
        <div key={title} role="group" aria-label={title} className="pb-1">
          <p aria-hidden className="px-2 py-1 text-caption text-faint">
            {title}
          </p>
          {entries.map((entry) => {
            index += 1;
            const own = index;
            return (
              <Line key={entry.id} entry={entry} id={`${listId}-${own}`} active={own === active} choose={choose} />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface EntryLineProps {
  readonly entry: Entry;
  readonly id: string;
  readonly active: boolean;
  readonly choose: (entry: Entry) => void;
}

/** Pages have the same icon as in the sidebar. */
const pageIcons = new Map(
  screens.flatMap(({ path, rail }) => (rail === undefined ? [] : [[`page ${path}`, rail.icon]])),
);

function Line({ entry, id, active, choose }: EntryLineProps) {
  const PageIcon = pageIcons.get(entry.id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the combobox keeps the focus and handles Enter.
    <div
      id={id}
      role="option"
      aria-selected={active}
      onClick={() => choose(entry)}
      className={cx(
        'flex min-h-8 cursor-pointer items-center gap-2 rounded-control px-2 py-1',
        active ? 'bg-accent-soft text-accent-ink' : 'hover:bg-hover',
      )}
    >
      <span aria-hidden className="flex size-4 shrink-0 items-center text-soft">
        {entry.icon ?? (PageIcon === undefined ? null : <PageIcon className="size-4" strokeWidth={1.75} />)}
      </span>
      <span className="min-w-0 truncate" dir="auto">
        {entry.title}
      </span>
      {entry.detail && /^(found|saved) /.test(entry.id) ? (
        <span className="max-w-2/5 shrink-0 truncate text-dense text-soft">{entry.detail}</span>
      ) : null}
      {entry.keys === undefined ? null : (
        <span aria-hidden className="ms-auto flex gap-1 text-caption text-faint">
          {writtenKeys(entry.keys, isMac()).map((part) => (
            <kbd key={part}>{part}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}

const allSearches = [...recordSearches, ...features.flatMap((feature) => feature.searches ?? [])];

interface FoundState {
  readonly groups: readonly Group[];
  readonly busy: boolean;
  /** Record types whose search failed. */
  readonly failed: readonly string[];
}

const nothing: FoundState = { groups: [], busy: false, failed: [] };

/** Runs all searches in parallel. The next keystroke cancels them. */
function useFound(text: string): FoundState {
  const [state, setState] = useState(nothing);
  useEffect(() => {
    const searches = searchesFor(text, allSearches);
    if (searches.length === 0) return setState(nothing);
    const stop = new AbortController();
    const begin = setTimeout(async () => {
      setState({ ...nothing, busy: true });
      await Promise.all(
        searches.map(async ({ title, load }) => {
          try {
            const groups = foundEntries(title, await (await load())(text.trim(), stop.signal));
            if (!stop.signal.aborted) setState((before) => ({ ...before, groups: [...before.groups, ...groups] }));
          } catch {
            // The palette names the searches that failed.
            if (!stop.signal.aborted) setState((before) => ({ ...before, failed: [...before.failed, title] }));
          }
        }),
      );
      if (!stop.signal.aborted) setState((before) => ({ ...before, busy: false }));
    }, restMs);
    return () => {
      clearTimeout(begin);
      stop.abort();
    };
  }, [text]);
  return state;
}
