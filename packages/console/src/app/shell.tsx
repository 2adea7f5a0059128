import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { boot } from '../data/boot.ts';
import { shellTexts } from '../messages/shell.ts';
import { Link } from '../ui/link.tsx';
import { screens } from './manifest.ts';
import { Rail } from './rail.tsx';
import { railEntryOf, railOf } from './rail-sections.ts';

/** The frame around every page of a signed-in person: rail, top bar, page. */
export function Shell({ children }: { children: ReactNode }) {
  const sections = useMemo(() => railOf(screens), []);
  const address = useLocation({ select: ({ pathname }) => pathname });
  const current = railEntryOf(sections, address);
  const block = boot();
  return (
    <div className="grid h-full grid-cols-[auto_1fr] grid-rows-[3rem_1fr] bg-canvas text-ink">
      <a
        className="sr-only z-50 bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        href="#page"
      >
        {shellTexts.skip}
      </a>
      <header className="col-span-2 flex items-center gap-4 border-line border-b bg-surface px-4">
        <Link className="font-semibold text-section" look="plain" to="/">
          {shellTexts.product}
        </Link>
        <span className="text-soft">{block.authenticated ? block.session.tenant?.name : ''}</span>
        <span className="ms-auto text-soft">{block.authenticated ? block.session.principal?.name : ''}</span>
      </header>
      <Rail sections={sections} current={current} />
      <div className="min-w-0 overflow-auto" id="page">
        {children}
      </div>
    </div>
  );
}
