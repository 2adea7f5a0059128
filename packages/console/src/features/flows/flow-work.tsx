import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { ChevronLeft } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { FlowOutline, type NodeProblem, readFlow } from '../../flow-canvas/index.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { flowTexts as t } from '../../messages/flows.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useMedia, wideWindow } from '../../ui/use-media.ts';
import { useNamer } from './flow-names.ts';
import type { FlowChange, FlowSearch } from './flow-search.ts';
import { NodePanel } from './node-panel.tsx';
import { type FlowRun, readRun } from './run.ts';
import { RunBar } from './run-bar.tsx';
import { useConfig, versionOf } from './shown-config.ts';

/** The picture of a flow: a part of its own, with a library that no other screen needs. */
export const FlowCanvas = later(
  () => import('../../flow-canvas/canvas.tsx').then((module) => module.FlowCanvas),
  <Skeleton className="size-full" />,
);

export interface FlowWorkProps {
  readonly flow: DecisionFlow;
  readonly search: FlowSearch;
  readonly onChange: (change: FlowChange, how?: { readonly push: boolean }) => void;
}

/** The nodes of a version: outline, picture, the chosen node, and what a customer's decision does in each of them. */
export function FlowWork({ flow, search, onChange }: FlowWorkProps) {
  const version = versionOf(flow, search.version);
  const { config, answer } = useConfig(flow, version);
  const shown = useMemo(() => readFlow(config), [config]);
  const namer = useNamer(shown);
  const check = useProblems(flow, version);
  const { run, simulation } = useRun(flow, version, search, check);
  const problems = check ?? noProblems;
  // Either of the two is drawn, not both with one of them hidden: each may have hundreds of nodes.
  const isWide = useMedia(wideWindow);
  const general = problems.filter(({ nodeId }) => !shown.nodes.some(({ id }) => id === nodeId));
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const view = search.view === 'outline' ? 'outline' : 'canvas';
  const versions = flow.publishedVersions.map((one) => one.version).toReversed();
  const chosen = shown.nodes.find(({ id }) => id === search.node);
  // Where there is no room beside the list, the chosen node stands in its place, and the way back leads to the list.
  const isAlone = !isWide && chosen !== undefined;
  const place = useFocusOf(isWide ? null : (chosen?.id ?? ''));
  const select = useCallback((node: string) => onChange({ node }, { push: !isWide }), [onChange, isWide]);
  const common = {
    flow: shown,
    runs: run?.byNode ?? noRuns,
    problems,
    selected: search.node ?? null,
    onSelect: select,
    namer,
  };
  const panel = (
    <NodePanel
      node={chosen}
      run={run}
      problems={problems.filter(({ nodeId }) => nodeId === search.node)}
      namer={namer}
    />
  );
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
              {errors === 0 ? (
                <Badge tone="pass">{t.valid}</Badge>
              ) : (
                <Badge tone="block">{t.problemCount(errors)}</Badge>
              )}
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
      </div>
      {simulation.failure === null ? null : (
        <FailurePanel failure={simulation.failure} operation={simulationOperations.run} retry={simulation.refresh} />
      )}
      {answer?.failure ? (
        <FailurePanel failure={answer.failure} operation={decisionFlowOperations.versions} retry={answer.refresh} />
      ) : null}
      {run === null || search.customer === undefined ? null : (
        <Outcome run={run} customer={search.customer} decision={search.decision} />
      )}
      {general.length === 0 ? null : (
        <ProblemPanel
          tone={general.some(({ severity }) => severity === 'error') ? 'block' : 'warn'}
          title={t.problemCount(general.length)}
          details={general.map(({ nodeId, message }) => ({ label: nodeId ?? t.flow, message }))}
        />
      )}
      <div
        ref={place}
        className={`grid grid-cols-[minmax(0,1fr)] items-start gap-3 ${view === 'canvas' ? 'md:grid-cols-[minmax(0,1fr)_20rem]' : 'md:grid-cols-[minmax(16rem,24rem)_minmax(0,1fr)]'}`}
      >
        {view === 'canvas' && isWide ? (
          <div className="h-[34rem] overflow-hidden rounded-card border border-line bg-canvas">
            {answer?.loading ? null : <FlowCanvas key={`${flow.id} ${version}`} {...common} />}
          </div>
        ) : isAlone ? null : (
          <div className="rounded-card border border-line bg-surface p-2">
            {answer?.loading ? <Skeleton className="h-96 w-full" /> : <FlowOutline {...common} />}
          </div>
        )}
        <aside aria-label={t.node} className="rounded-card border border-line bg-surface md:sticky md:top-4">
          {isAlone ? (
            <Button
              kind="quiet"
              data-back
              className="m-2 mb-0"
              icon={<ChevronLeft aria-hidden className="size-4" />}
              onClick={() => onChange({ node: undefined })}
            >
              {t.allNodes}
            </Button>
          ) : null}
          {panel}
        </aside>
      </div>
    </div>
  );
}

