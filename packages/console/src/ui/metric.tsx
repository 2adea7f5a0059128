import { ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import type { Drill } from './drill.ts';
import { Link } from './link.tsx';

export interface MetricProps {
  readonly label: string;
  /** The formatted number: "1,204", "3.1 ms". */
  readonly value: ReactNode;
  readonly unit?: string | undefined;
  /** The decisions behind it, or why they can't be listed. */
  readonly drill: Drill;
  /** What it is compared with: "+8% from the previous week". */
  readonly note?: ReactNode;
  readonly tone?: 'neutral' | 'pass' | 'warn' | 'block';
  /** `small` for strips of many. */
  readonly size?: 'small' | 'normal';
}

const tones = { neutral: 'text-ink', pass: 'text-pass', warn: 'text-warn', block: 'text-block' };

/** A number with a link to its data. */
export function Metric({ label, value, unit, drill, note, tone = 'neutral', size = 'normal' }: MetricProps) {
  const number = (
    <span
      className={cx('font-semibold tracking-tight', size === 'small' ? 'text-section' : 'text-figure', tones[tone])}
    >
      {value}
      {unit ? <span className="ms-1 text-dense font-normal tracking-normal text-soft">{unit}</span> : null}
    </span>
  );
  return (
    <div className="flex min-w-0 flex-col">
      <span className="text-caption text-soft">{label}</span>
      {'to' in drill ? (
        <Link
          to={drill.to}
          look="plain"
          className="group -mx-1 flex w-fit items-baseline gap-1 rounded-control px-1 hover:bg-hover"
        >
          {number}
          <span className="hidden-text">{drill.label ?? `${label}: open what is behind it`}</span>
          <ArrowUpRight aria-hidden className="size-3.5 shrink-0 self-center text-accent-ink" />
        </Link>
      ) : (
        <>
          {number}
          <span className={drill.isCaptioned ? 'hidden-text' : 'text-caption text-faint'}>{drill.reason}</span>
        </>
      )}
      {note ? <span className="text-caption text-soft">{note}</span> : null}
    </div>
  );
}
