/**
 * Keys of the console. A binding says which keys it listens to: `c`, `?`, `mod+enter`, or two letters after each other, `g d`.
 * `mod` is the command key on a Mac and the control key elsewhere.
 */
export interface KeyBinding {
  readonly keys: string;
  /** What it does, for the overview of keys. */
  readonly title: string;
  readonly run: () => void;
}

/** A key that was pressed, as far as keys depend on it. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The press in the words of bindings: `mod+k`, `alt+arrowup`, `?`. Null for a modifier alone. */
export function pressName(press: Press, mac: boolean): string | null {
  const key = press.key.toLowerCase();
  if (['control', 'meta', 'alt', 'shift', 'altgraph', 'dead', 'process', 'unidentified'].includes(key)) return null;
  // The other one of the two belongs to the browser and the system.
  if (mac ? press.ctrlKey : press.metaKey) return null;
  const printed = key.length === 1;
  // On a Mac, alt writes another character; elsewhere alt with control does (AltGr).
  const alt = press.altKey && !(printed && (mac || press.ctrlKey));
  const mod = mac ? press.metaKey : press.ctrlKey && !(printed && press.altKey);
  // With a printed character shift is part of the character already.
  const shift = press.shiftKey && (!printed || mod);
  const name = key === ' ' ? 'space' : key === 'esc' ? 'escape' : key;
  return [mod && 'mod', alt && 'alt', shift && 'shift', name].filter(Boolean).join('+');
}

/** True for keys that write a character elsewhere: they can be switched off (WCAG 2.1.4). */
export function isCharacterKey(keys: string): boolean {
  return keys.split(' ').every((part) => part.length === 1);
}

export interface Matched {
  readonly binding: KeyBinding | null;
  /** The first key of two that may follow. */
  readonly pending: string | null;
}

/**
 * What a press means after an earlier one that is pending. The last binding of a key wins: a page stands before the frame
 * around it.
 */
export function matchPress(bindings: readonly KeyBinding[], pending: string | null, press: string): Matched {
  const whole = pending === null ? press : `${pending} ${press}`;
  const binding = bindings.findLast(({ keys }) => keys === whole) ?? null;
  if (binding !== null) return { binding, pending: null };
  if (pending !== null) return matchPress(bindings, null, press);
  const begins = bindings.some(({ keys }) => keys.startsWith(`${press} `));
  return { binding: null, pending: begins ? press : null };
}

let bound: readonly (readonly KeyBinding[])[] = [];

/** Takes bindings into force; answers with what takes them out. */
export function bindKeys(bindings: readonly KeyBinding[]): () => void {
  bound = [...bound, bindings];
  return () => {
    bound = bound.filter((each) => each !== bindings);
  };
}

/** All bindings in force, the latest last. */
export function boundKeys(): readonly KeyBinding[] {
  return bound.flat();
}

const shown: Readonly<Record<string, string>> = {
  enter: '⏎',
  escape: 'Esc',
  space: 'Space',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  shift: '⇧',
};

/** How keys are written for people: `⌘K` or `Ctrl K`; parts that are pressed after each other are apart. */
export function writtenKeys(keys: string, mac: boolean): readonly string[] {
  return keys.split(' ').map((part) =>
    part
      .split('+')
      .map((name) => {
        if (name === 'mod') return mac ? '⌘' : 'Ctrl';
        if (name === 'alt') return mac ? '⌥' : 'Alt';
        return shown[name] ?? (name.length === 1 ? name.toUpperCase() : name);
      })
      .join(mac ? '' : ' '),
  );
}
