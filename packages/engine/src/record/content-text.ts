import { canonicalJson } from '../canonical/canonical-json.ts';

/** Texts of objects that the engine hands out again and again: those are frozen (content without any token). */
const known = new WeakMap<object, string>();

/** Returns canonical JSON of an item's content or variables. Renders once what's the same in every decision. */
export function contentText(value: object): string {
  let text = known.get(value);
  if (text === undefined) {
    text = canonicalJson(value);
    if (Object.isFrozen(value)) known.set(value, text);
  }
  return text;
}
