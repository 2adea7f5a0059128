import type { Operation } from '@arbiter/contract/operation';
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
  /** What failed: it tells a read from a write, and who may. */
  readonly operation: Operation;
  /** Tries the call again; `submit` sends the surrounding form as it is now. Null: trying again would not help. */
  readonly retry: (() => void) | 'submit' | null;
  /** Opens the comparison after a conflict of versions. */
  readonly compare?: (() => void) | undefined;
  /** Where to look instead when what was asked for is not here. */
  readonly instead?: { readonly title: string; readonly to: string } | undefined;
  /** Findings with a field of their own are shown there, and not here again. */
  readonly shownPaths?: readonly string[];
}

/** What a failed call means, and the step that leads on. */
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
  // The page asks for a sign-in by itself and does not go on before it.
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

/** True when the session that a failure was the end of has begun again: somebody was asked to sign in since, and has. */
function useIsBack(failure: Failure): boolean {
  const isAsking = useSyncExternalStore(onSignInRequest, isAskingToSignIn);
  const [requested, setRequested] = useState<Failure | null>(null);
  if (isAsking && requested !== failure) setRequested(failure);
  return endsSession(failure) && requested === failure && !isAsking;
}

/** Seconds that are left of a wait; begins anew with each failure. */
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
