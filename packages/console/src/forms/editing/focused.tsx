import { type ReactNode, useEffect, useRef } from 'react';

/** Takes the focus when it appears, because it's far from what the user pressed. */
export function Focused({ children }: { readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} tabIndex={-1} className="scroll-mt-16 outline-none">
      {children}
    </div>
  );
}
