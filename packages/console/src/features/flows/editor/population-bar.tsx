import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useOperation } from '../../../data/use-operation.ts';
import { useReferences } from '../../../forms/editing/inputs/references.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { flowTrialTexts as t } from '../../../messages/flows/flow-trials.ts';
import { Button } from '../../../ui/button.tsx';
import { PickField } from '../../../ui/pick-field.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { usePopulation } from './use-population.ts';

export interface PopulationBarProps {
  readonly segment: string | undefined;
  readonly population: ReturnType<typeof usePopulation>;
  /** False: the draft has problems, so it can't decide. */
  readonly isSound: boolean;
  readonly onPick: (segment: string | undefined) => void;
}

/** Selects the segment whose customers the nodes count, and shows how many get an offer. */
export function PopulationBar({ segment, population, isSound, onPick }: PopulationBarProps) {
  const format = useFormat();
  const { find } = useReferences('segment', undefined);
  const segmentRecord = useOperation(
    segmentOperations.get,
    { params: { id: segment ?? '' } },
    { enabled: segment !== undefined },
  );
  const { simulation, failure, hasFailed, isRunning, isOld, countNow } = population;
  return (
    <div className="flex w-full flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <PickField
          label={t.segment}
          className="w-64 max-sm:w-full"
          placeholder={t.chooseSegment}
          shown={segment === undefined ? '' : (segmentRecord.data?.name ?? '')}
          find={find}
          onPick={(pick) => onPick(pick?.value)}
        />
        <Button
          busy={isRunning}
          disabledReason={segment === undefined ? t.chooseSegment : isSound ? null : t.unsound}
          onClick={countNow}
        >
          {t.count}
        </Button>
        {segment === undefined ? <p className="max-w-96 text-caption text-soft">{t.populationLead}</p> : null}
      </div>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={simulationOperations.run} retry={countNow} />
      )}
      {hasFailed ? <p className="text-dense text-warn">{t.countFailed}</p> : null}
      {simulation === null ? null : (
        <p role="status" className={isOld && failure === null ? 'text-dense opacity-60' : 'text-dense'}>
          {simulation.sampledCustomers === 0
            ? t.emptySegment
            : t.reached(
                format.number(simulation.customersWithOffers),
                format.number(simulation.sampledCustomers),
                format.number(simulation.reachableCustomers),
              )}
        </p>
      )}
    </div>
  );
}
