import { useLocation, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { boot, roleOf, tenantOf } from '../data/boot.ts';
import { can } from '../data/can.ts';
import { isAskingToSignIn, onSignInRequest } from '../data/signed-out.ts';
import { forgetAll, recall, remember } from '../data/storage.ts';
import { useLive, useSignOut } from '../data/use-session.ts';
import { keyTexts } from '../messages/palette.ts';
import { shellTexts, tenantTexts } from '../messages/shell.ts';
import { trailTexts } from '../messages/trail.ts';
import type { Command } from '../route/feature.ts';
import { useKeys } from '../route/use-keys.ts';
import { cx } from '../ui/cx.ts';
import { later } from '../ui/later.tsx';
import { type Links, useLinks } from '../ui/link.tsx';
import { Toaster, toast } from '../ui/overlays/toast.tsx';
import { stepsFrom } from '../ui/trail/trail.ts';
import { focusHeadings, keepPlaces } from './arrival.ts';
import { Banners } from './banners.tsx';
import { commit } from './commit.ts';
import { keepFocus } from './keep-focus.ts';
import { listenForKeys } from './key-listener.ts';
import { browserSurroundings, watchOtherTabs } from './live.ts';
import { features, screens } from './manifest.ts';
import { keepTyped, takeTyped } from './palette/typed-ahead.ts';
import { Rail } from './rail.tsx';
import { railEntryOf, railOf } from './rail-sections.ts';
import { chooseTheme, themes } from './theme.ts';
import { TopBar } from './top-bar.tsx';
import { leave } from './user-menu.tsx';

const Palette = later(() => import('./palette/palette.tsx').then((module) => module.Palette));
const KeyHelp = later(() => import('./key-help.tsx').then((module) => module.KeyHelp));
const TenantSwitch = later(() => import('./tenant-switch.tsx').then((module) => module.TenantSwitch));
const SignInAgain = later(() => import('./sign-in-again.tsx').then((module) => module.SignInAgain));

/** Person and tenant of this page's session. */
function sessionName(): string {
  const block = boot();
  return `${tenantOf(block)}:${block.authenticated ? (block.session.principal?.id ?? '') : ''}`;
}

/** Opens the previous or next record of the list that the current record was opened from. */
function step({ here, go }: Links, where: 'previous' | 'next'): void {
  const steps = here === undefined ? null : stepsFrom(here());
  const to = steps?.[where] ?? null;
  if (to !== null) go(to);
  else toast({ text: steps === null ? trailTexts.none : trailTexts[where === 'next' ? 'last' : 'first'] });
}

/** Frame of every signed-in page: sidebar, top bar, page, and everything that opens over them. */
export function Shell({ children }: { children: ReactNode }) {
  const router = useRouter();
  const links = useLinks();
  const address = useLocation({ select: ({ pathname }) => pathname });
  const [over, setOver] = useState<'palette' | 'keys' | 'tenants' | null>(null);
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
  useLive(browserSurroundings);
  useEffect(() => focusHeadings(router, document), [router]);
  useEffect(() => keepPlaces(router, document), [router]);
  const openPalette = () => {
    if (over !== 'palette') keepTyped();
    setOver('palette');
  };
  useEffect(() => (over === 'palette' ? () => void takeTyped() : undefined), [over]);
  const isCovered = useRef(false);
  useEffect(() => {
    isCovered.current = over !== null;
  }, [over]);
  useEffect(() => listenForKeys(document, () => isCovered.current), []);
  const page = useRef<HTMLElement>(null);
  useEffect(() => (page.current === null ? undefined : keepFocus(page.current)), []);
  // Cookies are shared between tabs: this page must not show another session's data.
  useEffect(() => {
    const reload = () => globalThis.location.assign(document.baseURI);
    const forget = () => {
      forgetAll();
      reload();
    };
    return watchOtherTabs(sessionName(), reload, forget);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page change closes the drawer.
  useEffect(() => setDrawer(false), [address]);
  const commands = useMemo<readonly Command[]>(
    () => [
      ...features.flatMap((feature) => feature.commands ?? []),
      ...themes.map((theme) => ({
        id: `theme ${theme}`,
        title: shellTexts.themeAct(shellTexts.themes[theme]),
        words: 'appearance colours',
        act: { run: () => chooseTheme(theme) },
      })),
      {
        id: 'keys',
        title: keyTexts.title,
        words: 'shortcuts keyboard help',
        keys: '?',
        act: { run: () => setOver('keys') },
      },
      {
        id: 'tenants',
        title: tenantTexts.act,
        words: 'switch tenant account playground',
        act: { run: () => setOver('tenants') },
      },
      {
        id: 'documents',
        title: shellTexts.apiDocuments,
        words: 'openapi reference help',
        act: { run: () => void globalThis.open(links.href('/api/docs'), '_blank', 'noopener') },
      },
      { id: 'sign-out', title: shellTexts.signOut, words: 'leave log out', act: { run: signOut } },
    ],
    [links, signOut],
  );
  useKeys([
    { keys: 'mod+k', title: keyTexts.palette, run: openPalette },
    { keys: '?', title: keyTexts.overview, run: () => setOver('keys') },
    { keys: 'mod+enter', title: keyTexts.commit, run: () => commit(document.getElementById('page')) },
    { keys: '[', title: trailTexts.previous, run: () => step(links, 'previous') },
    { keys: ']', title: trailTexts.next, run: () => step(links, 'next') },
    {
      keys: '/',
      title: keyTexts.filter,
      run: () => document.querySelector<HTMLElement>('#page [data-filter], #page input[type="search"]')?.focus(),
    },
    ...sections
      .flatMap(({ entries }) => entries)
      .flatMap(({ screen: { path, title }, place: { key } }) =>
        key === undefined ? [] : [{ keys: `g ${key}`, title: keyTexts.goTo(title), run: () => links.go(path) }],
      ),
    ...commands.flatMap(({ keys, title, act }) =>
      keys === undefined || keys === '?'
        ? []
        : [{ keys, title, run: () => ('open' in act ? links.go(act.open) : void act.run()) }],
    ),
  ]);
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
        onSearch={openPalette}
        onKeys={() => setOver('keys')}
        onTenants={() => setOver('tenants')}
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
        {/* Texts that are heard only stand at their place in it; else they would make the window scroll, and the bar leave it. */}
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

/**
 * The sidebar as an overlay, on narrow screens. A native modal: the page behind takes neither focus nor clicks, Escape closes
 * it, and the focus returns to the button that opened it.
 */
function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const drawer = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = drawer;
    current?.showModal();
    current?.querySelector<HTMLElement>('a[aria-current], a')?.focus();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={drawer}
      aria-label={shellTexts.navigation}
      className="m-0 h-dvh max-h-none w-full max-w-none bg-transparent text-ink backdrop:bg-veil md:hidden"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="flex h-full">
        <div className="flex w-72 max-w-[85vw] animate-appear flex-col border-line border-e bg-surface shadow-overlay">
          {children}
        </div>
        <button type="button" aria-label={shellTexts.closePages} className="flex-1" onClick={onClose} />
      </div>
    </dialog>
  );
}
