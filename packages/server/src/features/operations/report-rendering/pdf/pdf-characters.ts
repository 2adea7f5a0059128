import { madeText, type ShownSection, scopeText } from '../display.ts';
import { isFacts, narrativeOf, type ReportDocument } from '../report-document.ts';
import { manyLines, oneLine } from '../safe-text.ts';

/** Characters of our own texts and figures. */
const basic = [...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)), ...'·–−…•'];

/** Collects all characters that the file may show. Yields between rows. */
export function* charactersOf(
  document: ReportDocument,
  sections: readonly ShownSection[],
): Generator<void, { regular: Set<string>; bold: Set<string> }> {
  const regular = new Set<string>(basic);
  const bold = new Set<string>(basic);
  const add = (set: Set<string>, text: string): void => {
    for (const character of text) set.add(character);
  };
  const { narrative } = document;
  add(bold, oneLine(document.name));
  const coverTexts = [
    document.name,
    document.tenantName,
    document.description ?? '',
    document.runId ?? '',
    madeText(document),
  ];
  for (const text of [...coverTexts, narrative?.executiveSummary ?? '', ...(narrative?.keyTakeaways ?? [])]) {
    add(regular, manyLines(text));
  }
  for (const section of sections) {
    add(bold, oneLine(section.title));
    for (const { label } of section.columns) {
      add(bold, oneLine(label));
      add(regular, oneLine(label));
    }
    const scope = scopeText(document, section);
    add(bold, scope);
    for (const text of [narrativeOf(document, section) ?? '', scope, ...section.notes]) add(regular, manyLines(text));
    for (const row of section.cells) {
      for (const text of row) {
        add(regular, text);
        if (isFacts(section)) add(bold, text);
      }
      yield;
    }
  }
  return { regular, bold };
}
