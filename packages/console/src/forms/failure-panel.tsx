import type { Operation } from '@arbiter/contract/core/operation';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { codeOf, endsSession, type Failure } from '../data/failure.ts';
import { adviceFor } from '../data/problems.ts';
import { askToSignIn, isAskingToSignIn, onSignInRequest } from '../data/signed-out.ts';
import { adviceActs, retryIn, signedInAgain } from '../messages/advice.ts';
import { uiTexts } from '../messages/ui.ts';
import { addresses } from '../route/addresses.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ProblemPanel } from '../ui/problem.tsx';

export interface FailurePanelProps {
  readonly failure: Failure;
  /** The failed operation: read or write, and its role. */
  readonly operation: Operation;
  /** Retries the call; `submit` submits the surrounding form. Null: a retry wouldn't help. */
  readonly retry: (() => void) | 'submit' | null;
  /** Opens the comparison after a version conflict. */
  readonly compare?: (() => void) | undefined;
  /** Where to look for a missing record. */
  readonly instead?: { readonly title: string; readonly to: string } | undefined;
  /** Paths of errors that are shown at their fields and omitted here. */
  readonly shownPaths?: readonly string[];
}

/** Explains a failed call, with the next step. */
export function FailurePanel({ failure, operation, retry, compare, instead, shownPaths = [] }: FailurePanelProps) {
  const advice = adviceFor(failure, operation);
  const left = useCountdown(advice.waitSeconds, failure);
  const isBack = useIsBack(failure);
  const details = advice.entries.filter(({ path }) => !shownPaths.includes(path));
  const again =
    retry === null ? null : (
      <Button
        size="small"
        {...(retry === 'submit' ? { submit: true } : { onClick: retry })}
        disabledReason={left > 0 ? retryIn(left) : null}
      >
        {left > 0 ? retryIn(left) : adviceActs.retry}
      </Button>
    );
  const step = {
    retry: again,
    'sign-in': (
      <Button size="small" onClick={askToSignIn}>
        {adviceActs['sign-in']}
      </Button>
    ),
    reload: (
      <Button size="small" onClick={() => globalThis.location.reload()}>
        {adviceActs.reload}
      </Button>
    ),
    compare:
      compare === undefined ? (
        again
      ) : (
        <Button size="small" onClick={compare}>
          {adviceActs.compare}
        </Button>
      ),
    settings: (
      <ButtonLink size="small" to={addresses.settings()}>
        {adviceActs.settings}
      </ButtonLink>
    ),
    search:
      instead === undefined ? (
        again
      ) : (
        <ButtonLink size="small" to={instead.to}>
          {instead.title}
        </ButtonLink>
      ),
  };
  // The shell asks to sign in on its own.
  if (isBack) {
    return (
      <ProblemPanel title={signedInAgain.title} tone="warn" actions={again ?? undefined}>
        <p>{signedInAgain.text}</p>
      </ProblemPanel>
    );
  }
  const soft = failure.kind !== 'refused' || codeOf(failure) === 'unavailable' || codeOf(failure) === 'rate_limited';
  return (
    <ProblemPanel
      title={advice.title}
      tone={soft ? 'warn' : 'block'}
      actions={advice.act === null ? undefined : step[advice.act]}
      requestId={advice.requestId ?? undefined}
      details={details.map(({ path, message }) => ({ label: path === '' ? uiTexts.whole : path, message }))}
    >
      {advice.detail === null ? null : <p className="text-ink">{advice.detail}</p>}
      <p>{advice.text}</p>
    </ProblemPanel>
  );
}

/** Whether the user has signed in again since a failure ended the session. */
function useIsBack(failure: Failure): boolean {
  const isAsking = useSyncExternalStore(onSignInRequest, isAskingToSignIn);
  const [requested, setRequested] = useState<Failure | null>(null);
  if (isAsking && requested !== failure) setRequested(failure);
  return endsSession(failure) && requested === failure && !isAsking;
}

/** Remaining seconds of a wait; restarts with each failure. */
function useCountdown(seconds: number | null, failure: Failure): number {
  const [left, setLeft] = useState(seconds ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another failure with the same wait begins another countdown.
  useEffect(() => {
    setLeft(seconds ?? 0);
    if (seconds === null) return;
    const end = Date.now() + seconds * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1_000))), 500);
    return () => clearInterval(timer);
  }, [seconds, failure]);
  return left;
}
