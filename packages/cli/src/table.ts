/** Formats a plain text table: columns as wide as their widest cell, two spaces between them. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  return all.map((row) =>
    header
      .map((_, column) => pad(row[column] ?? '', widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Counts code points, not code units, because names can contain any character. */
function widthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
