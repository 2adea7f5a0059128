import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface TooltipProps {
  readonly text: ReactNode;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  /** One focusable element. */
  readonly children: ReactNode;
}

/** A short text for the focused or hovered element. Never the only place for information. */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-80 animate-appear rounded-control bg-ink px-2 py-1 text-caption text-canvas shadow-overlay"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
