import { canonicalJson } from '@arbiter/engine';

/** Texts of objects that the engine hands out again and again: those are frozen (content without any token). */
const known = new WeakMap<object, string>();

/** Canonical JSON of an item's content or variables; what is the same in every decision is written out once. */
export function contentText(value: object): string {
  let text = known.get(value);
  if (text === undefined) {
    text = canonicalJson(value);
    if (Object.isFrozen(value)) known.set(value, text);
  }
  return text;
}
