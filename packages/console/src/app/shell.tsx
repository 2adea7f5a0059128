import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { boot, roleOf } from '../data/boot.ts';
import { can } from '../data/can.ts';
import { isAskingToSignIn, onSignInRequest } from '../data/signed-out.ts';
import { recall, remember } from '../data/storage.ts';
import { useSignOut } from '../data/use-session.ts';
import { shellTexts } from '../messages/shell.ts';
import { cx } from '../ui/cx.ts';
import { later } from '../ui/later.tsx';
import { useLinks } from '../ui/link.tsx';
import { Toaster } from '../ui/overlays/toast.tsx';
import { Banners } from './banners.tsx';
import { Drawer } from './drawer.tsx';
import { screens } from './manifest.ts';
import { keepTyped, takeTyped } from './palette/typed-ahead.ts';
import { Rail } from './rail.tsx';
import { railEntryOf, railOf } from './rail-sections.ts';
import { type Overlay, useShellCommands } from './shell-commands.ts';
import { useShellKeys } from './shell-keys.ts';
import { TopBar } from './top-bar.tsx';
import { usePageFrame } from './use-page-frame.ts';
import { leave } from './user-menu.tsx';

const Palette = later(() => import('./palette/palette.tsx').then((module) => module.Palette));
const KeyHelp = later(() => import('./key-help.tsx').then((module) => module.KeyHelp));
const TenantSwitch = later(() => import('./tenant-switch.tsx').then((module) => module.TenantSwitch));
const SignInAgain = later(() => import('./sign-in-again.tsx').then((module) => module.SignInAgain));

/** Frame of every signed-in page: sidebar, top bar, page, and everything that opens over them. */
export function Shell({ children }: { children: ReactNode }) {
  const links = useLinks();
  const address = useLocation({ select: ({ pathname }) => pathname });
  const [over, setOver] = useState<Overlay | null>(null);
  const [drawer, setDrawer] = useState(false);
  const [narrow, setNarrow] = useState(() => recall('layout') === 'narrow');
  const signedOut = useSyncExternalStore(onSignInRequest, isAskingToSignIn);
  const signOut = useSignOut(leave);
  const role = roleOf(boot());
  const sections = useMemo(
    () => railOf(screens, ({ needs = null }) => can({ role: needs, auth: 'credential' }, role).allowed),
    [role],
  );
  const current = railEntryOf(sections, address);
  const page = useRef<HTMLElement>(null);
  usePageFrame(page, over !== null);
  const open = (overlay: Overlay) => {
    if (overlay === 'palette' && over !== 'palette') keepTyped();
    setOver(overlay);
  };
  useEffect(() => (over === 'palette' ? () => void takeTyped() : undefined), [over]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page change closes the drawer.
  useEffect(() => setDrawer(false), [address]);
  const commands = useShellCommands(links, setOver, signOut);
  useShellKeys(links, sections, commands, open);
  const keepNarrow = (next: boolean) => {
    setNarrow(next);
    remember('layout', next ? 'narrow' : undefined);
  };
  const rail = (isNarrow: boolean, onChosen?: () => void) => (
    <Rail sections={sections} current={current} narrow={isNarrow} onNarrow={keepNarrow} onChosen={onChosen} />
  );
  return (
    <div className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[3rem_auto_minmax(0,1fr)] bg-canvas text-ink print:block print:h-auto">
      <button
        type="button"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-control bg-raised px-3 py-2 focus:translate-y-0 focus:shadow-overlay"
        onClick={() => document.getElementById('page')?.focus()}
      >
        {shellTexts.skip}
      </button>
      <TopBar
        onPages={() => setDrawer(true)}
        onSearch={() => open('palette')}
        onKeys={() => open('keys')}
        onTenants={() => open('tenants')}
      />
      <div>
        <Banners />
      </div>
      <div className="flex min-h-0">
        <div
          data-print="none"
          className={cx('shrink-0 border-line border-e bg-surface max-md:hidden', narrow ? 'w-14' : 'w-60')}
        >
          {rail(narrow)}
        </div>
        {drawer && !signedOut ? (
          <Drawer onClose={() => setDrawer(false)}>{rail(false, () => setDrawer(false))}</Drawer>
        ) : null}
        {/* Positioned, so that texts for screen readers can't make the window scroll. */}
        <main ref={page} id="page" tabIndex={-1} className="relative min-w-0 flex-1 overflow-y-auto outline-none">
          {children}
        </main>
      </div>
      {over === 'palette' ? <Palette commands={commands} onClose={() => setOver(null)} go={links.go} /> : null}
      {over === 'keys' ? <KeyHelp onClose={() => setOver(null)} /> : null}
      {over === 'tenants' ? <TenantSwitch onClose={() => setOver(null)} /> : null}
      {signedOut ? <SignInAgain /> : null}
      <Toaster />
    </div>
  );
}
