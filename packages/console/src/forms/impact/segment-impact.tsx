import { type SimulateRequest, type Simulation, simulationOperations } from '@arbiter/contract/deciding/simulations';
import { type ReactNode, useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { impactTexts as t } from '../../messages/outlook/impact.ts';
import { Button } from '../../ui/button.tsx';
import { type Pick, PickField } from '../../ui/pick-field.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Progress } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { sameValue } from '../editing/changes.ts';
import { useReferences } from '../editing/inputs/references.ts';
import { FailurePanel } from '../failure-panel.tsx';
import { ImpactFigures, type ImpactSides } from './impact-figures.tsx';
import { useSimulation } from './use-simulation.ts';

/** Customers in the simulation. */
const sampleSize = 1000;

/** What to simulate, without the customers. */
export type ImpactQuestion = Omit<SimulateRequest, 'customerId' | 'segmentId' | 'sampleSize' | 'async'>;

export interface SegmentImpactProps {
  readonly question: ImpactQuestion;
  /** Why nothing can be simulated now; null: it can. */
  readonly blocked: string | null;
  /** What the question depends on besides its values: the version of a draft. */
  readonly mark?: unknown;
  /** Shown when the question changed since the simulation. */
  readonly outdated: string;
  readonly sides: ImpactSides;
  /** Shown above the figures. */
  readonly children?: (simulation: Simulation) => ReactNode;
}

/** Simulates over a segment of choice, with progress and a stop, and shows what changes for its customers. */
export function SegmentImpact({ question, blocked, mark, outdated, sides, children }: SegmentImpactProps) {
  const [segment, setSegment] = useState<Pick | null>(null);
  const [started, setStarted] = useState<{ readonly id: string; readonly of: unknown } | null>(null);
  const { find } = useReferences('segment', undefined);
  const start = useMutate(simulationOperations.run);
  const stop = useMutate(simulationOperations.cancel);
  const answer = useSimulation(started?.id ?? null);
  const simulation = answer.data;
  const isRunning = started !== null && (simulation === undefined || simulation.status === 'running');
  const current = [question, mark];
  const run = async () => {
    if (segment === null) return;
    const startedRun = await start.run({ body: { ...question, segmentId: segment.value, sampleSize, async: true } });
    if (startedRun !== null && 'id' in startedRun) setStarted({ id: startedRun.id, of: current });
  };
  const failure = start.failure ?? answer.failure;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2">
        <PickField
          label={t.segment}
          className="w-64 max-sm:w-full"
          placeholder={t.chooseSegment}
          shown={segment?.label ?? ''}
          find={find}
          onPick={setSegment}
        />
        <Button
          busy={start.busy || isRunning}
          disabledReason={blocked ?? (segment === null ? t.chooseSegment : null)}
          onClick={() => void run()}
        >
          {simulation === undefined ? t.simulate : t.again}
        </Button>
        {isRunning && started !== null ? (
          <Button
            kind="quiet"
            busy={stop.busy}
            onClick={() => void stop.done({ params: { id: started.id }, body: {} })}
          >
            {t.stop}
          </Button>
        ) : null}
      </div>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={simulationOperations.run} retry={() => void run()} />
      )}
      <div role="status" className="flex flex-col gap-3">
        {simulation === undefined ? null : (
          <Outcome simulation={simulation} sides={sides} lead={children?.(simulation) ?? null} />
        )}
        {simulation !== undefined && !sameValue(started?.of, current) ? <p className="text-warn">{outdated}</p> : null}
      </div>
    </div>
  );
}

interface OutcomeProps {
  readonly simulation: Simulation;
  readonly sides: ImpactSides;
  readonly lead: ReactNode;
}

function Outcome({ simulation, sides, lead }: OutcomeProps) {
  const format = useFormat();
  const { status, error, progress } = simulation;
  if (status === 'failed') return <ProblemPanel tone="warn" title={t.errors[error ?? 'internal']} />;
  if (status === 'completed') {
    return (
      <>
        {lead}
        <ImpactFigures simulation={simulation} sides={sides} />
      </>
    );
  }
  const text =
    progress.total === 0 ? t.starting : t.sampled(format.number(progress.sampled), format.number(progress.total));
  return (
    <div className="flex max-w-96 flex-col gap-1">
      <Progress share={progress.total === 0 ? 0 : progress.sampled / progress.total} label={text} />
      <p className="text-caption text-soft">{text}</p>
    </div>
  );
}
