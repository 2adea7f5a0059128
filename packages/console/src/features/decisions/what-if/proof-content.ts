/** The element of a proof file with its content as JSON. */
const opening = '<script type="application/json" id="proof">';
const closing = '</script>';

/** Returns the content of a proof file; null if it has none. */
export function proofContent(page: string): string | null {
  const from = page.indexOf(opening);
  // Tenants' texts contain no "<" in the file, so the first closing tag ends the content.
  const to = page.indexOf(closing, from);
  return from < 0 || to < 0 ? null : page.slice(from + opening.length, to);
}
