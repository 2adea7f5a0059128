import type { ReactNode } from 'react';
import { errorTexts } from '../messages/errors.ts';
import { Link } from '../ui/link.tsx';

function Message({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-[72ch] flex-col gap-3 px-6 py-16">
      <title>{`${title} · Arbiter`}</title>
      <h1 className="font-semibold text-page" tabIndex={-1}>
        {title}
      </h1>
      <p className="text-balance text-soft">{text}</p>
      <div className="flex gap-4">{children}</div>
    </div>
  );
}

const action = 'text-accent-ink underline underline-offset-4';

/** Shown for an address without a screen. */
export function NotFound() {
  return (
    <Message title={errorTexts.notFoundTitle} text={errorTexts.notFound}>
      <Link to="/">{errorTexts.home}</Link>
    </Message>
  );
}

/** Shown for a screen that failed to render. */
export function Crashed({ text }: { text: string }) {
  return (
    <Message title={errorTexts.crashedTitle} text={errorTexts.crashed}>
      <Reload />
      <code className="font-mono text-dense text-soft">{text}</code>
    </Message>
  );
}

/** Shown when a chunk can't be loaded: the server is unreachable, or an upgrade removed the chunk. */
export function ChunkMissing() {
  return (
    <Message title={errorTexts.missingTitle} text={errorTexts.missing}>
      <Reload />
    </Message>
  );
}

function Reload() {
  return (
    <button className={action} type="button" onClick={() => window.location.reload()}>
      {errorTexts.reload}
    </button>
  );
}
