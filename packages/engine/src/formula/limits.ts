/** Limits of docs/design/api-decisioning.md 9. */
export const MAX_SOURCE_CHARACTERS = 2000;
/** Nesting of parentheses, arguments, unary operators and branches. */
export const MAX_DEPTH = 50;
export const MAX_PATH_PARTS = 6;
/**
 * Work units of one evaluation. A formula has no loops and at most 2,000 nodes, so its nodes alone never reach the
 * limit. Text does: a text operation takes one unit, plus one per 64 characters.
 */
export const MAX_STEPS = 10_000;
const MAX_TEXT_BYTES = 10_240;

/** True when the text's UTF-8 form has at most 10 KB. */
export function isShortText(text: string): boolean {
  if (text.length * 3 <= MAX_TEXT_BYTES) return true;
  if (text.length > MAX_TEXT_BYTES) return false;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A surrogate pair has 4 bytes: 2 for each of its units.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes <= MAX_TEXT_BYTES;
}
