/**
 * Keyboard shortcuts. A binding names its keys: `c`, `?`, `mod+enter`, or two letters in a row, `g d`. `mod` is the command
 * key on a Mac and the control key elsewhere.
 */
export interface KeyBinding {
  readonly keys: string;
  /** Description for the list of shortcuts. */
  readonly title: string;
  readonly run: () => void;
}

/** The part of a key press that shortcuts depend on. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Formats a press like a binding: `mod+k`, `alt+arrowup`, `?`. Returns null for a modifier alone. */
export function pressName(press: Press, mac: boolean): string | null {
  const key = press.key.toLowerCase();
  if (['control', 'meta', 'alt', 'shift', 'altgraph', 'dead', 'process', 'unidentified'].includes(key)) return null;
  // The other modifier belongs to the browser and the system.
  if (mac ? press.ctrlKey : press.metaKey) return null;
  const printed = key.length === 1;
  // On a Mac, alt types another character; elsewhere alt with control does (AltGr).
  const alt = press.altKey && !(printed && (mac || press.ctrlKey));
  const mod = mac ? press.metaKey : press.ctrlKey && !(printed && press.altKey);
  // For a printed character, shift is already part of it.
  const shift = press.shiftKey && (!printed || mod);
  const name = key === ' ' ? 'space' : key === 'esc' ? 'escape' : key;
  return [mod && 'mod', alt && 'alt', shift && 'shift', name].filter(Boolean).join('+');
}

/** Whether a binding is a single letter, which users can turn off (WCAG 2.1.4). */
export function isCharacterKey(keys: string): boolean {
  return keys.split(' ').every((part) => part.length === 1);
}

export interface Matched {
  readonly binding: KeyBinding | null;
  /** The first of two keys. */
  readonly pending: string | null;
}

/** Resolves a press after a pending one. The last binding of a key wins, so pages override the frame. */
export function matchPress(bindings: readonly KeyBinding[], pending: string | null, press: string): Matched {
  const whole = pending === null ? press : `${pending} ${press}`;
  const binding = bindings.findLast(({ keys }) => keys === whole) ?? null;
  if (binding !== null) return { binding, pending: null };
  if (pending !== null) return matchPress(bindings, null, press);
  const begins = bindings.some(({ keys }) => keys.startsWith(`${press} `));
  return { binding: null, pending: begins ? press : null };
}

let bound: readonly (readonly KeyBinding[])[] = [];

/** Registers bindings. Returns a function that removes them. */
export function bindKeys(bindings: readonly KeyBinding[]): () => void {
  bound = [...bound, bindings];
  return () => {
    bound = bound.filter((each) => each !== bindings);
  };
}

/** All active bindings, newest last. */
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

/** Formats a binding for people: `⌘K` or `Ctrl K`; keys in a row are separate. */
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
