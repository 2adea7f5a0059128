import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useWidth } from './use-width.ts';

export interface Tab {
  readonly key: string;
  readonly label: string;
  /** Count shown after the label. */
  readonly count?: number | undefined;
  readonly icon?: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps {
  /** What the tabs are for, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The open tab, from the address. */
  readonly value: string;
  readonly onChange: (key: string) => void;
}

/** Tabs. Arrows move between them; the open one belongs in the address. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const width = useWidth(list);
  // If the tabs don't fit, scroll to the open one. Counts load later and make tabs wider.
  const names = tabs.map(({ label: name, count }) => `${name} ${count ?? ''}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is open, or stands elsewhere.
  useLayoutEffect(() => {
    const { current } = list;
    const open = current?.querySelector<HTMLElement>('[data-state="active"]');
    if (current && open) current.scrollLeft = open.offsetLeft - (current.clientWidth - open.offsetWidth) / 2;
  }, [value, names, width]);
  return (
    <Radix.Root value={value} onValueChange={onChange} activationMode="manual" className="flex min-w-0 flex-col">
      <Radix.List
        ref={list}
        aria-label={label}
        className="relative flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:thin]"
      >
        {tabs.map(({ key, label: name, count, icon }) => (
          <Radix.Trigger
            key={key}
            value={key}
            className="-mb-px flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-body font-medium text-soft -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {icon}
            {name}
            {count === undefined ? null : (
              <span className="rounded-control bg-sunken px-1 text-caption font-normal text-soft">{count}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ key, content }) => (
        <Radix.Content key={key} value={key} className="min-w-0 pt-4 outline-offset-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
