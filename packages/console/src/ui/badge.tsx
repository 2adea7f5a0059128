import { Ban, CircleCheck, Info, type LucideIcon, PencilLine, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** pass: went through; block: left by a rule; warn: look here; draft: not live; info: a fact; neutral: nothing to say. */
export type Tone = 'pass' | 'block' | 'warn' | 'info' | 'draft' | 'neutral';

export const toneIcons: Record<Tone, LucideIcon | null> = {
  pass: CircleCheck,
  block: Ban,
  warn: TriangleAlert,
  info: Info,
  draft: PencilLine,
  neutral: null,
};

export const toneText: Record<Tone, string> = {
  pass: 'text-pass',
  block: 'text-block',
  warn: 'text-warn',
  info: 'text-info',
  draft: 'text-draft',
  neutral: 'text-soft',
};

export const toneSoft: Record<Tone, string> = {
  pass: 'bg-pass-soft',
  block: 'bg-block-soft',
  warn: 'bg-warn-soft',
  info: 'bg-info-soft',
  draft: 'bg-draft-soft',
  neutral: 'bg-sunken',
};

export interface BadgeProps {
  readonly tone: Tone;
  /** Another icon than the tone's, or none. */
  readonly icon?: ReactNode | null;
  readonly children: ReactNode;
}

/** A status: icon, word and color, so that the color alone never carries the meaning. */
export function Badge({ tone, icon, children }: BadgeProps) {
  const Icon = toneIcons[tone];
  return (
    <span
      className={cx(
        'inline-flex h-5 max-w-full items-center align-middle gap-1 rounded-control px-1.5 text-caption font-medium whitespace-nowrap',
        toneText[tone],
        toneSoft[tone],
      )}
    >
      {icon === undefined ? Icon && <Icon aria-hidden className="size-3 shrink-0" strokeWidth={2} /> : icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
