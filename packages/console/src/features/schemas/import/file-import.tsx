import { largestCsv, schemaFigureOperations } from '@arbiter/contract/catalogue/schema-figures';
import { type DataSchema, schemaTableOperations } from '@arbiter/contract/catalogue/schemas';
import { useState } from 'react';
import { can } from '../../../data/can.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { FileDrop } from './file-drop.tsx';
import type { AnalyzedFile } from './file-load.ts';
import { NewSchemaLoad } from './new-schema-load.tsx';
import { StoredSchemaLoad } from './stored-schema-load.tsx';

export interface FileImportProps {
  /** The schema that takes the rows; undefined: a new one. */
  readonly schema?: DataSchema | undefined;
  /** Called with the schema after its rows were loaded. */
  readonly onDone?: (schemaId: string) => void;
}

/** Loads a CSV file: choose it, check its columns, load its rows. */
export function FileImport({ schema, onDone = () => undefined }: FileImportProps) {
  const [chosen, setChosen] = useState<AnalyzedFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { run, busy, failure, clear } = useMutate(schemaFigureOperations.upload);
  const permission = can(schemaTableOperations.insertRows);
  const choose = async (file: File) => {
    clear();
    setChosen(null);
    setProblem(null);
    if (file.size > largestCsv) return setProblem(t.tooLarge(file.name));
    const analysis = await run({ body: { file } });
    if (analysis === null) return;
    if (analysis.estimatedRows === 0) return setProblem(t.empty(file.name));
    setChosen({ file, analysis });
  };
  if (chosen === null) {
    return (
      <div className="flex flex-col gap-3">
        {problem === null ? null : <ProblemPanel title={problem} />}
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={schemaFigureOperations.upload} retry={null} />
        )}
        <FileDrop
          busy={busy}
          disabledReason={permission.allowed ? null : t.needsEditor(permission.needs)}
          onFile={(file) => void choose(file)}
        />
      </div>
    );
  }
  const parts = { chosen, onAnother: () => setChosen(null), onDone };
  return schema === undefined ? <NewSchemaLoad {...parts} /> : <StoredSchemaLoad {...parts} schema={schema} />;
}
