import { useEffect, useRef } from 'react';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { Button } from '../../../ui/button.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { AnalyzedFile } from './file-load.ts';

export interface FileFactsProps {
  readonly chosen: AnalyzedFile;
  /** Null while its rows are being stored. */
  readonly onAnother: (() => void) | null;
}

/** Shows what a file contains. Takes the focus, because the button that chose the file disappears. */
export function FileFacts({ chosen: { file, analysis }, onAnother }: FileFactsProps) {
  const format = useFormat();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { estimatedRows, columns, delimiter, encoding } = analysis;
  const facts = [
    t.rows(format.number(estimatedRows), estimatedRows),
    t.columnCount(format.number(columns.length), columns.length),
    t.delimiters[delimiter],
    t.encodings[encoding],
  ];
  return (
    <div className="flex flex-wrap items-start justify-between gap-2">
      <div className="min-w-0">
        <h2 ref={heading} tabIndex={-1} dir="auto" className="text-section font-semibold break-all outline-none">
          {file.name}
        </h2>
        <p className="text-soft">{facts.join(' · ')}</p>
        {encoding === 'windows-1252' ? <p className="max-w-[72ch] text-dense text-warn">{t.guessed}</p> : null}
      </div>
      {onAnother === null ? null : (
        <Button size="small" onClick={onAnother}>
          {t.another}
        </Button>
      )}
    </div>
  );
}
