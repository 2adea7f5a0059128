/** Lines of a plain text table: columns as wide as their widest cell, two blanks between them. */
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

/** Code points, not code units: names may hold any letter. */
function widthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
