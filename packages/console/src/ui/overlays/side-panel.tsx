import { X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../button.tsx';
import { Section, type SectionProps } from '../page.tsx';
import { moveInto } from './move-into.ts';

export interface SidePanelProps extends Omit<SectionProps, 'flush'> {
  /** What is shown: another one replaces it. */
  readonly of: string;
  /** Name of the button that closes it. */
  readonly closes: string;
  readonly onClose: () => void;
}

/**
 * A preview of one row next to its list, or below it on narrow screens, where the page scrolls to it. The focus stays in the
 * list, so that the arrow keys move to the next row.
 */
export function SidePanel({ of, closes, onClose, actions, children, ...section }: SidePanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row is checked again.
  useLayoutEffect(() => {
    moveInto(panel.current);
  }, [of]);
  // Whoever closes it continues in the list, which has the row that was checked.
  useLayoutEffect(() => {
    const element = panel.current;
    return () => {
      if (element?.contains(document.activeElement))
        element.parentElement?.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div ref={panel} className="min-w-0 scroll-mt-2">
      <Section
        {...section}
        actions={
          <>
            {actions}
            <Button
              kind="quiet"
              size="small"
              aria-label={closes}
              icon={<X aria-hidden className="size-4" />}
              onClick={onClose}
            />
          </>
        }
      >
        {children}
      </Section>
    </div>
  );
}
