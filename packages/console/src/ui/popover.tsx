import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface PopoverProps {
  /** A button; its name says what opens. */
  readonly trigger: ReactNode;
  /** Name of what opens, for those who hear the page. */
  readonly label: string;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly onOpenChange?: (open: boolean) => void;
}

/** A small panel under a button. Escape and a press beside it close it; focus returns to the button. */
export function Popover({ trigger, label, children, align = 'end', onOpenChange }: PopoverProps) {
  return (
    <Radix.Root {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          aria-label={label}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[70dvh] w-90 max-w-[calc(100vw-1rem)] animate-appear overflow-y-auto rounded-card border border-line bg-raised p-3 shadow-overlay"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
