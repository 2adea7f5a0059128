import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { shellTexts } from '../messages/shell.ts';

/**
 * The sidebar as an overlay, on narrow screens. A native modal: the page behind takes neither focus nor clicks, Escape closes
 * it, and the focus returns to the button that opened it.
 */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
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
