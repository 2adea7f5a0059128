import type { ReactNode } from 'react';
import { uiTexts } from '../messages/ui.ts';
import { Link } from './link.tsx';
import { RecordSteps } from './trail/record-steps.tsx';

export interface PageProps {
  /** The heading and the window title. */
  readonly title: string;
  /** Replaces the title in the heading; the window title keeps the text. */
  readonly heading?: ReactNode;
  /** Breadcrumb: the list it belongs to. */
  readonly parents?: readonly { readonly title: string; readonly to: string }[] | undefined;
  /** Badges and IDs after the heading. */
  readonly about?: ReactNode;
  /** The purpose of the page in a sentence. */
  readonly lead?: ReactNode;
  /** Buttons, the most important one last. */
  readonly actions?: ReactNode;
  /** `prose` for forms and texts, `wide` for what fills the window (a canvas). */
  readonly width?: 'normal' | 'prose' | 'wide';
  readonly children?: ReactNode;
}

/** A page: breadcrumb, heading, actions, content. */
export function Page({ title, heading, parents, about, lead, actions, width = 'normal', children }: PageProps) {
  return (
    <div className={`mx-auto w-full px-4 pt-4 pb-12 md:px-6 ${width === 'wide' ? 'max-w-none' : 'max-w-360'}`}>
      <title>{`${title} · Arbiter`}</title>
      {/* Narrow pages start at the same edge, so that headings don't move. */}
      <div className={`flex flex-col gap-4 ${width === 'prose' ? 'max-w-4xl' : ''}`}>
        <header className="flex flex-col gap-1">
          {parents && parents.length > 0 ? (
            <div className="flex min-h-6 items-center justify-between gap-x-4">
              <nav aria-label={uiTexts.breadcrumb} className="min-w-0 text-dense">
                <ol className="flex flex-wrap items-center gap-1.5 text-faint">
                  {parents.map((parent, at) => (
                    <li key={parent.to} className="flex min-w-0 items-center gap-1.5">
                      {at === 0 ? null : <span aria-hidden>/</span>}
                      <Link to={parent.to} className="line-clamp-2 min-w-0 py-0.5 wrap-anywhere">
                        {parent.title}
                      </Link>
                    </li>
                  ))}
                </ol>
              </nav>
              <RecordSteps />
            </div>
          ) : null}
          <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
            <div className="flex min-w-0 grow basis-80 flex-col gap-1">
              <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
                <h1
                  tabIndex={-1}
                  data-page-title
                  dir="auto"
                  className="min-w-0 text-page font-semibold text-balance break-words"
                >
                  {heading ?? title}
                </h1>
                {about}
              </div>
              {lead ? (
                <p dir="auto" className="max-w-[72ch] text-body text-balance text-soft">
                  {lead}
                </p>
              ) : null}
            </div>
            {actions ? (
              <div data-print="none" className="flex flex-wrap items-center gap-2">
                {actions}
              </div>
            ) : null}
          </div>
        </header>
        {children}
      </div>
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for tables up to the border. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with a heading and a border. */
export function Section({ title, about, actions, flush = false, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col rounded-card border border-line bg-surface">
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-2">
        <div className="flex min-w-0 grow basis-40 flex-wrap items-center gap-2">
          <h2 className="min-w-0 text-body font-semibold break-words">{title}</h2>
          {about}
        </div>
        {actions ? <div className="flex min-w-0 flex-wrap items-center gap-2 wrap-anywhere">{actions}</div> : null}
      </header>
      <div
        className={
          flush
            ? 'min-w-0 [&>[data-problem]]:m-4 [&_[data-table]]:rounded-t-none [&_[data-table]]:border-0'
            : 'min-w-0 p-4'
        }
      >
        {children}
      </div>
    </section>
  );
}
