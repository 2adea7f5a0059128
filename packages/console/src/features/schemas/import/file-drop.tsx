import { Upload } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';

export interface FileDropProps {
  readonly busy: boolean;
  readonly disabledReason: string | null;
  readonly onFile: (file: File) => void;
}

/** Takes a file: dropped, or chosen with a button. */
export function FileDrop({ busy, disabledReason, onFile }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const isClosed = busy || disabledReason !== null;
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined && !isClosed) onFile(file);
  };
  return (
    <section
      aria-label={t.file}
      className={cx(
        'flex flex-col items-center gap-2 rounded-card border border-dashed px-6 py-10 text-center',
        isOver ? 'border-accent bg-hover' : 'border-line-strong bg-surface',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Upload aria-hidden className="size-6 text-faint" />
      <p className="font-medium">{t.drop}</p>
      <p className="text-soft">{t.dropText}</p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,text/csv"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // Lets the user choose the same file again after correcting it.
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
      {disabledReason === null ? null : <p className="text-soft">{disabledReason}</p>}
      <Button kind="primary" busy={busy} disabledReason={disabledReason} onClick={() => input.current?.click()}>
        {busy ? t.reading : t.choose}
      </Button>
    </section>
  );
}
