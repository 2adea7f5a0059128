import { systemOperations } from '@arbiter/contract/operations/system';
import { useSyncExternalStore } from 'react';
import { connectionNow, onConnection } from '../data/connection.ts';
import { useOperation } from '../data/use-operation.ts';
import { shellTexts } from '../messages/shell.ts';
import { addresses } from '../route/addresses.ts';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { screens } from './manifest.ts';

/** Interval of readiness checks, in milliseconds. */
const healthMs = 30_000;

/** Shows whether the server is ready, with a shape and a word besides the color. */
export function HealthDot() {
  const { data, failure } = useOperation(systemOperations.ready, {}, { everyMs: healthMs });
  const connection = useSyncExternalStore(onConnection, connectionNow);
  const ready = failure === null && connection === 'well' && data?.status === 'ready';
  const known = failure !== null || connection !== 'well' || data !== undefined;
  const word = known ? (ready ? shellTexts.ready : shellTexts.notReady) : shellTexts.unknownReady;
  const mark = (
    <span
      aria-hidden
      data-mark
      className={cx(
        'size-2.5',
        !known ? 'rounded-full border border-faint' : ready ? 'rounded-full bg-pass' : 'rotate-45 bg-block',
      )}
    />
  );
  const address = addresses.health();
  const look = 'flex size-8 items-center justify-center rounded-control hover:bg-hover';
  return (
    <Tooltip text={shellTexts.health(word)}>
      {screens.some(({ path }) => path === address) ? (
        <Link to={address} look="plain" aria-label={shellTexts.health(word)} className={look}>
          {mark}
        </Link>
      ) : (
        <span role="img" aria-label={shellTexts.health(word)} className={look}>
          {mark}
        </span>
      )}
    </Tooltip>
  );
}
