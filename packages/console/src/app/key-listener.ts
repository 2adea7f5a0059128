import { recall, remember } from '../data/storage.ts';
import { boundKeys, isCharacterKey, type KeyBinding, matchPress, pressName } from '../route/keys.ts';
import { isMac } from './platform.ts';

/** Elements over the page that take key presses. */
const overPage = 'dialog,[role="dialog"],[role="alertdialog"],[role="menu"]';

/** Time limit for the second of two keys, in milliseconds. */
const secondKeyMs = 1_200;

/** Whether the user has single-letter shortcuts on. */
export function characterKeysOn(): boolean {
  return recall('single-letter-keys') !== false;
}

export function switchCharacterKeys(on: boolean): void {
  remember('single-letter-keys', on ? undefined : false);
}

/**
 * Listens for bound keys anywhere on the page. Returns a function that stops it. `isCovered` tells that something covers the
 * page or is about to: a lazy part has no dialog yet, but typed keys belong to it.
 */
export function listenForKeys(page: Document, isCovered: () => boolean): () => void {
  let pending: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || isCovered()) return;
    const press = pressName(event, isMac());
    if (press === null) return;
    const inForce = boundKeys().filter((binding) => works(binding, event.target));
    const matched = matchPress(inForce, pending, press);
    pending = matched.pending;
    clearTimeout(timer);
    if (pending !== null) {
      timer = setTimeout(() => {
        pending = null;
      }, secondKeyMs);
    }
    if (matched.binding === null) return;
    event.preventDefault();
    matched.binding.run();
  };
  page.addEventListener('keydown', onKeyDown);
  return () => page.removeEventListener('keydown', onKeyDown);
}

/** A single-letter shortcut does nothing while the user types, or when it's turned off. */
function works({ keys }: KeyBinding, target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : null;
  const commands = keys.split(' ').every((part) => part.startsWith('mod+') || part.startsWith('alt+'));
  // With a dialog open, page shortcuts wait. The dialog's primary action has the same key as the page's.
  if (element?.closest(overPage) != null) return keys === 'mod+enter';
  if (commands) return true;
  if (element?.closest('input,textarea,select,[contenteditable="true"],[role="textbox"]') != null) return false;
  return !isCharacterKey(keys) || characterKeysOn();
}
