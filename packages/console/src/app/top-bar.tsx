import { ChevronsUpDown, CircleHelp, Menu as MenuIcon, Search } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { boot, onBoot } from '../data/boot.ts';
import { shellTexts, tenantTexts } from '../messages/shell.ts';
import { addresses } from '../route/addresses.ts';
import { writtenKeys } from '../route/keys.ts';
import { BrandMark } from '../ui/brand-mark.tsx';
import { Button } from '../ui/button.tsx';
import { later } from '../ui/later.tsx';
import { Link, useLinks } from '../ui/link.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { JobsTray } from './jobs-tray.tsx';
import { isMac } from './platform.ts';
import { UserMenu } from './user-menu.tsx';

const HealthDot = later(
  () => import('./health-dot.tsx').then((module) => module.HealthDot),
  <span className="size-8" />,
);

export interface TopBarProps {
  readonly onPages: () => void;
  readonly onSearch: () => void;
  readonly onKeys: () => void;
  readonly onTenants: () => void;
}

/** The bar at the top of every page. */
export function TopBar({ onPages, onSearch, onKeys, onTenants }: TopBarProps) {
  const block = useSyncExternalStore(onBoot, boot);
  const links = useLinks();
  const tenant = block.authenticated ? (block.session.tenant?.name ?? '') : '';
  return (
    // Gaps shrink with large text in small windows.
    <header className="flex min-w-0 items-center gap-[min(0.25rem,1vw)] border-line border-b bg-surface px-[min(0.75rem,3vw)]">
      <Button
        kind="quiet"
        className="md:hidden print:hidden"
        aria-label={shellTexts.openPages}
        icon={<MenuIcon aria-hidden className="size-4" />}
        onClick={onPages}
      />
      <Link
        className="flex min-w-0 items-center gap-2 rounded-control px-1 font-semibold text-section"
        look="plain"
        to={addresses.home()}
      >
        <BrandMark className="size-5 shrink-0" />
        <span className="min-w-0 truncate">{shellTexts.product}</span>
      </Link>
      <span aria-hidden className="px-1 text-faint max-sm:hidden">
        /
      </span>
      <button
        type="button"
        aria-label={tenantTexts.here(tenant)}
        className="flex h-8 min-w-0 items-center gap-1 rounded-control px-1.5 text-soft hover:bg-hover hover:text-ink max-sm:hidden"
        onClick={onTenants}
      >
        <span className="truncate">{tenant}</span>
        <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </button>
      <span data-print="none" className="ms-auto flex items-center gap-[inherit]">
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
        <UserMenu onTenants={onTenants} />
      </span>
    </header>
  );
}
