import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { homeTexts as t } from '../../messages/home.ts';
import { cx } from '../../ui/cx.ts';

export interface FirstStepProps {
  /** Left out for a section without a task. */
  readonly number?: number;
  readonly title: string;
  readonly done?: boolean;
  readonly children: ReactNode;
}

/** One of the first steps. */
export function Step({ number, title, done = false, children }: FirstStepProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3 rounded-card border border-line bg-surface p-4">
      <h2 className="flex items-center gap-2.5 text-section font-semibold">
        {number === undefined ? null : (
          <span
            className={cx(
              'inline-flex size-6 shrink-0 items-center justify-center rounded-full text-caption',
              done ? 'bg-pass-soft text-pass' : 'bg-sunken text-soft',
            )}
          >
            {done ? <Check aria-hidden className="size-3.5" strokeWidth={2.5} /> : number}
            <span className="hidden-text">{done ? t.done : t.step(number)}</span>
          </span>
        )}
        {title}
      </h2>
      {children}
    </section>
  );
}
