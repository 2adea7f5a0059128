import { X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { uiTexts } from '../../messages/ui.ts';
import { Button } from '../button.tsx';

export interface Toast {
  /** What happened: "Exported 1,204 rows". Never an error that needs an action. */
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long it stays, in milliseconds (6000). Pauses while it's hovered or focused. */
  readonly staysMs?: number;
}

interface ShownToast extends Toast {
  readonly key: number;
}

let shown: readonly ShownToast[] = [];
let lastKey = 0;
const listeners = new Set<() => void>();

function show(next: readonly ShownToast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a short message in the corner; returns what takes it away again. */
export function toast(message: Toast): () => void {
  lastKey += 1;
  const key = lastKey;
  show([...shown, { ...message, key }].slice(-3));
  return () => show(shown.filter((other) => other.key !== key));
}

function One({ message }: { readonly message: ShownToast }) {
  const [isPaused, setPaused] = useState(false);
  const close = () => show(shown.filter(({ key }) => key !== message.key));
  const staysMs = message.staysMs ?? 6_000;
  const { key } = message;
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(() => show(shown.filter((other) => other.key !== key)), staysMs);
    return () => clearTimeout(timer);
  }, [isPaused, staysMs, key]);
  return (
    <li
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className="flex animate-appear items-center gap-2 rounded-card border border-line bg-raised py-1 ps-3 pe-1 text-body shadow-overlay"
    >
      <span className="min-w-0 flex-1 py-1">{message.text}</span>
      {message.action ? (
        <Button
          kind="quiet"
          size="small"
          onClick={() => {
            message.action?.run();
            close();
          }}
        >
          {message.action.label}
        </Button>
      ) : null}
      <Button
        kind="quiet"
        size="small"
        aria-label={uiTexts.dismiss}
        icon={<X aria-hidden className="size-4" />}
        onClick={close}
      />
    </li>
  );
}

/** The corner where messages appear. Rendered once, in the shell. */
export function Toaster() {
  const messages = useSyncExternalStore(subscribe, () => shown);
  return (
    <div
      role="status"
      aria-live="polite"
      data-toasts
      className="pointer-events-none fixed inset-x-3 bottom-3 z-50 flex justify-end"
    >
      <ul className="pointer-events-auto flex w-full max-w-100 flex-col gap-2 empty:hidden">
        {messages.map((message) => (
          <One key={message.key} message={message} />
        ))}
      </ul>
    </div>
  );
}
