import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { useLinks } from '../link.tsx';

export type MenuItem =
  | {
      readonly label: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string;
      /** Shown below its label. */
      readonly detail?: string | undefined;
      /** Why it can't be selected, shown below its label. */
      readonly disabledReason?: string | null | undefined;
      readonly danger?: boolean;
      /** The selected option. */
      readonly checked?: boolean;
      /** What it does, or the address it opens. */
      readonly act: (() => void) | { readonly to: string };
    }
  | { readonly heading: string }
  | 'line';

export interface MenuProps {
  /** A button; its name says what the menu is about. */
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  /** Lets something else open it too, such as a key. */
  readonly open?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  /** Called when it closes. Returns whether the focus goes somewhere other than the trigger. */
  readonly movesFocus?: () => boolean;
}

const itemClass =
  'flex min-h-8 w-full items-center gap-2 rounded-control px-2 py-1 text-start text-body outline-none data-highlighted:bg-hover';

/** A list of acts under a button: arrows, first letters, Escape. */
export function Menu({ trigger, items, align = 'end', open, onOpenChange, movesFocus }: MenuProps) {
  const links = useLinks();
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (movesFocus?.() === true) event.preventDefault();
          }}
          className="z-50 max-h-[min(70dvh,var(--radix-dropdown-menu-content-available-height))] max-w-80 min-w-44 animate-appear overflow-y-auto rounded-card border border-line bg-raised p-1 shadow-overlay"
        >
          {items.map((item, index) => {
            if (item === 'line') {
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and menus are short
              return <DropdownMenu.Separator key={`line ${index}`} className="my-1 h-px bg-line" />;
            }
            if ('heading' in item) {
              return (
                <DropdownMenu.Label key={item.heading} className="px-2 py-1 text-caption text-faint">
                  {item.heading}
                </DropdownMenu.Label>
              );
            }
            const { label, icon, shortcut, detail, disabledReason, danger, checked, act } = item;
            const note = disabledReason || detail;
            const inside = (
              <>
                {icon ? (
                  <span aria-hidden className="shrink-0 [&>svg]:size-4">
                    {icon}
                  </span>
                ) : null}
                <span className="min-w-0 flex-1">
                  {label}
                  {note ? <span className="block text-caption text-faint">{note}</span> : null}
                </span>
                {checked ? <span aria-hidden>✓</span> : null}
                {shortcut ? <kbd className="text-caption text-faint">{shortcut}</kbd> : null}
              </>
            );
            const look = cx(itemClass, danger ? 'text-block' : disabledReason ? 'text-faint' : 'text-ink');
            // A disabled item stays reachable, so that its reason can be heard.
            const select = (event: Event) => {
              if (disabledReason) event.preventDefault();
              else if (typeof act === 'function') act();
              else links.go(act.to);
            };
            return (
              <DropdownMenu.Item
                key={label}
                textValue={label}
                aria-disabled={disabledReason ? true : undefined}
                aria-current={checked ? true : undefined}
                className={look}
                onSelect={select}
              >
                {inside}
              </DropdownMenu.Item>
            );
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
