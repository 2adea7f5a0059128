import { Check, ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { setBoot } from '../../../data/boot.ts';
import { fetchBoot } from '../../../data/fetch-boot.ts';
import { homeTexts } from '../../../messages/home.ts';
import { startTexts as t } from '../../../messages/start.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { cx } from '../../../ui/cx.ts';
import { later } from '../../../ui/later.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { loadFileImport } from '../../schemas/index.ts';
import { SampleData } from '../sample-data.tsx';
import { CreativeStep } from './creative-step.tsx';
import { DecisionStep } from './decision-step.tsx';
import { FlowStep } from './flow-step.tsx';
import { LimitStep } from './limit-step.tsx';
import { OfferStep } from './offer-step.tsx';
import { canDecide, isDone, nextStep, type StartState, type StartStep, startSteps } from './start-state.ts';

const FileImport = later(loadFileImport);

export interface StartListProps {
  readonly state: StartState;
  /** Called when a sample company was loaded instead. */
  readonly onSample: () => void;
}

/** The checklist from an empty tenant to a decision. The next pending step is open. */
export function StartList({ state, onSample }: StartListProps) {
  const [chosen, setChosen] = useState<StartStep | null>(null);
  const next = nextStep(state) ?? 'decision';
  const open = chosen ?? next;
  const isFirst = useRef(true);
  const list = useRef<HTMLOListElement>(null);
  // The finished step closes, and the focused control with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is next.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else {
      setChosen(null);
      list.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
    }
  }, [next]);
  const done = startSteps.filter((step) => isDone(state, step)).length;
  return (
    <Section title={t.title} flush about={<Badge tone="info">{t.progress(done, startSteps.length)}</Badge>}>
      <p className="px-4 pt-3 text-soft">{t.lead}</p>
      <ol ref={list} className="divide-y divide-line">
        {startSteps.map((step, at) => (
          <Step
            key={step}
            {...{
              step,
              number: at + 1,
              isOpen: step === open,
              done: isDone(state, step) ? doneText(state, step) : null,
            }}
            onOpen={() => setChosen(step)}
          >
            <StepContent step={step} state={state} onSample={onSample} />
          </Step>
        ))}
      </ol>
    </Section>
  );
}

interface StepProps {
  readonly step: StartStep;
  readonly number: number;
  readonly isOpen: boolean;
  /** What the step created; null while it's pending. */
  readonly done: string | null;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

function Step({ step, number, isOpen, done, onOpen, children }: StepProps) {
  const title = t.steps[step];
  return (
    <li>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onOpen}
          className="flex min-h-11 w-full items-center gap-2.5 px-4 py-2 text-start font-medium hover:bg-hover"
        >
          <span
            className={cx(
              'inline-flex size-6 shrink-0 items-center justify-center rounded-full text-caption',
              done === null ? 'bg-sunken text-soft' : 'bg-pass-soft text-pass',
            )}
          >
            {done === null ? number : <Check aria-hidden className="size-3.5" strokeWidth={2.5} />}
            <span className="hidden-text">{done === null ? homeTexts.step(number) : homeTexts.done}</span>
          </span>
          <span className="min-w-0 grow break-words">
            {title}
            {done === null ? null : <span className="block text-dense font-normal text-soft">{done}</span>}
          </span>
          <ChevronRight aria-hidden className={cx('size-4 shrink-0 text-faint', isOpen && 'rotate-90')} />
        </button>
      </h3>
      {isOpen ? <div className="px-4 pt-1 pb-4 sm:ps-12.5">{children}</div> : null}
    </li>
  );
}

function doneText(state: StartState, step: StartStep): string {
  if (step === 'decision') return t.done.decision;
  if (step === 'customers') return t.done.customers(state.customers?.displayName ?? '');
  return t.done[step](state[step]?.name ?? '');
}

function StepContent({ step, state, onSample }: StartListProps & { readonly step: StartStep }) {
  switch (step) {
    case 'customers':
      return <Customers state={state} onSample={onSample} />;
    case 'offer':
      return <OfferStep />;
    case 'creative':
      return state.offer === null ? (
        <p className="text-soft">{t.waitsFor(t.steps.offer)}</p>
      ) : (
        <CreativeStep offer={state.offer} />
      );
    case 'limit':
      return <LimitStep />;
    case 'flow':
      return state.flow === null ? <FlowStep /> : <Link to={addresses.flow(state.flow.id)}>{t.openFlow}</Link>;
    case 'decision':
      return canDecide(state) ? <DecisionStep /> : <p className="text-soft">{t.waitsFor(firstMissing(state))}</p>;
  }
}

/** Returns the step that decisions wait for. */
const firstMissing = (state: StartState): string =>
  t.steps[(['customers', 'offer', 'creative', 'flow'] as const).find((step) => !isDone(state, step)) ?? 'flow'];

function Customers({ state: { customers }, onSample }: StartListProps) {
  if (customers !== null) {
    return (
      <div className="flex flex-col gap-2">
        {customers.autoEnrich ? null : <p className="text-warn">{t.notRead}</p>}
        <Link to={addresses.schema(customers.id)}>{t.openSchema}</Link>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <FileImport onDone={() => void fetchBoot().then(setBoot)} />
      <SampleData onLoaded={onSample} />
    </div>
  );
}
