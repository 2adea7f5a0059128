import { Clock } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { uiTexts } from '../messages/ui.ts';
import { cx } from './cx.ts';
import type { Instant } from './format.ts';
import { useFormat } from './provider.tsx';

const beat = 10_000;
const subscribe = (changed: () => void) => {
  const timer = setInterval(changed, beat);
  return () => clearInterval(timer);
};
const rounded = () => Math.floor(Date.now() / beat) * beat;

/** The time of now, in milliseconds, renewed every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, rounded);
}

export interface AsOfProps {
  /** When the data was read or computed. */
  readonly at: Instant;
  /** The data is known to be older than what the server has now. */
  readonly stale?: boolean;
  /** What happened then: "as of" (default), "counted", "verified". */
  readonly word?: string;
}

/** The age of a count: no number of the console is without it. */
export function AsOf({ at, stale = false, word = uiTexts.asOf }: AsOfProps) {
  const format = useFormat();
  const now = useNow();
  const age = now - new Date(at).getTime();
  return (
    <span
      className={cx(
        'inline-flex min-w-0 items-center gap-1 align-middle text-caption',
        stale ? 'text-warn' : 'text-faint',
      )}
    >
      <Clock aria-hidden className="size-3 shrink-0" />
      <time dateTime={new Date(at).toISOString()} title={format.instant(at)}>
        {word} {age < 60_000 ? format.time(at) : format.ago(at, now)}
      </time>
      {stale ? <span>· {uiTexts.stale}</span> : null}
    </span>
  );
}
