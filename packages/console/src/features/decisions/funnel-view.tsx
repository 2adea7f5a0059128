import { ChevronRight } from 'lucide-react';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { cx } from '../../ui/cx.ts';
import { useFormat } from '../../ui/provider.tsx';
import { reasonText, stageName } from './drops.ts';
import { type FunnelStep, shareOf } from './funnel.ts';

export interface FunnelViewProps {
  readonly steps: readonly FunnelStep[];
  /** Key of the step whose leavers are shown; null: all offers. */
  readonly selected: string | null;
  readonly onSelect: (key: string | null) => void;
}

/** The way from all candidates to the answer. A step in which offers left shows those in the list below. */
export function FunnelView({ steps, selected, onSelect }: FunnelViewProps) {
  return (
    <ol className="flex flex-wrap gap-x-1 gap-y-3 lg:flex-nowrap">
      {steps.map((step, at) => (
        <li key={step.key} className="flex min-w-24 flex-1 items-stretch gap-1">
          <Step
            step={step}
            share={shareOf(step, steps)}
            isSelected={selected === step.key}
            onPress={() => onSelect(selected === step.key || step.left === 0 ? null : step.key)}
          />
          {at === steps.length - 1 ? null : (
            <ChevronRight aria-hidden className="mt-1 size-4 shrink-0 text-faint max-lg:hidden" />
          )}
        </li>
      ))}
    </ol>
  );
}

interface StepProps {
  readonly step: FunnelStep;
  readonly share: number;
  readonly isSelected: boolean;
  readonly onPress: () => void;
}

function Step({ step, share, isSelected, onPress }: StepProps) {
  const format = useFormat();
  const name = stageName(step.stage);
  const isEnd = step.stage === 'all' || step.stage === 'shown';
  const inside = (
    <>
      <span className="text-caption text-soft">{name}</span>
      <span className="text-section font-semibold">{format.number(step.count)}</span>
      <span aria-hidden className="h-2 w-full rounded-control bg-sunken">
        <span
          data-mark
          className={cx('block h-full rounded-control', step.stage === 'shown' ? 'bg-pass' : 'bg-chart-1')}
          style={{ width: `${step.count === 0 ? 0 : Math.max(3, share * 100)}%` }}
        />
      </span>
      <span className={cx('text-caption', step.left > 0 ? 'text-block' : 'text-faint')}>
        {isEnd ? ' ' : step.skipped ? t.skipped : step.left > 0 ? `−${format.number(step.left)}` : '±0'}
        {step.left > 0 ? (
          <span className="text-soft">
            {' '}
            {step.reasons.map(({ reason }) => reasonText(reason).title.toLowerCase()).join(', ')}
          </span>
        ) : null}
      </span>
    </>
  );
  const box = 'flex min-w-0 flex-1 flex-col gap-0.5 rounded-control border px-2 py-1 text-start';
  if (step.left === 0) return <div className={cx(box, 'border-transparent')}>{inside}</div>;
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={onPress}
      className={cx(box, isSelected ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover')}
    >
      {inside}
      <span className="hidden-text">{t.stepFilter(name, step.left)}</span>
    </button>
  );
}
