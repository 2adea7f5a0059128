import type { Operation } from '@arbiter/contract/operation';
import type { Failure } from '../../data/failure.ts';
import { adviceFor } from '../../data/problems.ts';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';

export interface OperationProblemProps {
  readonly failure: Failure;
  /** What was called: it decides what the failure means and who may. */
  readonly operation: Operation;
  readonly retry?: () => void;
}

/** A failure where its cause stands: what happened, what to do, and a step that does it. */
export function OperationProblem({ failure, operation, retry }: OperationProblemProps) {
  const { title, text, detail, act, entries, requestId } = adviceFor(failure, operation);
  return (
    <ProblemPanel
      title={title}
      tone={act === 'retry' ? 'warn' : 'block'}
      requestId={requestId ?? undefined}
      details={entries.map(({ path, message }) => ({ label: path, message }))}
      actions={
        <>
          {retry !== undefined && (act === 'retry' || act === 'reload') ? (
            <Button onClick={retry}>{t.tryAgain}</Button>
          ) : null}
          {act === 'search' ? <ButtonLink to={addresses.decisions()}>{t.backToList}</ButtonLink> : null}
        </>
      }
    >
      <p>{text}</p>
      {detail === null ? null : <p className="mt-1 text-ink">{detail}</p>}
    </ProblemPanel>
  );
}
