import { recall, remember } from '../data/storage.ts';
import { boundKeys, isCharacterKey, type KeyBinding, matchPress, pressName } from '../route/keys.ts';
import { isMac } from './platform.ts';

/** What lies over the page and takes the keys. */
const overPage = 'dialog,[role="dialog"],[role="alertdialog"],[role="menu"]';

/** How long the second of two keys may take, in milliseconds. */
const secondKeyMs = 1_200;

/** Whether keys without mod or alt do anything for this person. */
export function characterKeysOn(): boolean {
  return recall('single-letter-keys') !== false;
}

export function switchCharacterKeys(on: boolean): void {
  remember('single-letter-keys', on ? undefined : false);
}

/**
 * Listens for the keys that are bound, wherever in the page; answers with what ends that. `isCovered` says that something is
 * over the page, or about to be: a part that is still on its way has no dialog yet, and what is typed meanwhile is for it.
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

/** A key that writes a character does nothing where characters are written, nor when it is switched off. */
function works({ keys }: KeyBinding, target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : null;
  const commands = keys.split(' ').every((part) => part.startsWith('mod+') || part.startsWith('alt+'));
  // A dialog is over the page: what belongs to the page waits. Its own main act has the key that a page's has.
  if (element?.closest(overPage) != null) return keys === 'mod+enter';
  if (commands) return true;
  if (element?.closest('input,textarea,select,[contenteditable="true"],[role="textbox"]') != null) return false;
  return !isCharacterKey(keys) || characterKeysOn();
}
