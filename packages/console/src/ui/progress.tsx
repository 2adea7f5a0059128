import { LoaderCircle } from 'lucide-react';
import { cx } from './cx.ts';

/** Something is running, without known progress. */
export function Spinner({ label }: { readonly label: string }) {
  return (
    <span className="inline-flex items-center gap-2 text-dense text-soft" role="status">
      <LoaderCircle aria-hidden className="size-4 animate-turn" />
      {label}
    </span>
  );
}

/** Placeholder of a text that is loading; invisible for the first 200 ms. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span aria-hidden className={cx('block animate-skeleton rounded-control bg-sunken', className ?? 'h-4 w-full')} />
  );
}

export interface ProgressProps {
  /** 0 to 1. */
  readonly share: number;
  readonly label: string;
}

/** Progress of a job. */
export function Progress({ share, label }: ProgressProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-1.5 w-full overflow-hidden rounded-control bg-sunken"
    >
      <div data-mark className="h-full bg-accent transition-[width] duration-100" style={{ width: `${percent}%` }} />
    </div>
  );
}
