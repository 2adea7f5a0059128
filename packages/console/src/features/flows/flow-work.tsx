import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useMemo } from 'react';
import { type NodeProblem, readFlow } from '../../flow-canvas/index.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { Badge } from '../../ui/badge.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { FlowNodes } from './flow-nodes.tsx';
import type { FlowChange, FlowSearch } from './flow-search.ts';
import { RunBar } from './run-bar.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { useConfig, versionOf } from './shown-config.ts';
import { useProblems, useRun } from './use-run.ts';

export interface FlowWorkProps {
  readonly flow: DecisionFlow;
  readonly search: FlowSearch;
  readonly onChange: (change: FlowChange, how?: { readonly push: boolean }) => void;
}

const noProblems: readonly NodeProblem[] = [];

/** The nodes of a version: outline or canvas, the selected node, and what each does in a customer's decision. */
export function FlowWork({ flow, search, onChange }: FlowWorkProps) {
  const version = versionOf(flow, search.version);
  const { config, answer } = useConfig(flow, version);
  const shown = useMemo(() => readFlow(config), [config]);
  const check = useProblems(flow, version);
  const { run, simulation } = useRun(flow, version, search, check);
  const problems = check ?? noProblems;
  const general = problems.filter(({ nodeId }) => !shown.nodes.some(({ id }) => id === nodeId));
  const view = search.view === 'outline' ? 'outline' : 'canvas';
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        {flow.deletedAt === null ? (
          <RunBar
            customer={search.customer}
            channel={search.channel}
            busy={simulation.loading}
            onRun={(customer, channel) => onChange({ customer, channel, decision: undefined })}
          />
        ) : null}
        <ShownVersion {...{ flow, version, check, view, onChange }} />
      </div>
      {simulation.failure === null ? null : (
        <FailurePanel failure={simulation.failure} operation={simulationOperations.run} retry={simulation.refresh} />
      )}
      {answer?.failure ? (
        <FailurePanel failure={answer.failure} operation={decisionFlowOperations.versions} retry={answer.refresh} />
      ) : null}
      {run === null || search.customer === undefined ? null : (
        <RunOutcome run={run} customer={search.customer} decision={search.decision} />
      )}
      {general.length === 0 ? null : (
        <ProblemPanel
          tone={general.some(({ severity }) => severity === 'error') ? 'block' : 'warn'}
          title={t.problemCount(general.length)}
          details={general.map(({ nodeId, message }) => ({ label: nodeId ?? t.flow, message }))}
        />
      )}
      <FlowNodes
        flow={shown}
        canvasKey={`${flow.id} ${version}`}
        loading={answer?.loading === true}
        selected={search.node}
        {...{ view, run, problems, onChange }}
      />
    </div>
  );
}

interface ShownVersionProps extends Pick<FlowWorkProps, 'flow' | 'onChange'> {
  readonly version: 'draft' | number;
  /** Problems of the draft; null for published versions. */
  readonly check: readonly NodeProblem[] | null;
  readonly view: 'canvas' | 'outline';
}

/** Selects the version and its view, and shows whether a draft is valid. */
function ShownVersion({ flow, version, check, view, onChange }: ShownVersionProps) {
  const versions = flow.publishedVersions.map((one) => one.version).toReversed();
  const errors = check?.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        label={t.shown}
        className="w-32"
        options={[
          ...versions.map((number, at) => ({
            value: String(number),
            label: at === 0 ? t.liveVersion(number) : t.version(number),
          })),
          { value: 'draft', label: t.asDraft },
        ]}
        value={String(version)}
        onChange={(event) => onChange({ version: event.target.value, node: undefined, decision: undefined })}
      />
      {check === null ? null : (
        <span className="flex h-8 items-center">
          {errors === 0 ? <Badge tone="pass">{t.valid}</Badge> : <Badge tone="block">{t.problemCount(errors)}</Badge>}
        </span>
      )}
      <div className="max-md:hidden">
        <Segmented
          label={t.view}
          options={[
            { key: 'canvas', label: t.canvas },
            { key: 'outline', label: t.outline },
          ]}
          value={view}
          onChange={(next) => onChange({ view: next === 'canvas' ? undefined : next })}
        />
      </div>
    </div>
  );
}
