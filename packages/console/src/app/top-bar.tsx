import { systemOperations } from '@arbiter/contract/system';
import { CircleHelp, Menu as MenuIcon, Search } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { boot, onBoot } from '../data/boot.ts';
import { connectionNow, onConnection } from '../data/connection.ts';
import { useOperation } from '../data/use-operation.ts';
import { shellTexts } from '../messages/shell.ts';
import { addresses } from '../route/addresses.ts';
import { writtenKeys } from '../route/keys.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Link, useLinks } from '../ui/link.tsx';
import { Menu } from '../ui/menu.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { JobsTray } from './jobs-tray.tsx';
import { screens } from './manifest.ts';
import { isMac } from './platform.ts';
import { UserMenu } from './user-menu.tsx';

export interface TopBarProps {
  readonly onPages: () => void;
  readonly onSearch: () => void;
  readonly onKeys: () => void;
}

/** What is at hand on every page. */
export function TopBar({ onPages, onSearch, onKeys }: TopBarProps) {
  const block = useSyncExternalStore(onBoot, boot);
  const links = useLinks();
  const tenant = block.authenticated ? (block.session.tenant?.name ?? '') : '';
  return (
    <header className="flex min-w-0 items-center gap-1 border-line border-b bg-surface px-3">
      <Button
        kind="quiet"
        className="md:hidden"
        aria-label={shellTexts.openPages}
        icon={<MenuIcon aria-hidden className="size-4" />}
        onClick={onPages}
      />
      <Link className="rounded-control px-1 font-semibold text-section" look="plain" to={addresses.home()}>
        {shellTexts.product}
      </Link>
      <span aria-hidden className="px-1 text-faint max-sm:hidden">
        /
      </span>
      <span className="min-w-0 truncate text-soft max-sm:hidden">{tenant}</span>
      <span className="ms-auto flex items-center gap-1">
        <button
          type="button"
          className="flex h-8 items-center gap-2 rounded-control border border-line-strong bg-surface px-2.5 text-soft hover:bg-hover max-md:w-8 max-md:justify-center max-md:border-transparent max-md:px-0"
          aria-keyshortcuts={isMac() ? 'Meta+K' : 'Control+K'}
          onClick={onSearch}
        >
          <Search aria-hidden className="size-4" />
          <span className="w-40 text-start max-md:hidden-text">{shellTexts.search}</span>
          <kbd aria-hidden className="text-caption text-faint max-md:hidden">
            {writtenKeys('mod+k', isMac())}
          </kbd>
        </button>
        <JobsTray />
        <HealthDot />
        <Menu
          items={[
            { label: shellTexts.keys, shortcut: '?', act: onKeys },
            {
              label: shellTexts.apiDocuments,
              act: () => globalThis.open(links.href('/api/docs'), '_blank', 'noopener'),
            },
          ]}
          trigger={
            <Button
              kind="quiet"
              className="max-sm:hidden"
              aria-label={shellTexts.help}
              icon={<CircleHelp aria-hidden className="size-4" />}
            />
          }
        />
        <UserMenu />
      </span>
    </header>
  );
}

/** How often the server is asked whether it is ready, in milliseconds. */
const healthMs = 30_000;

/** Whether the server is ready: a shape and a word beside the colour. */
function HealthDot() {
  const { data, failure } = useOperation(systemOperations.ready, {}, { everyMs: healthMs });
  const connection = useSyncExternalStore(onConnection, connectionNow);
  const ready = failure === null && connection === 'well' && data?.status === 'ready';
  const known = failure !== null || connection !== 'well' || data !== undefined;
  const word = known ? (ready ? shellTexts.ready : shellTexts.notReady) : shellTexts.unknownReady;
  const mark = (
    <span
      aria-hidden
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
