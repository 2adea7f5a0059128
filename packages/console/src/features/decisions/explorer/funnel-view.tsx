import { type FunnelStep, shareOf } from '@arbiter/contract/explanation/stages';
import { reasonText, stageName } from '@arbiter/contract/explanation/texts';
import { ChevronRight } from 'lucide-react';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { ChartFrame } from '../../../ui/charts/frame.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFormat } from '../../../ui/provider.tsx';

export interface FunnelViewProps {
  readonly steps: readonly FunnelStep[];
  /** Key of the selected step; null for all offers. */
  readonly selected: string | null;
  readonly onSelect: (key: string | null) => void;
  /** Address of this page with a step selected. */
  readonly addressOf: (key: string) => string;
}

/** The funnel from candidates to result. Selecting a step filters the list below. */
export function FunnelView({ steps, selected, onSelect, addressOf }: FunnelViewProps) {
  const format = useFormat();
  const why = ({ reasons }: FunnelStep) => reasons.map(({ reason }) => reasonText(reason).title).join(', ');
  const table = {
    head: [t.funnelColumns.step, t.funnelColumns.passed, t.funnelColumns.left, t.funnelColumns.why],
    rows: steps.map((step) => ({
      key: step.key,
      cells: [stageName(step.stage), format.number(step.count), format.number(step.left), why(step)],
      values: [stageName(step.stage), step.count, step.left, why(step)],
      drill: step.left > 0 ? { to: addressOf(step.key) } : { reason: t.funnelNoneLeft },
    })),
  };
  const summary = t.funnelSummary(
    format.number(steps[0]?.count ?? 0),
    steps.filter(({ left }) => left > 0).map(({ stage, left }) => t.funnelLeft(format.number(left), stageName(stage))),
    format.number(steps.at(-1)?.count ?? 0),
  );
  return (
    <ChartFrame title={t.funnel} summary={summary} table={table} bare>
      {() => <Steps steps={steps} selected={selected} onSelect={onSelect} />}
    </ChartFrame>
  );
}

function Steps({ steps, selected, onSelect }: Omit<FunnelViewProps, 'addressOf'>) {
  return (
    <ol className="@container flex flex-wrap gap-x-1 gap-y-3 max-sm:gap-y-0 lg:flex-nowrap">
      {steps.map((step, at) => (
        <li key={step.key} className="flex min-w-24 flex-1 items-stretch gap-1 max-sm:basis-full">
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
      <span className="flex items-end text-caption text-soft lg:max-xl:min-h-8">{name}</span>
      <span className="text-section font-semibold max-sm:col-start-3 max-sm:text-end">{format.number(step.count)}</span>
      <span aria-hidden className="h-2 w-full rounded-control bg-sunken max-sm:col-start-2 max-sm:row-start-1">
        <span
          data-mark
          className={cx('block h-full rounded-control', step.stage === 'shown' ? 'bg-pass' : 'bg-chart-1')}
          style={{ width: `${step.count === 0 ? 0 : Math.max(3, share * 100)}%` }}
        />
      </span>
      <span
        className={cx(
          'text-caption max-sm:col-span-2 max-sm:col-start-2 max-sm:@max-[11rem]:col-span-3 max-sm:@max-[11rem]:col-start-1',
          step.left > 0 ? 'text-block' : step.skipped ? 'text-faint' : 'text-faint max-sm:hidden',
        )}
      >
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
  // Side by side on wide screens; otherwise, one line each with name, bar, number and drops.
  const box =
    'flex min-w-0 flex-1 flex-col gap-0.5 rounded-control border px-2 py-1 text-start max-sm:grid max-sm:grid-cols-[minmax(0,6.25rem)_minmax(0,1fr)_minmax(min-content,2rem)] max-sm:items-center max-sm:gap-x-2 max-sm:py-0.5';
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
