import type { Operation } from '@arbiter/contract/core/operation';
import type { ReactNode } from 'react';
import type { Answer } from '../data/use-operation.ts';
import { uiTexts } from '../messages/ui.ts';
import { Skeleton } from '../ui/progress.tsx';
import { FailurePanel, type FailurePanelProps } from './failure-panel.tsx';

export interface LoadedProps<Body> {
  readonly answer: Answer<Body>;
  readonly operation: Operation;
  /** Where to look for it if it's missing. */
  readonly instead?: FailurePanelProps['instead'];
  /** Placeholder while it loads, in the shape of the content, so that nothing moves. */
  readonly skeleton?: ReactNode;
  readonly children: (body: Body) => ReactNode;
}

/**
 * Renders a response in every state: loading, loaded, dimmed while the next one loads, stale (with the reason above, and in
 * full contrast, because it may stay for long), failed.
 */
export function Loaded<Body>({ answer, operation, instead, skeleton, children }: LoadedProps<Body>) {
  const { data, failure, old, refresh } = answer;
  const panel =
    failure === null ? null : (
      <FailurePanel failure={failure} operation={operation} retry={refresh} instead={instead} />
    );
  if (data === undefined) return panel ?? skeleton ?? <Waiting />;
  const isWaiting = old && failure === null;
  return (
    <>
      {panel}
      <div className={isWaiting ? 'opacity-60 transition-opacity' : 'contents'} aria-busy={isWaiting || undefined}>
        {children(data)}
      </div>
    </>
  );
}

function Waiting() {
  return (
    <div className="flex flex-col gap-3" role="status" aria-label={uiTexts.loading}>
      <Skeleton className="h-6 w-1/3" />
      <Skeleton />
      <Skeleton />
      <Skeleton className="h-4 w-2/3" />
    </div>
  );
}
