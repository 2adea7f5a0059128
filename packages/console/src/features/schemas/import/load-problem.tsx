import { schemaTableOperations } from '@arbiter/contract/catalogue/schemas';
import { useEffect, useRef } from 'react';
import type { Failure } from '../../../data/failure.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import type { BadLine } from './import-plan.ts';
import type { LoadState } from './use-load.ts';

export interface LoadProblemProps {
  readonly state: LoadState;
  /** Lines that the API refused. */
  readonly badLines: readonly BadLine[];
  /** Columns whose type is shown as the cause, and what loads one as text. */
  readonly columns: readonly string[];
  readonly onText: (column: string) => void;
  readonly onRetry: () => void;
  readonly onCheck: () => void;
  readonly onAnother: () => void;
}

/** The API reports at most this many lines. */
const maxLines = 20;

/** Says why rows weren't loaded and what to do. Takes the focus. */
export function LoadProblem({ state, badLines, columns, onText, onRetry, onCheck, onAnother }: LoadProblemProps) {
  const box = useRef<HTMLDivElement>(null);
  const { phase } = state;
  useEffect(() => {
    if (phase === 'failed' || phase === 'lost' || phase === 'stopped') box.current?.focus();
  }, [phase]);
  return (
    <div ref={box} tabIndex={-1} className="outline-none empty:hidden">
      {phase === 'stopped' ? <ProblemPanel tone="info" title={t.stopped} /> : null}
      {phase === 'lost' ? (
        <ProblemPanel
          tone="warn"
          title={t.lost}
          actions={
            <Button size="small" onClick={onCheck}>
              {t.check}
            </Button>
          }
        >
          {t.lostText}
        </ProblemPanel>
      ) : null}
      {phase !== 'failed' ? null : badLines.length === 0 ? (
        <Refusal failure={state.failure} onRetry={onRetry} />
      ) : (
        <ProblemPanel
          title={t.badLines(badLines.length)}
          details={badLines.map(({ line, message }) => ({ label: line === null ? t.whole : t.line(line), message }))}
          actions={
            <>
              {columns.map((column) => (
                <Button key={column} size="small" onClick={() => onText(column)}>
                  {t.asText(column)}
                </Button>
              ))}
              <Button size="small" kind="quiet" onClick={onAnother}>
                {t.another}
              </Button>
            </>
          }
        >
          {t.badLinesText}
          {badLines.length >= maxLines ? ` ${t.badLinesMore}` : null}
        </ProblemPanel>
      )}
    </div>
  );
}

function Refusal({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  return <FailurePanel failure={failure} operation={schemaTableOperations.insertRows} retry={onRetry} />;
}