/**
 * Where a node stands in place of the list, the focus goes with it: to the way back, and from there to the node in the list.
 * `chosen`: its id, empty without one, null where both have room.
 */
function useFocusOf(chosen: string | null) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(chosen);
  useEffect(() => {
    const left = before.current;
    before.current = chosen;
    if (left === chosen || left === null || chosen === null) return;
    const target = chosen === '' ? `[data-node="${CSS.escape(left)}"]` : '[data-back]';
    place.current?.querySelector<HTMLElement>(target)?.focus();
  }, [chosen]);
  return place;
}

const noRuns: FlowRun['byNode'] = new Map();
const noProblems: readonly NodeProblem[] = [];

/**
 * The decision for the chosen customer by the shown version, or a recorded one once more on its record; nothing is asked before
 * a customer is chosen.
 */
function useRun(
  flow: DecisionFlow,
  version: 'draft' | number,
  { customer, channel, decision }: FlowSearch,
  problems: readonly NodeProblem[] | null,
) {
  // A draft with errors can't decide: its errors are on the page already.
  const isSound = problems?.every(({ severity }) => severity !== 'error') ?? false;
  const canRun = decision !== undefined || version !== 'draft' || isSound;
  const simulation = useOperation(
    simulationOperations.run,
    {
      body:
        decision === undefined
          ? {
              customerId: customer ?? '',
              flowId: flow.id,
              version,
              ...(channel === undefined ? {} : { channelId: channel }),
            }
          : { customerId: customer ?? '', decisionId: decision },
    },
    { enabled: customer !== undefined && flow.deletedAt === null && canRun, keepPrevious: false },
  );
  const { data } = simulation;
  const run = useMemo(() => (data !== undefined && 'decisions' in data ? readRun(data) : null), [data]);
  return { run: customer === undefined ? null : run, simulation };
}

/** What the check of the draft finds, null before it is known; published versions were checked when they were published. */
function useProblems(flow: DecisionFlow, version: 'draft' | number): readonly NodeProblem[] | null {
  const input = useMemo(() => ({ body: { id: flow.id, draftConfig: flow.draftConfig } }), [flow]);
  const check = useOperation(decisionFlowOperations.validate, input, {
    enabled: version === 'draft' && flow.deletedAt === null,
  });
  const { data } = check;
  return useMemo(
    () =>
      version === 'draft' && data !== undefined
        ? [
            ...data.errors.map(({ nodeId, message }) => ({ nodeId, message, severity: 'error' as const })),
            ...data.warnings.map(({ nodeId, message }) => ({ nodeId, message, severity: 'warning' as const })),
          ]
        : null,
    [version, data],
  );
}

/** What the customer would see, and what happened between the nodes. */
function Outcome({
  run,
  customer,
  decision,
}: {
  readonly run: FlowRun;
  readonly customer: string;
  readonly decision: string | undefined;
}) {
  const format = useFormat();
  if (run.hint !== null) {
    return (
      <ProblemPanel tone="warn" title={t.result(run.shown.length)}>
        {run.hint}
      </ProblemPanel>
    );
  }
  const lost = run.between.filter(({ entered, passed }) => passed < entered);
  return (
    <p
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border border-line bg-surface px-4 py-2 text-dense"
      role="status"
    >
      <Badge tone={run.shown.length > 0 ? 'pass' : 'warn'}>{t.ran(customer)}</Badge>
      {decision === undefined ? null : <Link to={addresses.decision(decision)}>{t.onRecord}</Link>}
      <span className="text-soft">{t.result(run.shown.length)}</span>
      {run.shown.map(({ offerId, name, score }, at) => (
        <span key={offerId} className="inline-flex items-baseline gap-1">
          <span className="text-faint">#{at + 1}</span>
          <Link to={addresses.offer(offerId)}>{name}</Link>
          {score === null ? null : <span className="text-soft">{format.fixed(score, 3)}</span>}
        </span>
      ))}
      {lost.map(({ stage, entered, passed }) => (
        <span key={stage} className="text-block">
          {stage.replaceAll('_', ' ')} −{entered - passed}
        </span>
      ))}
    </p>
  );
}
