import type { DecisionFlow } from '@arbiter/contract/catalogue/decision-flows';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import type { FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { flowEditorTexts } from '../../../messages/flows/flow-editor.ts';
import { flowTrialTexts as t } from '../../../messages/flows/flow-trials.ts';
import { later } from '../../../ui/later.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import type { FlowSearch } from '../flow-search.ts';
import type { FlowWorkProps } from '../flow-work.tsx';
import { RunBar } from '../run-bar.tsx';
import { RunOutcome } from '../run-outcome.tsx';
import { useDraftRun } from './use-draft-run.ts';
import { usePopulation } from './use-population.ts';

/** Separate chunks: most edits are tried with one customer. */
const PopulationBar = later(() => import('./population-bar.tsx').then((module) => module.PopulationBar));
const PinnedCustomers = later(() => import('./pinned-customers.tsx').then((module) => module.PinnedCustomers));

const modes = ['customer', 'segment', 'pinned'] as const;

/** Tries the unsaved draft with a customer or a segment, as the address says. */
export function useDraftTrials(flowId: string, config: FlowConfig, search: FlowSearch, isSound: boolean) {
  const { customer, segment, channel } = search;
  const mode = modes.find((each) => each === search.trial) ?? 'customer';
  const one = { customer: mode === 'customer' ? customer : undefined, channel };
  const many = { segment: mode === 'segment' ? segment : undefined, channel };
  const draft = useDraftRun(flowId, config, one, isSound);
  const population = usePopulation(flowId, config, many, isSound);
  return { mode, draft, population, isSound, run: mode === 'segment' ? population.run : draft.run };
}

export interface DraftTrialsProps {
  readonly flow: DecisionFlow;
  readonly config: FlowConfig;
  readonly search: FlowSearch;
  readonly trials: ReturnType<typeof useDraftTrials>;
  readonly onChange: FlowWorkProps['onChange'];
}

/** What the draft is tried with, and the result. The nodes show the counts. */
export function DraftTrials({ flow, config, search, trials, onChange }: DraftTrialsProps) {
  const { mode, draft, population, isSound } = trials;
  return (
    <section aria-label={t.title} className="flex min-w-0 grow flex-col items-start gap-2">
      <Segmented
        label={t.title}
        options={modes.map((key) => ({ key, label: t.with[key] }))}
        value={mode}
        onChange={(next) => onChange({ trial: next === 'customer' ? undefined : next })}
      />
      {mode === 'customer' ? (
        <RunBar
          customer={search.customer}
          channel={search.channel}
          busy={draft.simulation.loading}
          onRun={(customer, channel) => {
            onChange({ customer, channel });
            draft.runNow();
          }}
        />
      ) : mode === 'segment' ? (
        <PopulationBar
          segment={search.segment}
          {...{ population, isSound }}
          onPick={(segment) => onChange({ segment })}
        />
      ) : (
        <PinnedCustomers channel={search.channel} {...{ flow, config, isSound }} />
      )}
      {mode === 'customer' ? <CustomerResult customer={search.customer} draft={draft} /> : null}
    </section>
  );
}

interface CustomerResultProps {
  readonly customer: string | undefined;
  readonly draft: ReturnType<typeof useDraftRun>;
}

function CustomerResult({ customer, draft }: CustomerResultProps) {
  return (
    <>
      {draft.simulation.failure === null ? null : (
        <FailurePanel failure={draft.simulation.failure} operation={simulationOperations.run} retry={draft.runNow} />
      )}
      {draft.run === null || customer === undefined ? null : (
        <div className={draft.isOld && !draft.isManual ? 'opacity-60' : ''}>
          <RunOutcome run={draft.run} customer={customer} decision={undefined} />
        </div>
      )}
      {draft.isManual ? <p className="text-dense text-warn">{flowEditorTexts.manualRun}</p> : null}
    </>
  );
}
