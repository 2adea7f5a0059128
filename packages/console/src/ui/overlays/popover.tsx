import { Popover as Radix } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';

export interface PopoverProps {
  /** A button; its name says what opens. */
  readonly trigger: ReactNode;
  /** Accessible name of the panel. */
  readonly label: string;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly onOpenChange?: (open: boolean) => void;
}

const panelClass =
  'z-50 max-h-[min(70dvh,var(--radix-popover-content-available-height))] w-90 max-w-[calc(100vw-1rem)] animate-appear overflow-y-auto rounded-card border border-line bg-raised p-3 shadow-overlay';

/** A small panel under a button. Escape and a click outside close it; focus returns to the button. */
export function Popover({ trigger, label, children, align = 'end', onOpenChange }: PopoverProps) {
  return (
    <Radix.Root {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} aria-label={label} sideOffset={4} collisionPadding={8} className={panelClass}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface PopoverByProps {
  /** The button above it, which gets the focus back. It is drawn elsewhere, and says whether this is open. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly label: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** The same for a panel that loads after its button; rendered while it's open. */
export function PopoverBy({ button, label, children, onClose }: PopoverByProps) {
  // The anchor is drawn as long as the panel is.
  const anchor = button as RefObject<HTMLButtonElement>;
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Anchor virtualRef={anchor} />
      <Radix.Portal>
        <Radix.Content
          align="end"
          aria-label={label}
          sideOffset={4}
          collisionPadding={8}
          className={panelClass}
          onOpenAutoFocus={(event) => {
            // To the first thing that can be changed, not to a button next to a heading.
            const { currentTarget: panel } = event;
            const first = panel instanceof HTMLElement ? panel.querySelector<HTMLElement>('input:enabled') : null;
            if (first === null) return;
            event.preventDefault();
            first.focus();
          }}
          onKeyDown={(event) => {
            // Even while a tooltip inside is open, which would otherwise take the first press.
            if (event.key === 'Escape' && !event.nativeEvent.isComposing) onClose();
          }}
          onInteractOutside={(event) => {
            // Pressing the button closes the popover anyway.
            if (event.target instanceof Node && button.current?.contains(event.target)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            button.current?.focus();
          }}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
