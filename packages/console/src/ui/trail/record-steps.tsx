import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { trailTexts as t } from '../../messages/decisions/trail.ts';
import { Link, useLinks } from '../link.tsx';
import { Tooltip } from '../overlays/tooltip.tsx';
import { stepsFrom } from './trail.ts';

/** Links to the previous and next record of the list that this one was opened from; the keys [ and ] do the same. */
export function RecordSteps() {
  const address = useLinks().here?.();
  const steps = useMemo(() => (address === undefined ? null : stepsFrom(address)), [address]);
  if (steps === null) return null;
  return (
    <nav aria-label={t.list(steps.label)} data-print="none" className="flex items-center gap-1 text-soft">
      <Step to={steps.previous} name={t.previous} keys="[" icon={ChevronLeft} />
      <span className="text-caption tabular-nums">{t.place(steps.place, steps.of)}</span>
      <Step to={steps.next} name={t.next} keys="]" icon={ChevronRight} />
    </nav>
  );
}

interface RecordStepProps {
  readonly to: string | null;
  readonly name: string;
  readonly keys: string;
  readonly icon: typeof ChevronLeft;
}

function Step({ to, name, keys, icon: Icon }: RecordStepProps) {
  const look = 'flex size-6 items-center justify-center rounded-control';
  const mark = <Icon aria-hidden className="size-4" />;
  if (to === null) return <span className={`${look} text-faint opacity-50`}>{mark}</span>;
  return (
    <Tooltip text={`${name} (${keys})`}>
      <Link look="plain" to={to} aria-label={name} aria-keyshortcuts={keys} className={`${look} hover:bg-hover`}>
        {mark}
      </Link>
    </Tooltip>
  );
}
