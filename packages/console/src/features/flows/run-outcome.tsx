import { flowTexts as t } from '../../messages/flows/flows.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { FlowRun } from './run.ts';

export interface RunOutcomeProps {
  readonly run: FlowRun;
  readonly customer: string;
  /** The recorded decision that was replayed. */
  readonly decision: string | undefined;
}

/** The offers that the customer would get, and those lost between the nodes. */
export function RunOutcome({ run, customer, decision }: RunOutcomeProps) {
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
