import { recommendOperations } from '@arbiter/contract/deciding/recommendation';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { DecideForm } from '../first-steps.tsx';
import { Outcome } from '../outcome.tsx';
import { useFirstDecision } from '../use-first-decision.ts';
import { Why } from '../why.tsx';

/** Makes the first decision, recorded so that it can be opened, and shows why its first offer won. */
export function DecisionStep() {
  const decision = useFirstDecision({ isFirst: true });
  const { answers, failure, repeat } = decision;
  const [answer] = answers;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        <DecideForm decision={decision} />
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={recommendOperations.recommend} retry={() => void repeat()} />
        )}
        {answer === undefined ? null : <Outcome answer={answer} />}
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        <Why answer={answer ?? null} />
      </div>
    </div>
  );
}
